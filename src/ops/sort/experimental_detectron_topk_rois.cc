// SPDX-License-Identifier: Apache-2.0
// ExperimentalDetectronTopKROIs: the regions with the highest probabilities.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/experimental-detectron-top-krois-6.html
#include <algorithm>
#include <numeric>
#include <vector>

#include "core/sort.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::experimental_detectron_topk_rois {

class TopRoisKernel final : public Kernel {
 public:
  explicit TopRoisKernel(size_t regions) : order_(regions) {}

  void run(EvalContext& context) override {
    const float* rois = context.input(0).data<float>();
    const float* probabilities = context.input(1).data<float>();
    TensorView& output = context.output(0);
    float* to = output.mutable_data<float>();
    const size_t count = std::min(order_.size(), static_cast<size_t>(output.shape[0]));
    std::iota(order_.begin(), order_.end(), size_t{0});
    sort_best(order_.data(), order_.data() + order_.size(), count, [&](size_t a, size_t b) {
      return probabilities[a] > probabilities[b] || (probabilities[a] == probabilities[b] && a < b);
    });
    // If there are fewer regions than requested, the rest is zero.
    std::fill_n(to, output.size(), 0.0f);
    for (size_t i = 0; i < count; ++i) std::copy_n(rois + 4 * order_[i], 4, to + 4 * i);
  }

 private:
  std::vector<size_t> order_;
};

class ExperimentalDetectronTopKROIs final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("max_rois", max_rois_);
    if (max_rois_ < 0)
      fail(ErrorCode::kInvalidModel, "attribute 'max_rois' is ", max_rois_, ", expected 0 or more");
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const ElementType type = context.common_type(0, 1);
    expect_rank(context, 0, 2, 2, "input_rois");
    expect_rank(context, 1, 1, 1, "input_probs");
    expect_size(context, 0, "input_rois", 1, 4, "that of a box");
    const PartialShape& rois = context.input_shape(0);
    if (rois.has_rank()) expect_size(context, 1, "input_probs", 0, rois[0], "axis 0 of input_rois");
    context.set_output(0, type, {max_rois_, 4});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      return std::make_unique<TopRoisKernel>(static_cast<size_t>(inner.input_shape(0)[0]));
    });
  }

 private:
  int64_t max_rois_ = 0;
};

}  // namespace wasmvino::ops::experimental_detectron_topk_rois

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(experimental_detectron_topk_rois) {
  registry.add<experimental_detectron_topk_rois::ExperimentalDetectronTopKROIs>(
      {"ExperimentalDetectronTopKROIs",
       {6},
       "sort/experimental-detectron-top-krois-6",
       {{"input_rois", kFloats}, {"input_probs", kFloats, 0}}});
}
}  // namespace wasmvino::ops
