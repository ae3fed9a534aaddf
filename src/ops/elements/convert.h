// SPDX-License-Identifier: Apache-2.0
// Converts elements from one type to another, block by block.
#pragma once

#include <cstddef>

#include "core/parallel.h"
#include "core/tensor.h"

namespace wasmvino::ops {

// Elements per block where a conversion takes two steps. With this number, every sub-byte type fills whole
// bytes.
inline constexpr size_t kConvertBlock = 256;

// Converts as OpenVINO's Convert does. Integers wrap around. Reals are truncated towards zero for integers,
// and rounded to nearest, ties to even, for other reals. NaN and reals beyond 32-bit integers (64-bit for
// i64, u32 and u64) become the smallest of these integers, as on x86, and then wrap. boolean is x != 0.
class Conversion {
 public:
  // Between any two types except string and dynamic, for which it throws Error(kUnsupported).
  Conversion(ElementType from, ElementType to);
  Conversion() = default;

  // True if the elements are copied unchanged.
  bool is_identity() const { return direct_ == nullptr && load_ == nullptr; }
  // Converts `count` elements; sub-byte elements start at the first bit of a byte.
  void run(const void* from, void* to, size_t count) const;

 private:
  using Loop = void (*)(ElementType type, const void* from, void* to, size_t count);

  ElementType from_ = ElementType::kDynamic;
  ElementType to_ = ElementType::kDynamic;
  Loop direct_ = nullptr;
  // Without a direct loop: by way of i64 or f64.
  Loop load_ = nullptr;
  Loop store_ = nullptr;
};

// Converts all elements. The tensors must have the same size.
void convert_elements(const TensorView& from, TensorView& to, const Parallel& parallel);

}  // namespace wasmvino::ops
