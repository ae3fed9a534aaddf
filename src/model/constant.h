// SPDX-License-Identifier: Apache-2.0
// The value of a constant, read from the weights when somebody first asks for it.
#pragma once

#include <memory>

#include "core/bytes.h"
#include "core/tensor.h"

namespace wasmvino::model {

class ConstantData {
 public:
  explicit ConstantData(Tensor value) : type_(value.type()), shape_(value.shape()), value_(std::move(value)) {}
  // `bytes` bytes at `offset` of `source`, which the caller has checked to lie inside and to fit the shape.
  ConstantData(ElementType type, Shape shape, std::shared_ptr<const ByteSource> source, size_t offset, size_t bytes)
      : type_(type), shape_(std::move(shape)), source_(std::move(source)), offset_(offset), bytes_(bytes) {}

  ElementType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  // The value; read from the source at the first call and kept until drop().
  const Tensor& value() const;
  // Forgets a value that the source can give again: packed weights then exist once in memory.
  void drop() const;

 private:
  ElementType type_;
  Shape shape_;
  std::shared_ptr<const ByteSource> source_;
  size_t offset_ = 0;
  size_t bytes_ = 0;
  mutable Tensor value_;
};

}  // namespace wasmvino::model
