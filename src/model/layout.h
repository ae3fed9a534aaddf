// SPDX-License-Identifier: Apache-2.0
// How tensors with channels lie in memory, and what an operation becomes where they lie channels last.
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

// Of input 0 and output 0.
struct EdgeLayouts {
  Layout in = Layout::kChannelsFirst;
  Layout out = Layout::kChannelsFirst;
};

// Whether tensors of such a shape have one to three spatial axes.
bool has_spatial_axes(const PartialShape& shape);
// The orders of the Transposes to channels last, 0 2 3 ... 1, and back, 0 rank-1 1 2 ...
Ints order_to_channels_last(size_t rank);
Ints order_to_channels_first(size_t rank);
// Where an axis of a channels-first tensor is in a channels-last one. Negative axes count from the end.
int64_t channels_last_axis(int64_t axis, size_t rank);
Ints channels_last_axes(const Ints& axes, size_t rank);
// A shape with spatial axes in the other layout; one of unknown rank stays.
PartialShape relaid(const PartialShape& shape, Layout from, Layout to);

// How a node reads an input where its data are channels last.
struct ChannelsLastInput {
  enum class Kind : uint8_t {
    kUnchanged,
    kChannelsLast,  // as a channels-last copy; a constant may have fewer axes than the output and is aligned
                    // at the last
    kReplaced,      // as another constant
  };
  Kind kind = Kind::kUnchanged;
  Tensor value = {};  // of kReplaced
};

// A node made anew for channels-last data. It is of use where all inputs that it takes as channels last have
// such a copy or are constant.
struct ChannelsLastForm {
  explicit ChannelsLastForm(size_t input_count) : inputs(input_count) {}

  void take(size_t i) { inputs[i].kind = ChannelsLastInput::Kind::kChannelsLast; }
  void replace(size_t i, Tensor value) { inputs[i] = {ChannelsLastInput::Kind::kReplaced, std::move(value)}; }
  void replace(size_t i, const Ints& values);

  std::vector<ChannelsLastInput> inputs;
  std::shared_ptr<Op> op = nullptr;   // nullptr: the operation as it is
  std::string_view type = {};         // of `op`, where that is an operation of the passes' own
  size_t outputs = 0;                 // of the new node; 0: as many as before
  bool outputs_channels_last = true;  // else they are as before
  bool worth_transposing = false;     // inputs without a channels-last copy are transposed
};

}  // namespace wasmvino::model
