// SPDX-License-Identifier: Apache-2.0
// Policy over kernels/gemm.h: matrices packed once, matmuls split among threads.
#pragma once

#include <memory>
#include <string_view>

#include "kernels/gemm.h"
#include "ops/quantised_data/stored_constant.h"

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

// Parts per thread that a large matmul is split into. They are handed out dynamically, so that a thread that
// lost its core causes little delay.
inline constexpr size_t kPartsPerThread = 4;

// The number of parts of about equal work into which splitting a matmul pays for `threads` threads.
size_t gemm_parts(size_t threads, size_t m, size_t n, size_t k);

// Part `part` of `parts` of a matmul: rows of a tall one, columns of a wide one. If B is packed during the
// run, it is split by columns as long as there are enough, so that nothing is packed twice.
void gemm_part(const kernels::Gemm& gemm, const float* packed_b, size_t part, size_t parts);
void gemm_part(const kernels::Gemm& gemm, const float* b, size_t k_stride, size_t n_stride, float* scratch,
               size_t part, size_t parts);
void gemm_part(const kernels::Gemm& gemm, const kernels::CompressedMatrix& b, float* scratch, size_t part,
               size_t parts);

// The transpose of a matrix W [n][k] that is, or lies in, an input of type f32: packed at once where that is
// constant, in its quantised form if it has one, else during the run.
class WeightMatrix {
 public:
  // Row j stands at element first + j * row_stride. The caller consumes the input when all that lies in it is
  // packed.
  WeightMatrix(CompileContext& context, size_t input, size_t first, size_t row_stride, size_t n, size_t k);
  // Floats of scratch that multiply() needs for so many rows or fewer.
  size_t scratch_size(const Parallel& parallel, size_t rows) const;
  // Computes `gemm` with this as B; its n and k are set here. `expanded`: what expand() wrote, or nullptr.
  void multiply(const EvalContext& context, const Parallel& parallel, kernels::Gemm gemm, float* scratch,
                const float* expanded = nullptr) const;
  // Floats of the expanded matrix if it is quantised, else 0.
  size_t expanded_size() const;
  // Writes that many floats, for callers that multiply by the matrix repeatedly.
  void expand(const Parallel& parallel, float* to) const;

 private:
  // Of one thread.
  size_t thread_scratch_size(size_t rows) const;

  size_t input_, first_, row_stride_, n_, k_;
  std::shared_ptr<const PackedMatrices> packed_;
  std::shared_ptr<const StoredMatrix> stored_;
};

}  // namespace wasmvino::ops
