// SPDX-License-Identifier: Apache-2.0
// Arrays for tests of data movement.
#pragma once

#include <string>

#include "op_tester.h"

namespace wasmvino::test {

// 0, 1, 2 ... in row-major order.
template <typename T = float>
Tensor iota(const Shape& shape) {
  Tensor tensor(ElementTypeOf<T>::value, shape);
  for (size_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<T>()[i] = static_cast<T>(i);
  return tensor;
}

inline Tensor i64s(std::initializer_list<int64_t> values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

inline Tensor i32s(std::initializer_list<int32_t> values) {
  return Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values);
}

// "0", "1", ...
inline Tensor strings(const Shape& shape) {
  Tensor tensor(ElementType::kString, shape);
  for (size_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<std::string>()[i] = std::to_string(i);
  return tensor;
}

// A value whose type and shape are known, but not its elements.
inline model::ValueInfo open(ElementType type, PartialShape shape) {
  return {type, std::move(shape), nullptr};
}

inline std::string infer_shape(const std::string& type, int opset, const model::AttributeTexts& attributes,
                               const std::vector<model::ValueInfo>& inputs) {
  return to_string(infer_op(type, opset, attributes, inputs)[0].shape);
}

// Shape and elements as text, for short expectations: "[2,2] 0 1 2 3".
inline std::string text_of(const Tensor& tensor) {
  std::string text = to_string(tensor.shape());
  if (tensor.type() == ElementType::kString) {
    for (size_t i = 0; i < tensor.size(); ++i) text += ' ' + tensor.data<std::string>()[i];
  } else {
    for (const double value : to_doubles(tensor.view())) text += ' ' + to_string(value);
  }
  return text;
}

}  // namespace wasmvino::test
