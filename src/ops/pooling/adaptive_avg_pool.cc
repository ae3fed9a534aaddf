// SPDX-License-Identifier: Apache-2.0
// AdaptiveAvgPool: the means of windows that divide the spatial axes evenly.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/pooling/adaptive-avg-pool-8.html
#include "model/registry.h"
#include "ops/pooling/pooling.h"

namespace wasmvino::ops::adaptive_avg_pool {

class AdaptiveAvgPool final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    context.set_output(0, context.input_type(0), infer_adaptive_pooling(context));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_adaptive_pooling(context, kernels::Pooling::kAverage);
  }
};

}  // namespace wasmvino::ops::adaptive_avg_pool

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(adaptive_avg_pool) {
  registry.add<adaptive_avg_pool::AdaptiveAvgPool>(
      {"AdaptiveAvgPool",
       {8},
       "pooling/adaptive-avg-pool-8",
       {{"data", kNumbers}, {"output_shape", kNumbers | kSmallIntegers}}});
}
}  // namespace wasmvino::ops
