// SPDX-License-Identifier: Apache-2.0
// Row-major arrays. A TensorView refers to memory that somebody else owns. A Tensor keeps its memory alive
// and shares it with its views.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/element_type.h"
#include "core/shape.h"

namespace wasmvino {

template <typename T>
struct ElementTypeOf;  // ElementTypeOf<float>::value is ElementType::kF32

// Type, shape and memory of an array. Operations read and write these.
struct TensorView {
  ElementType type = ElementType::kDynamic;
  Shape shape;
  void* memory = nullptr;

  size_t size() const { return element_count(shape); }
  size_t byte_size() const { return storage_bytes(type, size()); }
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(memory);
  }
  template <typename T>
  T* mutable_data() {
    return static_cast<T*>(memory);
  }
};

class Tensor {
 public:
  Tensor() = default;
  // Allocates memory, aligned to 64 bytes. The values are undefined (strings: empty).
  // Throws Error(kOutOfMemory), which names the requested number of bytes.
  Tensor(ElementType type, Shape shape);
  // Refers to `memory`, which must outlive this tensor and its views.
  Tensor(ElementType type, Shape shape, void* memory);
  // Refers to `memory`, which `owner` keeps alive.
  Tensor(ElementType type, Shape shape, void* memory, std::shared_ptr<const void> owner);
  template <typename T>
  static Tensor of(Shape shape, const T* values) {
    Tensor tensor(ElementTypeOf<T>::value, std::move(shape));
    std::copy(values, values + tensor.size(), tensor.mutable_data<T>());
    return tensor;
  }
  template <typename T>
  static Tensor of(Shape shape, std::initializer_list<T> values) {
    return of(std::move(shape), values.begin());
  }
  template <typename T>
  static Tensor scalar(T value) {
    return of(Shape(), &value);
  }

  // False for a default-constructed tensor.
  explicit operator bool() const { return view_.type != ElementType::kDynamic; }
  ElementType type() const { return view_.type; }
  const Shape& shape() const { return view_.shape; }
  size_t size() const { return view_.size(); }
  size_t byte_size() const { return view_.byte_size(); }
  const TensorView& view() const { return view_; }
  // Whether other tensors refer to the same memory.
  bool is_shared() const { return owner_.use_count() > 1; }
  // The object that keeps the memory alive; null if somebody else does.
  const std::shared_ptr<const void>& owner() const { return owner_; }
  template <typename T>
  const T* data() const {
    return view_.data<T>();
  }
  template <typename T>
  T* mutable_data() {
    return view_.mutable_data<T>();
  }

  // The same memory in another shape with the same number of elements, row-major. Throws
  // Error(kInvalidShape).
  Tensor reshape(const Shape& shape) const;
  // numpy.reshape(order='F'): reads and writes the elements with the first axis changing fastest. Returns a
  // copy.
  Tensor reshape_column_major(const Shape& shape) const;
  // Elements begin..end (exclusive) of `axis`, as a view. The slice must be one block of memory: either all
  // axes before `axis` have size 1, or the slice is the whole tensor. Throws Error(kInvalidShape) otherwise.
  Tensor slice(size_t axis, int64_t begin, int64_t end) const;
  // A copy with memory of its own.
  Tensor clone() const;

 private:
  TensorView view_;
  std::shared_ptr<const void> owner_;
};

// Copies all elements (strings too). Types and sizes must match.
void copy_elements(const TensorView& from, TensorView& to);

// The integers of a tensor of any integral, boolean or real type. Reals are truncated and saturate; NaN
// becomes 0. Throws Error(kInvalidShape) for more than 2^20 elements, because it is meant for shapes, axes
// and the like.
Ints to_ints(const TensorView& tensor);
// All values of a numeric tensor as f64, sub-byte types included.
SmallVector<double, 6> to_doubles(const TensorView& tensor);

struct Float16;
struct BFloat16;
template <>
struct ElementTypeOf<bool> {
  static constexpr ElementType value = ElementType::kBoolean;
};
template <>
struct ElementTypeOf<float> {
  static constexpr ElementType value = ElementType::kF32;
};
template <>
struct ElementTypeOf<double> {
  static constexpr ElementType value = ElementType::kF64;
};
template <>
struct ElementTypeOf<Float16> {
  static constexpr ElementType value = ElementType::kF16;
};
template <>
struct ElementTypeOf<BFloat16> {
  static constexpr ElementType value = ElementType::kBf16;
};
template <>
struct ElementTypeOf<int8_t> {
  static constexpr ElementType value = ElementType::kI8;
};
template <>
struct ElementTypeOf<int16_t> {
  static constexpr ElementType value = ElementType::kI16;
};
template <>
struct ElementTypeOf<int32_t> {
  static constexpr ElementType value = ElementType::kI32;
};
template <>
struct ElementTypeOf<int64_t> {
  static constexpr ElementType value = ElementType::kI64;
};
template <>
struct ElementTypeOf<uint8_t> {
  static constexpr ElementType value = ElementType::kU8;
};
template <>
struct ElementTypeOf<uint16_t> {
  static constexpr ElementType value = ElementType::kU16;
};
template <>
struct ElementTypeOf<uint32_t> {
  static constexpr ElementType value = ElementType::kU32;
};
template <>
struct ElementTypeOf<uint64_t> {
  static constexpr ElementType value = ElementType::kU64;
};
template <>
struct ElementTypeOf<std::string> {
  static constexpr ElementType value = ElementType::kString;
};

}  // namespace wasmvino
