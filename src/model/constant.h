// SPDX-License-Identifier: Apache-2.0
// The value of a constant, read from the weights on demand.
#pragma once

#include <memory>

#include "core/bytes.h"
#include "core/tensor.h"

namespace wasmvino::model {

class ConstantData {
 public:
  explicit ConstantData(Tensor value) : type_(value.type()), shape_(value.shape()), kept_(std::move(value)) {}
  // Refers to `bytes` bytes at `offset` of `source`. The caller has checked that they are inside the source
  // and fit the shape.
  ConstantData(ElementType type, Shape shape, std::shared_ptr<const ByteSource> source, size_t offset,
               size_t bytes)
      : type_(type), shape_(std::move(shape)), source_(std::move(source)), offset_(offset), bytes_(bytes) {}

  ElementType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  // Returns the value. The caller owns the tensor: large values from a source are not kept here, so weights
  // that a kernel packed exist only once in memory. If a value is needed again after all its owners released
  // it, it is read again from the source.
  Tensor value() const;
  // Tells the source that several operations read the value.
  void keep_source() const;

 private:
  ElementType type_;
  Shape shape_;
  std::shared_ptr<const ByteSource> source_;
  size_t offset_ = 0;
  size_t bytes_ = 0;
  // A small value, or one without a source.
  mutable Tensor kept_;
  // The memory of a large value, while anything holds it.
  mutable std::weak_ptr<const void> held_;
  mutable void* held_memory_ = nullptr;
};

}  // namespace wasmvino::model
