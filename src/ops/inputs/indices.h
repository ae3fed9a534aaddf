// SPDX-License-Identifier: Apache-2.0
// Reads indices from tensors of any integer type.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/tensor.h"

namespace wasmvino::ops {

// Element `i` of a tensor of type i32 or i64.
inline int64_t index_at(const TensorView& tensor, size_t i) {
  return tensor.type == ElementType::kI32 ? tensor.data<int32_t>()[i] : tensor.data<int64_t>()[i];
}

// Loads elements [first, first + count) as 64-bit integers. Reals are truncated towards zero; NaN gives the
// smallest integer.
void load_integers(const TensorView& tensor, size_t first, size_t count, int64_t* to);

// Element i as a 64-bit integer.
inline int64_t load_integer(const TensorView& tensor, size_t i) {
  int64_t value = 0;
  load_integers(tensor, i, 1, &value);
  return value;
}

// Calls body(i, index) for elements [first, last). Reads them in batches, so that the type is checked once
// per batch.
template <typename Body>
void for_indices(const TensorView& indices, size_t first, size_t last, const Body& body) {
  int64_t batch[128];
  while (first < last) {
    const size_t count = std::min(last - first, std::size(batch));
    load_integers(indices, first, count, batch);
    for (size_t i = 0; i < count; ++i) body(first + i, batch[i]);
    first += count;
  }
}

}  // namespace wasmvino::ops
