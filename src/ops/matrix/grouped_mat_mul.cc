// SPDX-License-Identifier: Apache-2.0
// GroupedMatMul: groups of rows, each multiplied by its own matrix, as in mixtures of experts. The matrices
// are stored transposed.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/matrix/grouped-matmul-17.html
#include <algorithm>
#include <string>
#include <vector>

#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"
#include "ops/matrix/gemm.h"

namespace wasmvino::ops::grouped_mat_mul {

class Multiplying final : public Kernel {
 public:
  // mat_a is [rows, k] or, without offsets, [groups, rows, k]; mat_b is [groups, n, k].
  Multiplying(CompileContext& context, const Shape& a, const Shape& b)
      : groups_(static_cast<size_t>(b[0])),
        rows_(static_cast<size_t>(a[a.size() - 2])),
        n_(static_cast<size_t>(b[1])),
        k_(static_cast<size_t>(b[2])) {
    for (size_t group = 0; group < groups_; ++group) {
      weights_.emplace_back(context, 1, group * n_ * k_, k_, n_, k_);
    }
    if (groups_ > 0)
      context.request_scratch(CheckedSize(weights_[0].scratch_size(context.parallel(), rows_)) *
                              sizeof(float));
    if (context.input(1).constant != nullptr) context.consume(1);
  }

  void run(EvalContext& context) override {
    if (context.input_count() == 2) {
      for (size_t group = 0; group < groups_; ++group) multiply(context, group, group * rows_, rows_);
      return;
    }
    int64_t first = 0;
    for (size_t group = 0; group < groups_; ++group) {
      const int64_t last = load_integer(context.input(2), group);
      if (last < first || last > static_cast<int64_t>(rows_)) {
        throw Error(ErrorCode::kInvalidValue, cat("offsets[", group, "] is ", last, " after ", first,
                                                  ", expected ascending offsets up to ", rows_))
            .expected(cat(first, "..", rows_))
            .actual(cat(last))
            .port("offsets");
      }
      multiply(context, group, static_cast<size_t>(first), static_cast<size_t>(last - first));
      first = last;
    }
    // Rows that belong to no group.
    std::fill_n(context.output(0).mutable_data<float>() + static_cast<size_t>(first) * n_,
                (rows_ - static_cast<size_t>(first)) * n_, 0.0f);
  }

 private:
  void multiply(EvalContext& context, size_t group, size_t first, size_t rows) const {
    if (rows == 0 || n_ == 0) return;
    float* c = context.output(0).mutable_data<float>() + first * n_;
    if (k_ == 0) {
      std::fill_n(c, rows * n_, 0.0f);
      return;
    }
    kernels::Gemm gemm{};
    gemm.m = rows;
    gemm.a = context.input(0).data<float>() + first * k_;
    gemm.a_row_stride = k_;
    gemm.a_k_stride = 1;
    gemm.c = c;
    gemm.c_row_stride = n_;
    weights_[group].multiply(context, context.parallel(), gemm, static_cast<float*>(context.scratch()));
  }

  size_t groups_, rows_, n_, k_;
  std::vector<WeightMatrix> weights_;
};

class GroupedMatMul final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2, 3);
    const bool has_offsets = context.input_count() == 3;
    const ElementType type = context.common_type(0, 1);
    const size_t a_rank = has_offsets ? 2 : 3;
    expect_rank(context, 0, a_rank, a_rank, "mat_a");
    expect_rank(context, 1, 3, 3, "mat_b");
    PartialShape a = context.input_shape(0);
    PartialShape b = context.input_shape(1);
    if (!a.has_rank()) a = PartialShape::of_rank(a_rank);
    if (!b.has_rank()) b = PartialShape::of_rank(3);
    if (!a[a_rank - 1].compatible(b[2])) {
      fail(ErrorCode::kInvalidShape, "mat_a has shape ", a, " and mat_b has shape ", b,
           ": their last axes differ");
    }
    if (has_offsets) {
      expect_rank(context, 2, 1, 1, "offsets");
      expect_size(context, 2, "offsets", 0, b[0], "axis 0 of mat_b");
      context.set_output(0, type, {a[0], b[1]});
      return;
    }
    const std::optional<Dimension> groups = a[0].merge(b[0]);
    if (!groups) {
      fail(ErrorCode::kInvalidShape, "mat_a has shape ", a, " and mat_b has shape ", b,
           ": their numbers of groups differ");
    }
    context.set_output(0, type, {*groups, a[1], b[1]});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [](CompileContext& f32) {
      return std::make_unique<Multiplying>(f32, f32.input_shape(0), f32.input_shape(1));
    });
  }

  InputRange quantised_inputs(const Node&) const override { return {1, 2}; }
};

}  // namespace wasmvino::ops::grouped_mat_mul

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(grouped_mat_mul) {
  registry.add<grouped_mat_mul::GroupedMatMul>(
      {"GroupedMatMul",
       {17},
       "matrix/grouped-matmul-17",
       {{"mat_a", kFloats}, {"mat_b", kFloats, 0}, {"offsets", kIndices}},
       17});
}
}  // namespace wasmvino::ops
