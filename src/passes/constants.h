// SPDX-License-Identifier: Apache-2.0
// Values that are constant: read, computed, made.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/node.h"

namespace wasmvino::passes {

// The value of a constant; no tensor for what is none.
Tensor constant_of(model::Source source);

// The value of what is computed from constants alone, nothing for other values.
std::optional<Tensor> computed_value(model::Source source);

// The only value of a constant of f32.
std::optional<float> number_of(model::Source source);

model::Source add_constant(model::Model& model, std::string name,
                           std::shared_ptr<const model::ConstantData> value);
// The constant of `from`, f32, with each element multiplied: element i by values[i / step % count], where
// blocks of `block` elements have `count` values of their own (`block` 0: there is one). It is computed when
// somebody asks: once weights are packed, neither they nor those that they are computed from stay in memory.
model::Source add_scaled(model::Model& model, const model::Node& from, std::vector<float> values, size_t step,
                         size_t block = 0);
model::Source add_floats(model::Model& model, std::string name, Shape shape,
                         const std::vector<float>& values);

}  // namespace wasmvino::passes
