// SPDX-License-Identifier: Apache-2.0
// AvgPool: the mean of each window.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/pooling/avg-pool-16.html
#include "model/registry.h"
#include "ops/pooling/pooling.h"
#include "ops/pooling/pooling_problem.h"

namespace wasmvino::ops::avg_pool {

class AvgPool final : public PoolOp {
 public:
  explicit AvgPool(int since) : since_(since) {}

  kernels::Pooling kind() const override {
    return exclude_pad_ ? kernels::Pooling::kAverage : kernels::Pooling::kAverageWithPads;
  }

  void visit_attributes(AttributeVisitor& visitor) override {
    attributes_.visit(visitor, /*dilated=*/since_ >= 16, /*has_ceil_torch=*/since_ >= 14);
    visitor.on("exclude-pad", exclude_pad_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    context.set_output(0, context.input_type(0), infer_pooling(context.input_shape(0), attributes_));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_pooling(
        context, make_pooling(kind(), context.input_shape(0), context.output_shape(0), attributes_));
  }

 private:
  int since_;
  bool exclude_pad_ = true;
};

}  // namespace wasmvino::ops::avg_pool

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(avg_pool) {
  registry.add<avg_pool::AvgPool>({"AvgPool", {1, 14, 16}, "pooling/avg-pool-16", {{"data", kNumbers}}});
}
}  // namespace wasmvino::ops
