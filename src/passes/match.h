// SPDX-License-Identifier: Apache-2.0
// Shared by passes that match decomposed operations: operations with numbers, and products of factors.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/elementwise.h"

namespace wasmvino::passes {

// The f32 operation that produces a value, if it has this type and, when binary, broadcasts by numpy's rule;
// otherwise nullptr.
model::Node* made_by(model::Source source, std::string_view type);

// The order of a Transpose, if it is constant. Empty for other operations.
Ints transpose_order(const model::Node& node);

// A value combined with a number that does not change its shape. For Add, Multiply, Maximum and Minimum the
// operands may be in either order; for others the number is the second operand.
struct WithNumber {
  model::Source data;
  float number;
};
std::optional<WithNumber> with_number(model::Source source, std::string_view type);
// The other operand, if the number equals `number` within a relative 1e-5, since exporters round constants.
std::optional<model::Source> with_number(model::Source source, std::string_view type, float number);
bool about(float value, float expected);

// The factors of a product. Multiplications, divisions by numbers, squares and cubes are expanded if they
// have no other users.
struct Factors {
  float number = 1.0f;
  std::vector<model::Source> values;

  // If there are two factors and one of them is `value`, the other one.
  std::optional<model::Source> beside(model::Source value) const;
  // Whether the product is `value` times a number.
  bool is_multiple_of(model::Source value) const { return is_power_of(value, 1); }
  bool is_power_of(model::Source value, size_t exponent) const;
};
Factors factors_of(model::Source source);
// The same, but `source` itself may have other users.
Factors factors_of_all(model::Source source);

// The data of a reduction over one constant axis that keeps the dimension. `axis` is set to that axis,
// counted from 0.
std::optional<model::Source> reduced_along(model::Source source, std::string_view type, size_t& axis);

}  // namespace wasmvino::passes
