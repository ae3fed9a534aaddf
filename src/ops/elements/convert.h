// SPDX-License-Identifier: Apache-2.0
// Elements of one type from elements of another, block by block.
#pragma once

#include <cstddef>

#include "core/parallel.h"
#include "core/tensor.h"

namespace wasmvino::ops {

// Elements that are converted at a time where two steps are needed; every sub-byte type fills whole bytes
// with them.
inline constexpr size_t kConvertBlock = 256;

// What OpenVINO's Convert does: integers wrap around, reals are truncated towards zero; what does not fit the
// integers of 32 bits (64 bits for i64, u32 and u64), NaN included, becomes the smallest of them and then
// wraps, as x86 has it; boolean is x != 0; reals are rounded to nearest, ties to even.
class Conversion {
 public:
  // Between any two types but string and dynamic; throws Error(kUnsupported) for these.
  Conversion(ElementType from, ElementType to);
  Conversion() = default;

  // True where the elements are copied as they are.
  bool is_identity() const { return direct_ == nullptr && load_ == nullptr; }
  // Reads and writes `count` elements; sub-byte ones begin at the first bit of a byte.
  void run(const void* from, void* to, size_t count) const;

 private:
  using Loop = void (*)(ElementType type, const void* from, void* to, size_t count);

  ElementType from_ = ElementType::kDynamic;
  ElementType to_ = ElementType::kDynamic;
  Loop direct_ = nullptr;
  // Otherwise by way of i64 or f64.
  Loop load_ = nullptr;
  Loop store_ = nullptr;
};

// Converts all elements; the tensors have the same size.
void convert_elements(const TensorView& from, TensorView& to, const Parallel& parallel);

}  // namespace wasmvino::ops
