// SPDX-License-Identifier: Apache-2.0
// Runs of elements of any numeric type as numbers of one wide type: what is computed in double or in 64-bit
// integers is then written once, whatever the tensor holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/element_type.h"

namespace wasmvino::kernels {

// Reads `count` elements from index `first` on, `stride` elements apart.
template <typename Wide>
using LoadNumbers = void (*)(const void* memory, size_t first, size_t stride, size_t count, Wide* to);
// Writes `count` elements from index `first` on, `stride` elements apart.
template <typename Wide>
using StoreNumbers = void (*)(const Wide* from, size_t count, void* memory, size_t first, size_t stride);

// Wide is float or double for floating point types, float for integers that are computed in it, int64_t for
// boolean and integers up to i64 and u32, uint64_t for u64. Throws Error(kUnsupported) for other types.
template <typename Wide>
LoadNumbers<Wide> number_loader(ElementType type);
// Floating point is rounded to nearest; integers from float are, too, ties to even, and saturate. Else
// integers of 8 and 16 bits are saturated, wider ones wrap; boolean is
// `!= 0`.
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
