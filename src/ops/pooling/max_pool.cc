// SPDX-License-Identifier: Apache-2.0
// MaxPool: the greatest element of each window and, from version 8 on, its index.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/pooling/max-pool-14.html
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/pooling/pooling.h"
#include "ops/pooling/pooling_problem.h"

namespace wasmvino::ops::max_pool {

class MaxPool final : public PoolOp {
 public:
  explicit MaxPool(int since) : since_(since) {}

  kernels::Pooling kind() const override { return kernels::Pooling::kMaximum; }

  void visit_attributes(AttributeVisitor& visitor) override {
    attributes_.visit(visitor, /*dilated=*/since_ >= 8, /*has_ceil_torch=*/since_ >= 14);
    if (since_ < 8) return;
    visitor.on("index_element_type", index_type_);
    visitor.on("axis", axis_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    const PartialShape output = infer_pooling(context.input_shape(0), attributes_);
    context.set_output(0, context.input_type(0), output);
    if (since_ < 8) return;
    normalize_axis(axis_, output.rank());
    expect_index_type(index_type_);
    if (context.output_count() > 1) context.set_output(1, index_type_, output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape data = context.input_shape(0);
    PoolProblem problem = make_pooling(kind(), data, context.output_shape(0), attributes_);
    problem.index_axis = normalize_axis(axis_, data.size());
    return compile_pooling(context, problem);
  }

 private:
  int since_;
  ElementType index_type_ = ElementType::kI64;
  int64_t axis_ = 0;
};

}  // namespace wasmvino::ops::max_pool

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(max_pool) {
  registry.add<max_pool::MaxPool>({"MaxPool", {1, 8, 14}, "pooling/max-pool-14", {{"data", kNumbers}}});
}
}  // namespace wasmvino::ops
