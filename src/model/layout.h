// SPDX-License-Identifier: Apache-2.0
// The memory layouts of tensors with channels, and what an operation becomes on channels-last data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/shape.h"
#include "core/tensor.h"

namespace wasmvino::model {

class Op;

// [N, C, spatial axes] as in OpenVINO, or [N, spatial axes, C].
enum class Layout : uint8_t { kChannelsFirst, kChannelsLast };

// The layouts of input 0 and output 0.
struct EdgeLayouts {
  Layout in = Layout::kChannelsFirst;
  Layout out = Layout::kChannelsFirst;
};

// Whether tensors of this shape have one to three spatial axes.
bool has_spatial_axes(const PartialShape& shape);
// The orders of the Transposes to channels-last (0 2 3 ... 1) and back (0 rank-1 1 2 ...).
Ints order_to_channels_last(size_t rank);
Ints order_to_channels_first(size_t rank);
// The position of a channels-first axis in a channels-last tensor. Negative axes count from the end.
int64_t channels_last_axis(int64_t axis, size_t rank);
Ints channels_last_axes(const Ints& axes, size_t rank);
// The shape in the other layout, if it has spatial axes. A shape of unknown rank is returned unchanged.
PartialShape relaid(const PartialShape& shape, Layout from, Layout to);

// How a node reads an input when its data are channels-last.
struct ChannelsLastInput {
  enum class Kind : uint8_t {
    kUnchanged,
    // As a channels-last copy. A constant may have fewer axes than the output and is aligned at the last
    // axis.
    kChannelsLast,
    // As another constant.
    kReplaced,
  };
  Kind kind = Kind::kUnchanged;
  Tensor value = {};  // of kReplaced
};

// A node rebuilt for channels-last data. It is useful if every input that it takes as channels-last is a
// constant or has such a copy.
struct ChannelsLastForm {
  explicit ChannelsLastForm(size_t input_count) : inputs(input_count) {}

  void take(size_t i) { inputs[i].kind = ChannelsLastInput::Kind::kChannelsLast; }
  void replace(size_t i, Tensor value) { inputs[i] = {ChannelsLastInput::Kind::kReplaced, std::move(value)}; }
  void replace(size_t i, const Ints& values);

  std::vector<ChannelsLastInput> inputs;
  std::shared_ptr<Op> op = nullptr;   // nullptr: keep the operation
  std::string_view type = {};         // the type of `op`, if it is an internal operation
  size_t outputs = 0;                 // number of outputs of the new node; 0: as before
  bool outputs_channels_last = true;  // false: the layout of the outputs does not change
  bool worth_transposing = false;     // transpose inputs without a channels-last copy
  bool only_in_integers = false;      // only if nodes of quantised data are computed in integers
};

}  // namespace wasmvino::model
