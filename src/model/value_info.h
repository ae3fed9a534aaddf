// SPDX-License-Identifier: Apache-2.0
// What is known about a value before anything runs.
#pragma once

#include <memory>

#include "core/shape.h"
#include "core/tensor.h"
#include "model/constant.h"

namespace wasmvino::model {

// Type, shape, and the value itself if it is constant.
struct ValueInfo {
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  std::shared_ptr<const ConstantData> constant;

  static ValueInfo of(const Tensor& tensor) {
    return {tensor.type(), tensor.shape(), std::make_shared<ConstantData>(tensor)};
  }
};

}  // namespace wasmvino::model
