// SPDX-License-Identifier: Apache-2.0
// Identity: its input, unchanged.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/identity-16.html
#include "model/registry.h"

namespace wasmvino::ops::identity {

class Identity final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }

  std::optional<ViewOf> view_of(const CompileContext&, size_t) const override { return ViewOf{0, 0}; }
};

}  // namespace wasmvino::ops::identity

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(identity) {
  registry.add<identity::Identity>({"Identity", {16}, "activation/identity-16", {{"input", kAllTypes}}});
}
}  // namespace wasmvino::ops
