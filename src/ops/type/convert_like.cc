// SPDX-License-Identifier: Apache-2.0
// ConvertLike: the values of the first input in the element type of the second. The second input's values are
// not used.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/type/convertlike-1.html
#include "ops/elementwise/type_op.h"

namespace wasmvino::ops::convert_like {

class ConvertLike final : public TypeOp {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    set_result(context, context.input_type(1));
  }
};

}  // namespace wasmvino::ops::convert_like

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(convert_like) {
  registry.add<convert_like::ConvertLike>(
      {"ConvertLike", {1}, "type/convertlike-1", {{"data", kAllTypes}, {"like", kAllTypes}}});
}
}  // namespace wasmvino::ops
