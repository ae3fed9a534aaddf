// SPDX-License-Identifier: Apache-2.0
// Reads, computes and makes constants.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/node.h"

namespace wasmvino::passes {

// The value of a constant, or an empty tensor for other nodes.
Tensor constant_of(model::Source source);

// The value of a source that is computed from constants alone; nullopt for other sources.
std::optional<Tensor> computed_value(model::Source source);

// The value of an f32 constant with a single element.
std::optional<float> number_of(model::Source source);

model::Source add_constant(model::Model& model, std::string name,
                           std::shared_ptr<const model::ConstantData> value);
// The f32 constant of `from` with every element scaled: element i is multiplied by values[i / step % count].
// If `block` is not 0, each block of `block` elements has its own `count` values. The result is computed on
// demand. Once weights are packed, neither the result nor the constants it is computed from stay in memory.
model::Source add_scaled(model::Model& model, const model::Node& from, std::vector<float> values, size_t step,
                         size_t block = 0);
model::Source add_floats(model::Model& model, std::string name, Shape shape,
                         const std::vector<float>& values);

}  // namespace wasmvino::passes
