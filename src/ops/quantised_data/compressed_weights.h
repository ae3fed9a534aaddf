// SPDX-License-Identifier: Apache-2.0
// Matrices of quantised weights, as CompressedMatMul and CompressedGather read them.
#pragma once

#include <memory>
#include <vector>

#include "kernels/compressed.h"
#include "model/op.h"

namespace wasmvino::ops {

using kernels::kPanelColumns;

// Where elements lie in the constant that a model stores: an index counts through axes, the last one the
// fastest, and those of each lie `stride` elements apart. Axes of one element are left out.
struct StoredAxes {
  Ints sizes = {}, strides = {};

  void add(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
  friend bool operator==(const StoredAxes&, const StoredAxes&) = default;
};

size_t place_of(const StoredAxes& axes, size_t index);
// Those of indices 0 to `count` - 1.
std::vector<size_t> places_of(const StoredAxes& axes, size_t count);

// Matrices W [n][k], each element (value - zero point) * scale * scale of its column, with one scale and one
// zero point for each `group` elements of a row, or one zero point for a column.
//
// Up to four inputs of a node hold them, one behind the other:
//   values         constant, of a type of is_compressed_type
//   scales         f32 [matrices..., panels, groups, 8] for panels of 8 rows (CompressedMatrix::scales)
//   zero_points    u8 of the same shape, of integers; where not `has_zero_points`, zero_point is that of all
//   column_scales  f32 [matrices..., k]
//   column_zero_points  alike, in the place of zero_points
// Zero points of signed values are shifted as these are when they are packed: by 8 or 128.
struct CompressedForm {
  size_t n = 0, k = 0, group = 0;
  Shape matrices = {};                                // axes of several matrices
  StoredAxes of_matrices = {}, of_n = {}, of_k = {};  // an element's place is the sum of three
  bool has_scales = false, has_zero_points = false, has_column_scales = false, has_column_zero_points = false;
  float zero_point = 0.0f;

  size_t input_count() const {
    return 1 + (has_scales ? 1 : 0) + (has_zero_points ? 1 : 0) + (has_column_scales ? 1 : 0) +
           (has_column_zero_points ? 1 : 0);
  }
  bool has_columns() const { return has_column_scales || has_column_zero_points; }
  size_t groups() const { return group == 0 ? 1 : k / group; }
  size_t panels() const { return (n + kernels::kPanelColumns - 1) / kernels::kPanelColumns; }
  Shape transposed_shape() const;  // [matrices..., k, n]
  // Whether there is one matrix, stored row by row.
  bool is_plain() const;
  // Whether values are packed alike for both.
  bool packs_like(const CompressedForm& other) const;
};

// Types that values may have, and what kernels pack such constants as.
bool is_compressed_type(ElementType type);
kernels::WeightBits bits_of(const TensorView& values);
// What is added to values of a type when they are packed: 8, 128 or 0.
int shift_of(ElementType type);
// CompressedMatrix::table for a type; empty for those that need none.
std::vector<float> table_of(ElementType type);
// `count` values from `first` on, without scales and zero points.
void load_stored(const TensorView& values, size_t first, size_t count, float* to);

// The values packed, once for all nodes that read the constant.
class CompressedWeights {
 public:
  // Packs input `values`, which is constant and consumed. The other inputs follow it.
  CompressedWeights(CompileContext& context, size_t values, const CompressedForm& form);
  // Matrix i with scales and zero points where this run has them.
  kernels::CompressedMatrix matrix(const EvalContext& context, size_t i = 0) const;

 private:
  struct Packed {
    kernels::WeightBits bits;
    Tensor memory;
    std::vector<float> table;
  };

  size_t values_;
  CompressedForm form_;
  std::shared_ptr<const Packed> packed_;
};

}  // namespace wasmvino::ops
