// SPDX-License-Identifier: Apache-2.0
// Shared by passes that match decomposed operations: operations on numbers, and products of factors.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/elementwise.h"

namespace wasmvino::passes {

// The operation of f32 that makes a value, if it is of this type and, where it takes two values, broadcasts
// by numpy's rule; else nullptr.
model::Node* made_by(model::Source source, std::string_view type);

// A value combined with a number that does not change its shape, in any order for Add, Multiply, Maximum and
// Minimum, else with the number behind it.
struct WithNumber {
  model::Source data;
  float number;
};
std::optional<WithNumber> with_number(model::Source source, std::string_view type);
// The other operand, where the number is `number` within a relative 1e-5: exporters round constants.
std::optional<model::Source> with_number(model::Source source, std::string_view type, float number);
bool about(float value, float expected);

// The factors of a product: multiplications, divisions by numbers, squares and cubes without other users.
struct Factors {
  float number = 1.0f;
  std::vector<model::Source> values;

  // The other factor of two, where one is `value`.
  std::optional<model::Source> beside(model::Source value) const;
  // Whether the product is `value` times a number.
  bool is_multiple_of(model::Source value) const { return is_power_of(value, 1); }
  bool is_power_of(model::Source value, size_t exponent) const;
};
Factors factors_of(model::Source source);
// `source` itself may have other users.
Factors factors_of_all(model::Source source);

// The data of a reduction that keeps the dimension of one constant axis; `axis` is set to it, from 0 on.
std::optional<model::Source> reduced_along(model::Source source, std::string_view type, size_t& axis);

}  // namespace wasmvino::passes
