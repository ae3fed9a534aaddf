// SPDX-License-Identifier: Apache-2.0
// CTCGreedyDecoderSeqLen: the most probable class of each step, without blanks and repetitions, and the
// number of remaining classes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/ctc-greedy-decoder-seq-len-6.html
#include <algorithm>

#include "core/dispatch.h"
#include "kernels/best_classes.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops::ctc_greedy_decoder_seq_len {

class DecoderKernel final : public Kernel {
 public:
  DecoderKernel(const Shape& shape, bool merge_repeated)
      : batch_(static_cast<size_t>(shape[0])),
        steps_(static_cast<size_t>(shape[1])),
        classes_(static_cast<size_t>(shape[2])),
        merge_repeated_(merge_repeated) {}

  void run(EvalContext& context) override {
    int32_t* best_classes = static_cast<int32_t*>(context.scratch());
    kernels::find_best_classes(
        context.parallel(), context.input(0).data<float>(), batch_ * steps_, classes_,
        [&](size_t row) {
          return static_cast<int64_t>(row % steps_) < index_at(context.input(1), row / steps_);
        },
        best_classes);
    const int64_t blank =
        context.input_count() > 2 ? index_at(context.input(2), 0) : static_cast<int64_t>(classes_) - 1;
    with_index(context.output(0).type, [&]<typename T>() {
      T* result = context.output(0).mutable_data<T>();
      std::fill_n(result, batch_ * steps_, T{-1});
      for (size_t i = 0; i < batch_; ++i) {
        const size_t count = decode(context, best_classes + i * steps_, i, blank, result + i * steps_);
        TensorView& lengths = context.output(1);
        if (lengths.type == ElementType::kI32) {
          lengths.mutable_data<int32_t>()[i] = static_cast<int32_t>(count);
        } else {
          lengths.mutable_data<int64_t>()[i] = static_cast<int64_t>(count);
        }
      }
    });
  }

 private:
  // Writes the classes of sequence `i` and returns their number.
  template <typename T>
  size_t decode(const EvalContext& context, const int32_t* best_classes, size_t i, int64_t blank,
                T* result) const {
    const int64_t length = index_at(context.input(1), i);
    if (length < 0 || length > static_cast<int64_t>(steps_)) {
      throw Error(ErrorCode::kInvalidValue,
                  cat("sequence_length[", i, "] is ", length, ", outside 0..", steps_))
          .port("input 1")
          .expected(cat("0..", steps_))
          .actual(cat(length));
    }
    size_t count = 0;
    int64_t previous = -1;
    for (int64_t t = 0; t < length; ++t) {
      const int64_t best = best_classes[t];
      if (best != blank && !(merge_repeated_ && best == previous)) result[count++] = static_cast<T>(best);
      previous = best;
    }
    return count;
  }

  size_t batch_, steps_, classes_;
  bool merge_repeated_;
};

class CTCGreedyDecoderSeqLen final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("merge_repeated", merge_repeated_);
    visitor.on("classes_index_type", classes_type_);
    visitor.on("sequence_length_type", length_type_);
    for (const ElementType type : {classes_type_, length_type_}) {
      if (type != ElementType::kI32 && type != ElementType::kI64) {
        fail(ErrorCode::kInvalidModel, "attribute 'classes_index_type' or 'sequence_length_type' is ", type,
             ", expected i32 or i64");
      }
    }
  }

  size_t least_outputs() const override { return 2; }
  void infer(InferContext& context) const override {
    context.expect_inputs(2, 3);
    expect_rank(context, 0, 3, 3, "data");
    expect_rank(context, 1, 1, 1, "sequence_length");
    if (context.input_count() > 2) {
      expect_rank(context, 2, 0, 1, "blank_index");
      const PartialShape& blank = context.input_shape(2);
      if (blank.has_rank() && blank.rank() == 1)
        expect_size(context, 2, "blank_index", 0, 1, "its only size");
    }
    const PartialShape& shape = context.input_shape(0);
    const Dimension batch = expect_size(context, 1, "sequence_length", 0,
                                        shape.has_rank() ? shape[0] : Dimension(), "axis 0 of data");
    context.set_output(0, classes_type_, {batch, shape.has_rank() ? shape[1] : Dimension()});
    context.set_output(1, length_type_, {batch});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context,
                          [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
                            const Shape shape = inner.input_shape(0);
                            inner.request_scratch(CheckedSize(product(shape, 0, 2)) * sizeof(int32_t));
                            return std::make_unique<DecoderKernel>(shape, merge_repeated_);
                          },
                          {.as_i64 = 6});
  }

 private:
  bool merge_repeated_ = true;
  ElementType classes_type_ = ElementType::kI32;
  ElementType length_type_ = ElementType::kI32;
};

}  // namespace wasmvino::ops::ctc_greedy_decoder_seq_len

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(ctc_greedy_decoder_seq_len) {
  registry.add<ctc_greedy_decoder_seq_len::CTCGreedyDecoderSeqLen>(
      {"CTCGreedyDecoderSeqLen",
       {6},
       "sequence/ctc-greedy-decoder-seq-len-6",
       {{"data", kFloats}, {"sequence_length", kIntegers}, {"blank_index", kIntegers}}});
}
}  // namespace wasmvino::ops
