// SPDX-License-Identifier: Apache-2.0
// Recognises operations with one number per channel: biases and scales.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/node.h"

namespace wasmvino::passes {

// If `source` is an f32 constant that, broadcast to `shape`, has one value per index of axis `axis`, or one
// value for all, returns one value per index. Returns nullopt for other values, or if that dimension is
// dynamic.
std::optional<std::vector<float>> values_by_channel(model::Source source, const PartialShape& shape,
                                                    size_t axis);

// The other input of a binary operation with such a constant. This input has the shape of the output.
struct ByChannel {
  model::Source data;
  std::vector<float> values;
};
// Matches a node of this type that combines f32 data with a constant by channel, in either order, by numpy's
// rule.
std::optional<ByChannel> by_channel(const model::Node& node, std::string_view type, size_t axis);
// Matches a node that multiplies data by such values, or divides data by them (`values` are then the
// reciprocals). All values are finite.
std::optional<ByChannel> scaled_by_channel(const model::Node& node, size_t axis);

// Matches a node that adds such values to data, or subtracts them from data (`values` are then negated).
std::optional<ByChannel> added_by_channel(const model::Node& node, size_t axis);

// If `next` adds such values to output 0 of `last`, adds them to `bias` and returns true. `bias` is a
// constant [size of the axis], or absent (its node is null). Returns false for other nodes.
bool add_bias(model::Model& model, const model::Node& next, const model::Node& last, size_t axis,
              model::Source& bias);

}  // namespace wasmvino::passes
