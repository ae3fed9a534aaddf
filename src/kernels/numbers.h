// SPDX-License-Identifier: Apache-2.0
// Converts runs of elements of any numeric type to and from one wide type. Code that computes in double or in
// 64-bit integers is thus written once for all tensor types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/element_type.h"

namespace wasmvino::kernels {

// Reads `count` elements, `stride` elements apart, starting at index `first`.
template <typename Wide>
using LoadNumbers = void (*)(const void* memory, size_t first, size_t stride, size_t count, Wide* to);
// Writes `count` elements, `stride` elements apart, starting at index `first`.
template <typename Wide>
using StoreNumbers = void (*)(const Wide* from, size_t count, void* memory, size_t first, size_t stride);

// Valid combinations: Wide is float or double for floating point types, float also for integers that are
// computed in it, int64_t for boolean and integers up to i64 and u32, uint64_t for u64. Throws
// Error(kUnsupported) for other types.
template <typename Wide>
LoadNumbers<Wide> number_loader(ElementType type);
// Floating point elements are rounded to nearest. Integers stored from float are rounded to nearest, ties to
// even, and saturate. Otherwise integers of 8 and 16 bits saturate and wider ones wrap. boolean is `!= 0`.
template <typename Wide>
StoreNumbers<Wide> number_storer(ElementType type);

extern template LoadNumbers<float> number_loader<float>(ElementType);
extern template LoadNumbers<double> number_loader<double>(ElementType);
extern template LoadNumbers<int64_t> number_loader<int64_t>(ElementType);
extern template LoadNumbers<uint64_t> number_loader<uint64_t>(ElementType);
extern template StoreNumbers<float> number_storer<float>(ElementType);
extern template StoreNumbers<double> number_storer<double>(ElementType);
extern template StoreNumbers<int64_t> number_storer<int64_t>(ElementType);
extern template StoreNumbers<uint64_t> number_storer<uint64_t>(ElementType);

}  // namespace wasmvino::kernels
