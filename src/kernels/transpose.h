// SPDX-License-Identifier: Apache-2.0
// Transposition of matrices, the one data movement that neither runs nor strides handle well.
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

// to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns. Strides are in elements of
// element_size bytes: 1, 2, 4 or 8. No overlap. Narrow matrices of up to 4 rows or columns (NHWC images to
// NCHW and back) use interleaving loads and stores, others use tiles in registers.
void transpose(const void* from, size_t from_stride, void* to, size_t to_stride, size_t rows, size_t columns,
               size_t element_size);

}  // namespace wasmvino::kernels
