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
};
using Variables = std::vector<const Variable*>;

}  // namespace wasmvino::model
