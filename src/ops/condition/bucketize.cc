// SPDX-License-Identifier: Apache-2.0
// Bucketize: for each element, the index of its bucket between sorted boundaries.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/condition/bucketize-3.html
#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/sort/sorted_search.h"

namespace wasmvino::ops::bucketize {

class Bucketize final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("output_type", output_type_);
    visitor.on("with_right_bound", with_right_bound_);
    if (output_type_ != ElementType::kI32 && output_type_ != ElementType::kI64) {
      fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", output_type_, ", expected i32 or i64");
    }
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 1, 1, 1, "buckets");
    context.set_output(0, output_type_, context.input_shape(0));
  }

  // With the right bound, a bucket is (a, b], otherwise [a, b).
  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_sorted_search(context, 1, 0, !with_right_bound_);
  }

 private:
  ElementType output_type_ = ElementType::kI64;
  bool with_right_bound_ = true;
};

}  // namespace wasmvino::ops::bucketize

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bucketize) {
  registry.add<bucketize::Bucketize>(
      {"Bucketize", {3}, "condition/bucketize-3", {{"data", kNumbers}, {"buckets", kNumbers}}});
}
}  // namespace wasmvino::ops
