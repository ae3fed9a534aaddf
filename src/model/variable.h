// SPDX-License-Identifier: Apache-2.0
// The variables of ReadValue and Assign.
#pragma once

#include <string>
#include <vector>

#include "core/shape.h"
#include "core/tensor.h"

namespace wasmvino::model {

// A value that is kept between the runs of a request.
struct Variable {
  std::string id;
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  Tensor value;  // empty until set: ReadValue then returns its initial value
  // The axes of `value`: axis i is axis order[i] of the variable. Empty: as declared. Requests use another
  // order while they run (ReadValue, attribute `order`).
  Ints order;
  // Memory that begins with `value` and has room for it to grow. A variable that grows with each run is moved
  // only when this is full.
  Tensor reserve;
};
using Variables = std::vector<const Variable*>;

}  // namespace wasmvino::model
