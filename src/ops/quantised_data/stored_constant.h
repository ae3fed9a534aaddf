// SPDX-License-Identifier: Apache-2.0
// f32 constants whose stored form is quantised. Kernels that pack them or read single rows use the stored
// form; other users get expanded values.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ops/quantised_data/compressed_weights.h"

namespace wasmvino::ops {

// A number for each element of a stored constant, the same for many of them.
struct StoredFactor {
  std::vector<float> values;
  // Elements whose places differ along one of these axes have values `steps` apart.
  StoredAxes axes;
  Ints steps;

  // Which of the values is that of the element at a place.
  size_t index(size_t place) const;
  float at(size_t place) const { return values[index(place)]; }
  // Whether it differs along one of some axes.
  bool varies_along(const StoredAxes& some) const { return least_run(some) > 0; }
  // Into how long runs of equal values an index into some axes falls at least; 0 where all are equal.
  size_t least_run(const StoredAxes& some) const;
};

// The bytes of a value of f32 whose elements are (stored - zero point) * the product of scales.
class StoredConstant final : public ByteSource {
 public:
  struct Parts {
    std::shared_ptr<const ConstantData> stored;  // of a type of is_compressed_type
    StoredAxes places = {};                      // where the elements of the value lie in it
    std::vector<StoredFactor> scales = {};
    std::optional<StoredFactor> zero_point = {};  // of integers only
  };
  StoredConstant(Shape shape, Parts parts);

  // Columns first .. first + count of a matrix.
  StoredConstant columns(int64_t first, int64_t count) const;

  const Shape& shape() const { return shape_; }
  const Parts& parts() const { return parts_; }
  size_t size() const override { return element_count(shape_) * sizeof(float); }
  void read(size_t offset, size_t count, void* to) const override;
  // Elements first .. first + count; `raw` is the value of parts().stored.
  void load(const TensorView& raw, size_t first, size_t count, float* to) const;
  // Element (i, j) of the value as rows of its last axis is the stored one at place_of_row(i) +
  // place_in_row(j).
  size_t place_of_row(size_t i) const { return place_of(parts_.places, i * pitch_); }
  size_t place_in_row(size_t j) const { return place_of(parts_.places, first_ + j); }

 private:
  Shape shape_;
  Parts parts_;
  size_t first_ = 0, pitch_;  // of the indices into places: of the first row, and from one to the next
  size_t run_;                // neighbours that lie side by side
  std::vector<char> varies_;  // by scale, then zero point: whether it differs among them
};

// The operation of a constant whose bytes these are: it tells kernels and passes of what is stored.
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

// A constant with such an operation.
std::unique_ptr<Node> stored_constant(std::string name, StoredConstant value);
// What is stored for a constant, or for an input of a node; nullptr where that is no such constant.
const StoredConstant* stored_of(const Node& constant);
const StoredConstant* stored_input(const CompileContext& context, size_t input);

// A matrix B [k][n] in such a value, packed for kernels::gemm with all that it takes.
class StoredMatrix {
 public:
  // Element (p, j) is element first + p * k_stride + j * n_stride of the value: one index goes along its last
  // axis, the other one from row to row.
  StoredMatrix(const StoredConstant& value, size_t first, size_t k_stride, size_t n_stride, size_t k,
               size_t n);
  // The same where it is the stored element at rows[p] + columns[j].
  StoredMatrix(const StoredConstant& value, std::span<const size_t> rows, std::span<const size_t> columns) {
    pack(value.parts(), rows, columns);
  }
  StoredMatrix(const StoredMatrix&) = delete;  // the matrix points into the rest
  const kernels::CompressedMatrix& matrix() const { return matrix_; }

 private:
  void pack(const StoredConstant::Parts& parts, std::span<const size_t> rows,
            std::span<const size_t> columns);

  Tensor values_;
  std::vector<float> scales_;         // [panels][groups][8]
  std::vector<uint8_t> zero_points_;  // alike
  std::vector<float> row_scales_, row_zero_points_, table_;
  kernels::CompressedMatrix matrix_{};
};

// That of an input of a node, packed once for all users with this form; nullptr if the input is not
// quantised. The caller consumes the input.
std::shared_ptr<const StoredMatrix> stored_matrix(CompileContext& context, size_t input, size_t first,
                                                  size_t k_stride, size_t n_stride, size_t k, size_t n);

// An input of which a kernel reads only some elements; nothing if it is not quantised. The input is consumed;
// its stored form stays in memory.
class StoredTable {
 public:
  static std::optional<StoredTable> of(CompileContext& context, size_t input);
  void load(size_t first, size_t count, float* to) const { value_->load(raw_->view(), first, count, to); }

 private:
  const StoredConstant* value_ = nullptr;  // the node's
  std::shared_ptr<const Tensor> raw_;
};

}  // namespace wasmvino::ops
