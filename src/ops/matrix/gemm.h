// SPDX-License-Identifier: Apache-2.0
// Policy over kernels/gemm.h: matrices packed once, matmuls split among threads.
#pragma once

#include <memory>
#include <string_view>

#include "kernels/gemm.h"
#include "ops/quantised_data/quantised_constant.h"
#include "ops/quantised_data/quantised_matrices.h"

namespace wasmvino::ops {

// One or several matrices B [k][n] of equal sizes, packed for kernels::gemm.
class PackedMatrices {
 public:
  // Element (p, j) of matrix i is b[i * matrix_stride + p * k_stride + j * n_stride].
  PackedMatrices(const float* b, size_t count, size_t matrix_stride, size_t k, size_t n, size_t k_stride,
                 size_t n_stride);
  const float* matrix(size_t i) const { return memory_.data<float>() + i * kernels::packed_b_size(k_, n_); }

 private:
  size_t k_, n_;
  Tensor memory_;
};

// A large matmul is split into this many parts per thread. They are handed out dynamically, so that a thread
// that lost its core causes little delay.
inline constexpr size_t kPartsPerThread = 4;

// The best number of parts of about equal work for `threads` threads.
size_t gemm_parts(size_t threads, size_t m, size_t n, size_t k);

// Computes part `part` of `parts` of a matmul. Tall matmuls are split by rows, wide ones by columns. If B is
// packed during the run, the matmul is split by columns as long as there are enough, so that nothing is
// packed twice.
void gemm_part(const kernels::Gemm& gemm, const float* packed_b, size_t part, size_t parts);
void gemm_part(const kernels::Gemm& gemm, const float* b, size_t k_stride, size_t n_stride, float* scratch,
               size_t part, size_t parts);
void gemm_part(const kernels::Gemm& gemm, const kernels::QuantisedMatrix& b, float* scratch, size_t part,
               size_t parts);

// The transpose of a matrix W [n][k] that is all or a part of an f32 input. A constant input is packed at
// compile time, in its quantised form if it has one; other inputs are packed during the run.
class WeightMatrix {
 public:
  // Row j begins at element first + j * row_stride. The caller consumes the input when all matrices in it are
  // packed. `in_f32`: a quantised constant is packed in f32.
  WeightMatrix(CompileContext& context, size_t input, size_t first, size_t row_stride, size_t n, size_t k,
               bool in_f32 = false);
  // Floats of scratch memory that multiply() needs for up to `rows` rows.
  size_t scratch_size(const Parallel& parallel, size_t rows) const;
  // Computes `gemm` with this matrix as B and sets its n and k. `expanded` is what expand() wrote, or
  // nullptr. `backwards`: the last columns come first. If the matrix exceeds L2 and is read again and again,
  // alternating directions find a part of it there.
  void multiply(const EvalContext& context, const Parallel& parallel, kernels::Gemm gemm, float* scratch,
                const float* expanded = nullptr, bool backwards = false) const;
  // Floats that expand() writes; 0 if the matrix is not quantised.
  size_t expanded_size() const;
  // Dequantises the matrix, for callers that multiply by it repeatedly.
  void expand(const Parallel& parallel, float* to) const;

 private:
  // Scratch memory of one thread, in floats.
  size_t thread_scratch_size(size_t rows) const;

  size_t input_, first_, row_stride_, n_, k_;
  std::shared_ptr<const PackedMatrices> packed_;
  std::shared_ptr<const QuantisedMatrices> quantised_;
};

}  // namespace wasmvino::ops
