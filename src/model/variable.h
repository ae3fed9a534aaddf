// SPDX-License-Identifier: Apache-2.0
// The variables of ReadValue and Assign.
#pragma once

#include <string>
#include <vector>

#include "core/shape.h"
#include "core/tensor.h"

namespace wasmvino::model {

// How a plan keeps the elements of a variable. kU8: each row ends with its scale and its least element
// (kernels/cache_rows.h), so the last axis is longer than declared. Callers of the API see f32.
// Ordered from the most precise one.
enum class VariablePrecision : uint8_t { kF32, kF16, kU8 };

// How plans keep the variables with keys and with values of attention.
struct CachePrecision {
  VariablePrecision keys = VariablePrecision::kF32, values = VariablePrecision::kF32;
};

// How a plan keeps a variable.
struct VariableForm {
  // Axis i in memory is axis order[i] of the model's variable. Empty: the same.
  Ints order = {};
  VariablePrecision precision = VariablePrecision::kF32;

  friend bool operator==(const VariableForm&, const VariableForm&) = default;
};

// A value that is kept between the runs of a request.
struct Variable {
  std::string id;
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  Tensor value;  // empty until set: ReadValue then returns its initial value
  // The form of `value`. Requests use another one than the declared while they run (ReadValue, attribute
  // `form`).
  VariableForm form;
  // Memory that begins with `value` and has room for it to grow. A variable that grows with each run is moved
  // only when this is full.
  Tensor reserve;
};
using Variables = std::vector<const Variable*>;

}  // namespace wasmvino::model
