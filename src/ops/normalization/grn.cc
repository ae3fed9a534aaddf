// SPDX-License-Identifier: Apache-2.0
// GRN: divides elements by the root of the sum of squares of all channels at their position.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/normalization/grn-1.html
#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/normalization/l2_normalization.h"

namespace wasmvino::ops::grn {

class GRN final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("bias", bias_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    expect_rank(context, 0, 2, 4, "data");
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_l2_normalization(context, {1}, bias_, false);
  }

 private:
  float bias_ = 1;
};

}  // namespace wasmvino::ops::grn

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(grn) {
  registry.add<grn::GRN>({"GRN", {1}, "normalization/grn-1", {{"data", kNumbers}}});
}
}  // namespace wasmvino::ops
