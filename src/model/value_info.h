// SPDX-License-Identifier: Apache-2.0
// What is known about a value before anything runs.
#pragma once

#include <memory>

#include "core/shape.h"
#include "core/tensor.h"
#include "model/constant.h"
#include "model/quantization.h"

namespace wasmvino::model {

// Type, shape, the value itself if it is constant, and the quantisation of its elements if they are
// quantised.
struct ValueInfo {
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  std::shared_ptr<const ConstantData> constant;
  SharedQuantization quantization = nullptr;

  static ValueInfo of(const Tensor& tensor) {
    return {tensor.type(), tensor.shape(), std::make_shared<ConstantData>(tensor)};
  }
};

}  // namespace wasmvino::model
