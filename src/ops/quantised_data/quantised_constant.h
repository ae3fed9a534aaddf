// SPDX-License-Identifier: Apache-2.0
// Constants that stay quantised in memory. Passes recognise the patterns in which models write them and make
// nodes of type Constant whose operation is a QuantisedConstantOp. The value of such a node is f32. Kernels
// that multiply by it pack the quantised data, kernels that read single rows dequantise these, and for all
// other users the whole value is dequantised on demand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/op.h"
#include "ops/quantised_data/quantised_types.h"

namespace wasmvino::ops {

// Maps indices to elements of the stored data. An index is split into indices along axes, the last axis
// innermost. Along each axis, elements are `stride` apart. Axes of size 1 are omitted.
struct StridedAxes {
  Ints sizes = {}, strides = {};

  void add(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
  friend bool operator==(const StridedAxes&, const StridedAxes&) = default;
};

size_t place_of(const StridedAxes& axes, size_t index);

// One number for each stored element: a scale or a zero point. Many elements share the same number.
struct SharedNumbers {
  // Of any type that converts to f32. Read on demand: kernels pack their own copies.
  std::shared_ptr<const ConstantData> data;
  // Along each of these axes, the index into the numbers advances by the corresponding step.
  StridedAxes axes = {};
  Ints steps = {};

  static SharedNumbers of(const std::vector<float>& values, StridedAxes axes, Ints steps);
  // All numbers, in f32.
  std::vector<float> read() const;
  // Index of the number for the element at `place`.
  size_t index(size_t place) const;
  // Whether the number varies along any of these axes.
  bool varies_along(const StridedAxes& some) const { return least_run(some) > 0; }
  // Minimum length of runs of equal numbers along the axes; 0 if all are equal.
  size_t least_run(const StridedAxes& some) const;
};

// The matrices that a kernel multiplies by: element (p, j) of a matrix B [k][n] is the stored element rows[p]
// + columns[j].
struct MatrixPlaces {
  std::vector<size_t> rows, columns;
};
using PackRecipe = std::vector<MatrixPlaces>;

class QuantisedMatrices;  // quantised_matrices.h

// An f32 value whose elements are (stored - zero point) * the product of the scales. There may be one scale
// and zero point per tensor, per channel, per group, or any combination.
class QuantisedConstant final : public ByteSource {
 public:
  struct Parts {
    std::shared_ptr<const ConstantData> stored;  // of a type that is_quantised_type() accepts
    StridedAxes places = {};                     // maps elements of the value to elements of `stored`
    Ints axis_of = {};  // for each axis of `places`: the axis of the value that it is part of
    std::vector<SharedNumbers> scales = {};
    std::optional<SharedNumbers> zero_point = {};  // only for integers
  };
  QuantisedConstant(Shape shape, Parts parts);

  // Returns columns [first, first + count) of a matrix.
  QuantisedConstant columns(int64_t first, int64_t count) const;
  // Returns the value multiplied by one number for each index along `axes`, the last one innermost. Numbers
  // are equal in runs of `run`.
  QuantisedConstant scaled(std::initializer_list<size_t> axes, const std::vector<float>& numbers,
                           size_t run = 1) const;

  const Shape& shape() const { return shape_; }
  const Parts& parts() const { return parts_; }
  ElementType stored_type() const { return parts_.stored->type(); }
  size_t size() const override { return element_count(shape_) * sizeof(float); }
  void read(size_t offset, size_t count, void* to) const override;
  void keep(size_t offset, size_t count) const override;

  // The places along some axes of the value, merged into as few as possible.
  StridedAxes along(std::initializer_list<size_t> axes) const;
  // Axes `first` to `last` of the value, `last` excluded.
  StridedAxes between(size_t first, size_t last) const;
  // For each index along `axes`, the product of all scales. The scales must not vary along other axes.
  std::vector<float> scales_along(std::initializer_list<size_t> axes) const;
  // Whether all zero points are integers that fit a byte once they are shifted like packed values (shift_of).
  bool has_packable_zero_points() const;
  // The stored integers minus their zero points, in the order of the value; nullopt if one does not fit s8.
  std::optional<std::vector<int8_t>> integers() const;
  // Whether the type and the zero points alone show that they fit.
  bool surely_fits_s8() const;

  // Packs matrices for kernels that multiply by them. Each family of kernels has its recipes.
  std::shared_ptr<const QuantisedMatrices> pack(const PackRecipe& recipe) const;

  // Elements of a row along the last axis; 1 if there is none.
  size_t row_length() const;
  // If the value is seen as rows along its last axis, element (i, j) is the stored element place_of_row(i) +
  // place_in_row(j).
  size_t place_of_row(size_t i) const { return place_of(parts_.places, i * pitch_); }
  size_t place_in_row(size_t j) const { return place_of(parts_.places, first_ + j); }

  // Whether both represent the same value in the same way.
  bool equals(const QuantisedConstant& other) const;

 private:
  friend class DequantisedElements;
  // Calls function(place, count) for runs of adjacent stored elements that together are elements [first,
  // first + count).
  template <typename Function>
  void for_each_run(size_t first, size_t count, const Function& function) const;

  Shape shape_;
  Parts parts_;
  size_t first_ = 0, pitch_;  // index of the first row into `places`, and distance between rows
  size_t run_;                // adjacent elements that are also adjacent in `stored` and share numbers
  std::vector<char> varies_;  // per scale, then zero point: whether it varies within a run
};

// The elements of a quantised constant, while its data are in memory.
class DequantisedElements {
 public:
  explicit DequantisedElements(const QuantisedConstant& value);
  // Loads elements [first, first + count).
  void load(size_t first, size_t count, float* to) const;

 private:
  const QuantisedConstant& value_;
  Tensor stored_;
  std::vector<std::vector<float>> scales_;
  std::vector<float> zero_points_;
};

// How numbers are shared in matrices [n][k] of weights, or in their transposes.
struct MatrixForm {
  size_t n = 0, k = 0;
  size_t group = 0;  // elements of a row that share a scale and a zero point
  bool has_scales = false, has_zero_points = false;
  // Numbers that all rows share, one per column. They are applied in a separate pass.
  bool has_column_scales = false, has_column_zero_points = false;

  bool has_columns() const { return has_column_scales || has_column_zero_points; }
};
// The form of the matrices in the last two axes of a value, which are [n][k] or, if `transposed`, [k][n].
MatrixForm matrix_form(const QuantisedConstant& value, bool transposed);

// The operation of a quantised constant. It gives kernels and passes access to the stored data.
class QuantisedConstantOp final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }

  explicit QuantisedConstantOp(QuantisedConstant value)
      : value_(std::make_shared<const QuantisedConstant>(std::move(value))) {}

  const QuantisedConstant& value() const { return *value_; }
  void infer(InferContext& context) const override {
    context.set_output(0, ElementType::kF32, value_->shape());
  }

 private:
  friend std::unique_ptr<Node> quantised_constant(std::string name, QuantisedConstant value);
  std::shared_ptr<const QuantisedConstant> value_;
};

// Creates a constant with such an operation.
std::unique_ptr<Node> quantised_constant(std::string name, QuantisedConstant value);
// The quantised form of a constant; nullptr if it is not quantised.
const QuantisedConstant* quantised_of(const Node& constant);
}  // namespace wasmvino::ops
