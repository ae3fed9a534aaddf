// SPDX-License-Identifier: Apache-2.0
// Policy over kernels/gemm.h: matrices packed once, products shared among threads.
#pragma once

#include <memory>
#include <vector>

#include "core/parallel.h"
#include "core/tensor.h"
#include "kernels/gemm.h"

namespace wasmvino::ops {

// One or several matrices B [k][n] of equal sizes, packed for kernels::gemm.
class PackedMatrices {
 public:
  // Element (p, j) of matrix i stands at b[i * matrix_stride + p * k_stride + j * n_stride].
  PackedMatrices(const float* b, size_t count, size_t matrix_stride, size_t k, size_t n, size_t k_stride,
                 size_t n_stride);
  const float* matrix(size_t i) const { return memory_.data<float>() + i * kernels::packed_b_size(k_, n_); }

 private:
  size_t k_, n_;
  Tensor memory_;
};

// Into how many parts of about equal work a product is worth cutting for `threads` threads.
size_t gemm_parts(size_t threads, size_t m, size_t n, size_t k);

// Part `part` of `parts` of a product: rows where it is high, columns where it is wide.
void gemm_part(const kernels::Gemm& gemm, const float* packed_b, size_t part, size_t parts);
void gemm_part(const kernels::Gemm& gemm, const float* b, size_t k_stride, size_t n_stride, float* scratch,
               size_t part, size_t parts);

// The whole product on all threads.
void parallel_gemm(const Parallel& parallel, const kernels::Gemm& gemm, const float* packed_b);

}  // namespace wasmvino::ops
