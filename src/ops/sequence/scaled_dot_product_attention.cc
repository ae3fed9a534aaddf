// SPDX-License-Identifier: Apache-2.0
// ScaledDotProductAttention: softmax(query key^T scale + mask) value.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/scaled-dot-product-attention.html
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/softmax.h"
#include "model/registry.h"
#include "ops/common/checks.h"
#include "ops/common/gemm.h"
#include "ops/common/in_f32.h"

namespace wasmvino::ops::scaled_dot_product_attention {

constexpr size_t kMask = 3;
constexpr size_t kScale = 4;
// Rows of the query that are worked on together: their scores stay in the second-level cache for some
// thousand keys.
constexpr size_t kRows = 48;

// Matrices of an input: where the one for a product stands, by the axes in front.
struct Matrices {
  Ints strides;  // in elements; 0 along axes that are used again and again
  size_t row = 0, column = 0;

  // The last two axes are rows and columns, those in front broadcast to `batch`.
  Matrices(const Shape& shape, const Shape& batch) : strides(batch.size(), 0) {
    const Ints own = row_major_strides(shape);
    for (size_t back = 1; back <= shape.size(); ++back) {
      const size_t axis = shape.size() - back;
      if (shape[axis] == 1) continue;
      const size_t stride = static_cast<size_t>(own[axis]);
      if (back == 1) {
        column = stride;
      } else if (back == 2) {
        row = stride;
      } else {
        strides[batch.size() + 2 - back] = own[axis];
      }
    }
  }

  size_t offset(size_t i, const Shape& batch) const {
    size_t offset = 0;
    for (size_t axis = batch.size(); axis-- > 0;) {
      offset += i % static_cast<size_t>(batch[axis]) * static_cast<size_t>(strides[axis]);
      i /= static_cast<size_t>(batch[axis]);
    }
    return offset;
  }
};

class AttentionKernel final : public Kernel {
 public:
  AttentionKernel(CompileContext& context, bool causal)
      : output_(context.output_shape(0)),
        batch_(output_.begin(), output_.end() - 2),
        query_(context.input_shape(0), batch_),
        key_(context.input_shape(1), batch_),
        value_(context.input_shape(2), batch_),
        mask_(!causal && context.input_count() > kMask ? context.input_shape(kMask) : Shape(), batch_),
        causal_(causal),
        masked_(!causal && context.input_count() > kMask),
        length_(static_cast<size_t>(output_[output_.size() - 2])),
        width_(static_cast<size_t>(output_.back())),
        source_(static_cast<size_t>(context.input_shape(1)[context.input_shape(1).size() - 2])),
        embedding_(static_cast<size_t>(context.input_shape(0).back())),
        blocks_((length_ + kRows - 1) / kRows) {
    workers_ = gemm_parts(context.parallel().threads(), element_count(batch_) * length_, source_,
                          embedding_ + width_);
    scores_ = (std::min(kRows, length_) * source_ + 15) / 16 * 16;
    context.request_scratch(workers_ * (scores_ + kernels::kGemmScratchSize) * sizeof(float));
  }

  void run(EvalContext& context) override {
    const size_t tasks = element_count(batch_) * blocks_;
    float* const scratch = static_cast<float*>(context.scratch());
    parallel_for(context.parallel(), workers_, 1, [&](size_t first, size_t last) {
      for (size_t worker = first; worker < last; ++worker) {
        float* const scores = scratch + worker * (scores_ + kernels::kGemmScratchSize);
        for (size_t task = tasks * worker / workers_; task < tasks * (worker + 1) / workers_; ++task) {
          attend(context, task / blocks_, task % blocks_ * kRows, scores, scores + scores_);
        }
      }
    });
  }

 private:
  // Rows first, first + 1 ... of matrix i.
  void attend(EvalContext& context, size_t i, size_t first, float* scores, float* packing) const {
    const size_t rows = std::min(kRows, length_ - first);
    // Beyond the diagonal nothing is looked at.
    const size_t columns = causal_ ? std::min(source_, first + rows) : source_;
    kernels::Gemm gemm{};
    gemm.m = rows;
    gemm.n = columns;
    gemm.k = embedding_;
    gemm.a = context.input(0).data<float>() + query_.offset(i, batch_) + first * query_.row;
    gemm.a_row_stride = query_.row;
    gemm.a_k_stride = query_.column;
    gemm.c = scores;
    gemm.c_row_stride = columns;
    const float* key = context.input(1).data<float>() + key_.offset(i, batch_);
    kernels::gemm(gemm, key, key_.column, key_.row, packing, {0, rows}, {0, columns});
    for (size_t r = 0; r < rows; ++r) weigh(context, i, first + r, scores + r * columns, columns);
    const float* value = context.input(2).data<float>() + value_.offset(i, batch_);
    gemm.n = width_;
    gemm.k = columns;
    gemm.a = scores;
    gemm.a_row_stride = columns;
    gemm.a_k_stride = 1;
    gemm.c = context.output(0).mutable_data<float>() + (i * length_ + first) * width_;
    gemm.c_row_stride = width_;
    kernels::gemm(gemm, value, value_.row, value_.column, packing, {0, rows}, {0, width_});
  }

  // From products to weights: scaled, masked, softmax.
  void weigh(const EvalContext& context, size_t i, size_t row, float* scores, size_t columns) const {
    const float scale = context.input_count() > kScale
                            ? context.input(kScale).data<float>()[0]
                            : static_cast<float>(1 / std::sqrt(static_cast<double>(embedding_)));
    const size_t seen = causal_ ? std::min(columns, row + 1) : columns;
    for (size_t j = 0; j < seen; ++j) scores[j] *= scale;
    if (masked_) {
      const TensorView& mask = context.input(kMask);
      const size_t at = mask_.offset(i, batch_) + row * mask_.row;
      if (mask.type == ElementType::kBoolean) {
        for (size_t j = 0; j < seen; ++j) {
          if (mask.data<uint8_t>()[at + j * mask_.column] == 0)
            scores[j] = -std::numeric_limits<float>::infinity();
        }
      } else {
        for (size_t j = 0; j < seen; ++j) scores[j] += mask.data<float>()[at + j * mask_.column];
      }
    }
    kernels::softmax_row(scores, scores, seen, false);
    std::fill(scores + seen, scores + columns, 0.0f);
  }

  Shape output_, batch_;
  Matrices query_, key_, value_, mask_;
  bool causal_, masked_;
  size_t length_, width_;  // rows and columns of a result
  size_t source_;          // keys
  size_t embedding_;       // of a query and a key
  size_t blocks_, workers_;
  size_t scores_;  // floats of scratch for the scores of a block
};

class ScaledDotProductAttention final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("causal", causal_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(3, 5);
    expect_real(context, 0, "query");
    ElementType type = context.input_type(0);
    const std::string_view names[] = {"query", "key", "value", "attention_mask", "scale"};
    for (size_t i = 0; i < context.input_count(); ++i) {
      if (i == kMask && context.input_type(i) == ElementType::kBoolean) continue;
      const ElementType found = expect_same_type(context, 0, names[0], i, names[i]);
      if (type == ElementType::kDynamic) type = found;
    }
    for (size_t i = 0; i < 3; ++i) expect_rank(context, i, 3, static_cast<size_t>(-1), names[i]);
    if (context.input_count() > kScale) {
      expect_rank(context, kScale, 0, 1, names[kScale]);
      const PartialShape& scale = context.input_shape(kScale);
      if (scale.has_rank() && scale.rank() == 1)
        expect_size(context, kScale, names[kScale], 0, 1, "its only size");
    }
    const PartialShape& query = context.input_shape(0);
    const PartialShape& key = context.input_shape(1);
    const PartialShape& value = context.input_shape(2);
    if (query.has_rank()) {
      expect_back_size(context, 1, "key", 1, query[query.rank() - 1], "the last axis of query");
    }
    Dimension source;
    if (key.has_rank()) {
      source =
          expect_back_size(context, 2, "value", 2, key[key.rank() - 2], "the axis before the last of key");
    }
    if (!query.has_rank() || !key.has_rank() || !value.has_rank()) {
      context.set_output(0, type, PartialShape());
      return;
    }
    PartialShape batch = broadcast_batch(query, key, names[1]);
    batch = broadcast_batch(with_matrix(batch), value, names[2]);
    if (!causal_ && context.input_count() > kMask)
      batch = check_mask(context, batch, query[query.rank() - 2], source);
    batch.push_back(query[query.rank() - 2]);
    batch.push_back(value[value.rank() - 1]);
    context.set_output(0, type, batch);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      return std::make_unique<AttentionKernel>(inner, causal_);
    });
  }

 private:
  static Dimension expect_back_size(const InferContext& context, size_t i, std::string_view name, size_t back,
                                    Dimension size, std::string_view source) {
    const PartialShape& shape = context.input_shape(i);
    return shape.has_rank() ? expect_size(context, i, name, shape.rank() - back, size, source) : size;
  }

  static PartialShape with_matrix(PartialShape batch) {
    batch.push_back(1);
    batch.push_back(1);
    return batch;
  }

  static PartialShape batch_of(const PartialShape& shape) {
    PartialShape batch = PartialShape::of_rank(0);
    for (size_t axis = 0; axis + 2 < shape.rank(); ++axis) batch.push_back(shape[axis]);
    return batch;
  }

  static PartialShape broadcast_batch(const PartialShape& a, const PartialShape& b, std::string_view name) {
    if (const auto both = broadcast(batch_of(a), batch_of(b))) return *both;
    throw Error(ErrorCode::kInvalidShape,
                cat("the batches of query ", batch_of(a), " and of ", name, " ", batch_of(b), " do not fit"))
        .port(std::string(name))
        .expected(to_string(batch_of(a)))
        .actual(to_string(batch_of(b)));
  }

  // The mask is broadcast to [batch, length, source]; a scalar is none.
  static PartialShape check_mask(const InferContext& context, const PartialShape& batch, Dimension length,
                                 Dimension source) {
    const PartialShape& mask = context.input_shape(kMask);
    if (!mask.has_rank() || mask.rank() == 0) return batch;
    PartialShape scores = batch;
    scores.push_back(length);
    scores.push_back(source);
    const auto both = broadcast(scores, mask);
    const bool fits = mask.rank() > 1 && both && both->rank() == scores.rank() &&
                      (*both)[both->rank() - 1].compatible(source) &&
                      (*both)[both->rank() - 2].compatible(length);
    if (!fits) {
      throw Error(ErrorCode::kInvalidShape, cat("attention_mask ", mask, " does not fit the scores ", scores))
          .port("attention_mask")
          .expected(to_string(scores))
          .actual(to_string(mask));
    }
    return batch_of(*both);
  }

  bool causal_ = false;
};

}  // namespace wasmvino::ops::scaled_dot_product_attention

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(scaled_dot_product_attention) {
  registry.add<scaled_dot_product_attention::ScaledDotProductAttention>(
      {"ScaledDotProductAttention", {13}, "sequence/scaled-dot-product-attention"});
}
}  // namespace wasmvino::ops
