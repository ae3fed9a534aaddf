// SPDX-License-Identifier: Apache-2.0
// CTCGreedyDecoder: the most probable class of each step, without blanks and repetitions.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/ctc-greedy-decoder-1.html
#include <algorithm>

#include "kernels/best_classes.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::ctc_greedy_decoder {

class DecoderKernel final : public Kernel {
 public:
  DecoderKernel(const Shape& shape, bool merge_repeated)
      : steps_(static_cast<size_t>(shape[0])),
        batch_(static_cast<size_t>(shape[1])),
        classes_(static_cast<size_t>(shape[2])),
        merge_repeated_(merge_repeated) {}

  void run(EvalContext& context) override {
    const float* mask = context.input(1).data<float>();
    float* result = context.output(0).mutable_data<float>();
    int32_t* best_classes = static_cast<int32_t*>(context.scratch());
    kernels::find_best_classes(
        context.parallel(), context.input(0).data<float>(), steps_ * batch_, classes_,
        [mask](size_t row) { return mask[row] != 0; }, best_classes);
    std::fill_n(result, batch_ * steps_, -1.0f);
    for (size_t i = 0; i < batch_; ++i) {
      float* next = result + i * steps_;
      size_t previous = classes_;
      for (size_t t = 0; t < steps_ && mask[t * batch_ + i] != 0; ++t) {
        const auto best = static_cast<size_t>(best_classes[t * batch_ + i]);
        // The last class is the blank.
        if (best + 1 < classes_ && !(merge_repeated_ && best == previous)) *next++ = static_cast<float>(best);
        previous = best;
      }
    }
  }

 private:
  size_t steps_, batch_, classes_;
  bool merge_repeated_;
};

class CTCGreedyDecoder final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("ctc_merge_repeated", merge_repeated_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 0, 3, 3, "data");
    expect_rank(context, 1, 2, 2, "sequence_mask");
    const PartialShape& shape = context.input_shape(0);
    Dimension steps = shape.has_rank() ? shape[0] : Dimension();
    Dimension batch = shape.has_rank() ? shape[1] : Dimension();
    steps = expect_size(context, 1, "sequence_mask", 0, steps, "axis 0 of data");
    batch = expect_size(context, 1, "sequence_mask", 1, batch, "axis 1 of data");
    context.set_output(0, context.input_type(0), {batch, steps, 1, 1});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      const Shape shape = inner.input_shape(0);
      inner.request_scratch(CheckedSize(product(shape, 0, 2)) * sizeof(int32_t));
      return std::make_unique<DecoderKernel>(shape, merge_repeated_);
    });
  }

 private:
  bool merge_repeated_ = true;
};

}  // namespace wasmvino::ops::ctc_greedy_decoder

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(ctc_greedy_decoder) {
  registry.add<ctc_greedy_decoder::CTCGreedyDecoder>({"CTCGreedyDecoder",
                                                      {1},
                                                      "sequence/ctc-greedy-decoder-1",
                                                      {{"data", kFloats}, {"sequence_mask", kFloats}}});
}
}  // namespace wasmvino::ops
