// SPDX-License-Identifier: Apache-2.0
// What kernels make of quantised constants: packed matrices, and tables of which they read single rows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/quantised_matrix.h"
#include "ops/quantised_data/quantised_constant.h"

namespace wasmvino::ops {

using kernels::kPanelColumns;

// Matrices of a quantised constant, packed with their scales and zero points for kernels::gemm.
class QuantisedMatrices {
 public:
  QuantisedMatrices(const QuantisedConstant& value, const PackRecipe& recipe);
  QuantisedMatrices(const QuantisedMatrices&) = delete;  // matrices point to other members
  size_t count() const { return matrices_.size(); }
  const kernels::QuantisedMatrix& matrix(size_t i = 0) const { return matrices_[i]; }
  const kernels::QuantisedMatrix* matrices() const { return matrices_.data(); }

 private:
  struct Parameters {
    std::vector<float> scales;         // [panels][groups][8]
    std::vector<uint8_t> zero_points;  // [panels][groups][8]
    std::vector<float> row_scales, row_zero_points;
  };
  Tensor values_;
  std::vector<float> table_;
  std::vector<Parameters> parameters_;
  std::vector<kernels::QuantisedMatrix> matrices_;
};

// The quantised form of an input of a node; nullptr if it is not quantised.
const QuantisedConstant* quantised_input(const CompileContext& context, size_t input);

// Matrices B [k][n] of a value: element (p, j) of matrix i is element first + i * k * n + p * k_stride + j *
// n_stride of the value. One index runs along the last axis of the value, the other one from row to row.
struct MatrixStrides {
  size_t first, k_stride, n_stride, k, n, count = 1;
};
PackRecipe recipe_of(const QuantisedConstant& value, const MatrixStrides& strides);

// Packs the matrices of an input. Kernels that need the same form share the result. Returns nullptr if the
// input is not quantised. The caller consumes the input.
std::shared_ptr<const QuantisedMatrices> quantised_matrices(CompileContext& context, size_t input,
                                                            const MatrixStrides& strides);

// A quantised input of which a kernel reads only some elements. of() consumes the input and keeps its
// quantised form in memory. It returns nullopt if the input is not quantised.
class QuantisedTable {
 public:
  // If matmuls read the same constant [n][k] as B = its transpose, `packed` lets the table use their form, so
  // that the weights exist once in memory.
  static std::optional<QuantisedTable> of(CompileContext& context, size_t input, bool packed = false);
  void load(size_t first, size_t count, float* to) const;

 private:
  // One of these two.
  std::shared_ptr<const DequantisedElements> elements_;
  std::shared_ptr<const QuantisedMatrices> packed_;
};

}  // namespace wasmvino::ops
