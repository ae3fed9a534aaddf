// SPDX-License-Identifier: Apache-2.0
// Convert: the same values in another element type.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/type/convert-1.html
#include "ops/common/elementwise_type_op.h"

namespace wasmvino::ops::convert {

class Convert final : public TypeOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("destination_type");
    visitor.on("destination_type", destination_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    set_result(context, destination_);
  }

 private:
  ElementType destination_ = ElementType::kDynamic;
};

}  // namespace wasmvino::ops::convert

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(convert) {
  registry.add<convert::Convert>({"Convert", {1}, "type/convert-1", {{"data", kAllTypes}}, 17});
}
}  // namespace wasmvino::ops
