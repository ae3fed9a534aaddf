// SPDX-License-Identifier: Apache-2.0
// Finds or makes the u8 form of quantised values: results of FakeQuantize, and of Concat, Pad, maximum
// pooling and operations that copy elements of these. If a FakeQuantize follows elementwise operations on a
// quantised value, a table gives its levels.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/node.h"
#include "ops/internal/channels_last_pooling.h"
#include "passes/edit.h"

namespace wasmvino::passes {

// The quantisation of a value in u8.
inline const model::Quantization& levels_of(model::Source source) {
  return *model::port_of(source).quantization;
}

class QuantisedValues {
 public:
  explicit QuantisedValues(model::Model& model) : model_(model) {}

  // The value in u8, whose port has the quantisation. It is created if necessary. nullopt if the value is not
  // quantised.
  std::optional<model::Source> quantized(model::Source source);
  // What quantized() returned for the value; nullopt if it was not called.
  std::optional<model::Source> known(model::Source source) const;
  // Adds a Quantize of the data of a FakeQuantize. Multiplications and additions by channel before it become
  // part of it. A Relu before levels that represent no negative numbers changes nothing.
  model::Source add_quantize(model::Node& node, model::SharedQuantization quantization);

 private:
  // How elementwise operations compute a value from one quantised value.
  struct Function {
    model::Source data;  // in u8
    // Results of LookUps in u8 and of operations in f32, each after its inputs.
    std::vector<model::Source> steps;
    size_t channels = 1;  // 1 if no step depends on the channel
  };

  // Limits the recursion. Values beyond the limit stay f32.
  template <typename Make>
  std::optional<model::Source> one_deeper(const Make& make);
  std::optional<model::Source> make_quantized(model::Source source);
  model::Source add_u8(std::unique_ptr<model::Node> made, const PartialShape& shape,
                       model::SharedQuantization quantization);
  // `users`: the number of users of the data if no other node needs them.
  std::optional<model::Source> quantize(model::Node& node, size_t users = 1);
  // Quantises the parts of a Concat, if it has no other user. Operations that compute parts can then store
  // levels. Parts may be such Concats too. Levels by channel are cut if the Concat joins channels.
  std::optional<model::Source> quantize_parts(model::Node& node, const model::SharedQuantization& levels,
                                              size_t users);
  std::optional<Function> function_of(model::Source source);
  // The result of a function for all levels of its data, one row of channels for each.
  Tensor values_of(const Function& function, model::Source result, size_t channels);
  // If elementwise operations lead from a quantised value to a FakeQuantize, each level of that value gives
  // one level of the result.
  std::optional<model::Source> look_up(model::Node& node, const model::SharedQuantization& levels);
  // Layout operations copy elements, so they can copy bytes.
  std::optional<model::Source> copy(model::Source source);
  // Concatenates u8 values if all inputs have the same levels. Along channels, they may have others if one of
  // them has its own for each channel.
  std::optional<model::Source> concat(model::Node& node);
  // Pads with a constant, which must be a level, the same one for all channels.
  std::optional<model::Source> pad(model::Node& node);
  std::optional<model::Source> pool(model::Node& node, const ops::ChannelsLastPooling& pool);

  model::Model& model_;
  std::unordered_map<model::Source, std::optional<model::Source>, SourceHash> quantized_;
  size_t depth_ = 0;
};

}  // namespace wasmvino::passes
