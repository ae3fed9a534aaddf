// SPDX-License-Identifier: Apache-2.0
// Matrices of quantised weights, used by CompressedMatMul and CompressedGather.
#pragma once

#include <memory>
#include <vector>

#include "kernels/compressed.h"
#include "model/op.h"

namespace wasmvino::ops {

using kernels::kPanelColumns;

// Maps indices to elements of a constant in the model. An index is split into indices along axes, the last
// axis innermost. Along each axis, elements are `stride` apart. Axes of size 1 are omitted.
struct StoredAxes {
  Ints sizes = {}, strides = {};

  void add(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
  friend bool operator==(const StoredAxes&, const StoredAxes&) = default;
};

size_t place_of(const StoredAxes& axes, size_t index);
// Returns the elements for indices 0 to `count` - 1.
std::vector<size_t> places_of(const StoredAxes& axes, size_t count);

// The layout of matrices W [n][k]. Each element is (value - zero point) * scale * scale of its column. Each
// group of `group` elements of a row has one scale and one zero point. Alternatively, each column has one
// zero point.
//
// Up to four consecutive inputs of a node hold the matrices:
//   values         constant, of a type that is_compressed_type() accepts
//   scales         f32 [matrices..., panels, groups, 8] for panels of 8 rows (CompressedMatrix::scales)
//   zero_points    u8 of the same shape, for integers; without `has_zero_points`, zero_point applies to all
//   column_scales  f32 [matrices..., k]
//   column_zero_points  the same, instead of zero_points
// The zero points of signed values are shifted like packed values: by 8 or 128.
struct CompressedForm {
  size_t n = 0, k = 0, group = 0;
  Shape matrices = {};                                // the outer axes, if there are several matrices
  StoredAxes of_matrices = {}, of_n = {}, of_k = {};  // the sum of all three locates an element
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
  // Whether both forms pack values to the same bytes.
  bool packs_like(const CompressedForm& other) const;
};

// The types that values may have, and the form in which kernels pack them.
bool is_compressed_type(ElementType type);
kernels::WeightBits bits_of(const TensorView& values);
// The number added to values of a type when they are packed: 8, 128 or 0.
int shift_of(ElementType type);
// CompressedMatrix::table for a type; empty for those that need none.
std::vector<float> table_of(ElementType type);
// Loads `count` values, starting at `first`, without applying scales and zero points.
void load_stored(const TensorView& values, size_t first, size_t count, float* to);

// Packed values, shared by all nodes that use the constant.
class CompressedWeights {
 public:
  // Packs and consumes the constant input `values`. The scales and zero points are the inputs after it.
  CompressedWeights(CompileContext& context, size_t values, const CompressedForm& form);
  // Returns matrix i. Its scales and zero points point to the inputs of this run.
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
