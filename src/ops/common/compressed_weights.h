// SPDX-License-Identifier: Apache-2.0
// Matrices of weights that stay as few bits as the model stores: what CompressedMatMul and CompressedGather
// read.
#pragma once

#include <memory>

#include "kernels/compressed.h"
#include "model/op.h"

namespace wasmvino::ops {

// W [n][k] = (value - zero point) * scale, one scale and one zero point for each `group` elements of a row.
//
// Up to three inputs of a node hold it, one behind the other:
//   values       constant, f16, bf16, i8, u8, i4 or u4, [n][k] or (`by_depth`) [k][n]
//   scales       f32 [panels, groups, 8] for panels of 8 rows (CompressedMatrix::scales); for integers only
//   zero_points  u8 of the same shape; where not `has_zero_points`, zero_point is that of all
// Zero points of signed values are shifted as these are when they are packed: by 8 or 128.
struct CompressedForm {
  size_t n = 0, k = 0, group = 0;
  bool by_depth = false;
  bool has_scales = false, has_zero_points = false;
  float zero_point = 0.0f;

  size_t input_count() const { return 1 + (has_scales ? 1 : 0) + (has_zero_points ? 1 : 0); }
  size_t groups() const { return group == 0 ? 1 : k / group; }
};

// Types that values may have, and what kernels call them.
bool is_compressed_type(ElementType type);
kernels::WeightBits bits_of(ElementType type);
// What is added to values of a type when they are packed: 8, 128 or 0.
int shift_of(ElementType type);

// The values packed, once for all nodes that read the constant.
class CompressedWeights {
 public:
  // Packs input `values`, which is constant and consumed. Scales and zero points follow it.
  CompressedWeights(CompileContext& context, size_t values, const CompressedForm& form);
  // With scales and zero points where this run has them.
  kernels::CompressedMatrix matrix(const EvalContext& context) const;

 private:
  size_t values_;
  CompressedForm form_;
  ElementType type_;
  std::shared_ptr<const Tensor> packed_;
};

}  // namespace wasmvino::ops
