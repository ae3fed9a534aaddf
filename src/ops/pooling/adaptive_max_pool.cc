// SPDX-License-Identifier: Apache-2.0
// AdaptiveMaxPool: the greatest element, and its index, of windows that divide the spatial axes evenly.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/pooling/adaptive-max-pool-8.html
#include "model/registry.h"
#include "ops/pooling/pooling.h"

namespace wasmvino::ops::adaptive_max_pool {

class AdaptiveMaxPool final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("index_element_type", index_type_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_index_type(index_type_);
    const PartialShape output = infer_adaptive_pooling(context);
    context.set_output(0, context.input_type(0), output);
    if (context.output_count() > 1) context.set_output(1, index_type_, output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_adaptive_pooling(context, kernels::Pooling::kMaximum);
  }

 private:
  ElementType index_type_ = ElementType::kI64;
};

}  // namespace wasmvino::ops::adaptive_max_pool

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(adaptive_max_pool) {
  registry.add<adaptive_max_pool::AdaptiveMaxPool>(
      {"AdaptiveMaxPool",
       {8},
       "pooling/adaptive-max-pool-8",
       {{"data", kNumbers}, {"output_shape", kNumbers | kSmallIntegers}}});
}
}  // namespace wasmvino::ops
