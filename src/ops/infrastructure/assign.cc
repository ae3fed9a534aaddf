// SPDX-License-Identifier: Apache-2.0
// Assign: sets a variable at the end of the run.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/infrastructure/assign-6.html
#include "model/registry.h"

namespace wasmvino::ops::assign {

class Assign final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("variable_id");
    visitor.on("variable_id", variable_id_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    if (context.output_count() > 0) context.set_output(0, context.input_type(0), context.input_shape(0));
  }

  std::optional<ViewOf> view_of(const CompileContext&, size_t) const override { return ViewOf{0, 0}; }
  bool is_pure() const override { return false; }
  std::string_view writes_variable() const override { return variable_id_; }

 private:
  std::string variable_id_;
};

}  // namespace wasmvino::ops::assign

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(assign) {
  registry.add<assign::Assign>({"Assign", {3, 6}, "infrastructure/assign-6", {{"the new value", kAllTypes}}});
}
}  // namespace wasmvino::ops
