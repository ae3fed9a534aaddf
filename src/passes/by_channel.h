// SPDX-License-Identifier: Apache-2.0
// Operations with one number for each channel: biases and scales.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/node.h"

namespace wasmvino::passes {

// A constant of f32 that, broadcast to `shape`, has one value for each index of axis `axis`, or one for all:
// these values, as many as the axis has indices. Nothing for other values, or if that dimension is dynamic.
std::optional<std::vector<float>> values_by_channel(model::Source source, const PartialShape& shape,
                                                    size_t axis);

// The input of an operation of two that is combined with such a constant, whose shape the output has.
struct ByChannel {
  model::Source data;
  std::vector<float> values;
};
// Where a node of this type combines f32 data with a constant by channel, in any order, by numpy's rule.
std::optional<ByChannel> by_channel(const model::Node& node, std::string_view type, size_t axis);
// Where a node multiplies data by such values or divides it by them (they are the reciprocals then), all
// finite.
std::optional<ByChannel> scaled_by_channel(const model::Node& node, size_t axis);

// Where a node adds such values to data or subtracts them from it (they are negative then).
std::optional<ByChannel> added_by_channel(const model::Node& node, size_t axis);

// Where `next` does so to output 0 of `last`, `bias` becomes the sum of the values with what it is: a
// constant [size of the axis], or nothing (its node is null). False for other nodes.
bool add_bias(model::Model& model, const model::Node& next, const model::Node& last, size_t axis,
              model::Source& bias);

}  // namespace wasmvino::passes
