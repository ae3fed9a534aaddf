// SPDX-License-Identifier: Apache-2.0
// f32 constants that are stored quantised. Kernels that pack them or read single rows use the stored form;
// other users get dequantised values.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ops/quantised_data/compressed_weights.h"

namespace wasmvino::ops {

// One number for each element of a stored constant. Many elements share the same number.
struct StoredFactor {
  std::vector<float> values;
  // Along each of these axes, the index into `values` advances by the corresponding step.
  StoredAxes axes;
  Ints steps;

  // Index into `values` for the element at `place`.
  size_t index(size_t place) const;
  float at(size_t place) const { return values[index(place)]; }
  // Whether the number varies along any of these axes.
  bool varies_along(const StoredAxes& some) const { return least_run(some) > 0; }
  // Minimum length of runs of equal numbers along the axes; 0 if all are equal.
  size_t least_run(const StoredAxes& some) const;
};

// An f32 value whose elements are (stored - zero point) * the product of the scales.
class StoredConstant final : public ByteSource {
 public:
  struct Parts {
    std::shared_ptr<const ConstantData> stored;  // of a type that is_compressed_type() accepts
    StoredAxes places = {};                      // maps elements of the value to elements of `stored`
    std::vector<StoredFactor> scales = {};
    std::optional<StoredFactor> zero_point = {};  // only for integers
  };
  StoredConstant(Shape shape, Parts parts);

  // Returns columns [first, first + count) of a matrix.
  StoredConstant columns(int64_t first, int64_t count) const;

  const Shape& shape() const { return shape_; }
  const Parts& parts() const { return parts_; }
  size_t size() const override { return element_count(shape_) * sizeof(float); }
  void read(size_t offset, size_t count, void* to) const override;
  // Loads elements [first, first + count). `raw` is the value of parts().stored.
  void load(const TensorView& raw, size_t first, size_t count, float* to) const;
  // If the value is seen as rows along its last axis, element (i, j) is the stored element place_of_row(i) +
  // place_in_row(j).
  size_t place_of_row(size_t i) const { return place_of(parts_.places, i * pitch_); }
  size_t place_in_row(size_t j) const { return place_of(parts_.places, first_ + j); }

 private:
  Shape shape_;
  Parts parts_;
  size_t first_ = 0, pitch_;  // index of the first row into `places`, and distance between rows
  size_t run_;                // adjacent elements that are also adjacent in `stored` and share factors
  std::vector<char> varies_;  // per scale, then zero point: whether it varies within a run
};

// The operation of a constant that is stored quantised. It gives kernels and passes access to the stored
// form.
class StoredConstantOp final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }

  explicit StoredConstantOp(StoredConstant value)
      : value_(std::make_shared<const StoredConstant>(std::move(value))) {}

  const StoredConstant& value() const { return *value_; }
  void infer(InferContext& context) const override {
    context.set_output(0, ElementType::kF32, value_->shape());
  }

 private:
  friend std::unique_ptr<Node> stored_constant(std::string name, StoredConstant value);
  std::shared_ptr<const StoredConstant> value_;
};

// Creates a constant with such an operation.
std::unique_ptr<Node> stored_constant(std::string name, StoredConstant value);
// The stored form of a constant or of an input of a node; nullptr if it is not stored quantised.
const StoredConstant* stored_of(const Node& constant);
const StoredConstant* stored_input(const CompileContext& context, size_t input);

// A matrix B [k][n] in such a value, packed for kernels::gemm, with its scales and zero points.
class StoredMatrix {
 public:
  // Element (p, j) is element first + p * k_stride + j * n_stride of the value. One index runs along the last
  // axis of the value, the other one from row to row.
  StoredMatrix(const StoredConstant& value, size_t first, size_t k_stride, size_t n_stride, size_t k,
               size_t n);
  // The same, but element (p, j) is the stored element rows[p] + columns[j].
  StoredMatrix(const StoredConstant& value, std::span<const size_t> rows, std::span<const size_t> columns) {
    pack(value.parts(), rows, columns);
  }
  StoredMatrix(const StoredMatrix&) = delete;  // the matrix points to other members
  const kernels::CompressedMatrix& matrix() const { return matrix_; }

 private:
  void pack(const StoredConstant::Parts& parts, std::span<const size_t> rows,
            std::span<const size_t> columns);

  Tensor values_;
  std::vector<float> scales_;         // [panels][groups][8]
  std::vector<uint8_t> zero_points_;  // [panels][groups][8]
  std::vector<float> row_scales_, row_zero_points_, table_;
  kernels::CompressedMatrix matrix_{};
};

// Returns the matrix of an input of a node, packed once for all users of this form; nullptr if the input is
// not quantised. The caller consumes the input.
std::shared_ptr<const StoredMatrix> stored_matrix(CompileContext& context, size_t input, size_t first,
                                                  size_t k_stride, size_t n_stride, size_t k, size_t n);

// A quantised input of which a kernel reads only some elements. of() consumes the input, keeps its stored
// form in memory and returns nothing if it is not quantised.
class StoredTable {
 public:
  static std::optional<StoredTable> of(CompileContext& context, size_t input);
  void load(size_t first, size_t count, float* to) const { value_->load(raw_->view(), first, count, to); }

 private:
  const StoredConstant* value_ = nullptr;  // owned by the node
  std::shared_ptr<const Tensor> raw_;
};

}  // namespace wasmvino::ops
