// SPDX-License-Identifier: Apache-2.0
// TensorIterator: runs a body once for each slice of its inputs.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/infrastructure/tensor-iterator-1.html
#include <algorithm>

#include "model/registry.h"
#include "ops/bodies/body_loop.h"
#include "ops/bodies/body_parts.h"

namespace wasmvino::ops::tensor_iterator {

class TensorIterator final : public Op {
 public:
  size_t least_outputs() const override { return 0; }
  void infer(InferContext& context) const override {
    check_port_map(context.node());
    const Body& body = context.node().bodies[0];
    const bool sliced = std::any_of(body.inputs.begin(), body.inputs.end(),
                                    [](const BodyInput& map) { return map.axis.has_value(); });
    const auto iterations = sliced ? sliced_iterations(context.node(), context) : unsliced_iterations(body);
    if (iterations && *iterations == 0) {
      fail(ErrorCode::kInvalidShape, "the ", sliced ? "sliced inputs have" : "concatenated output has",
           " no part");
    }
    infer_loop(context, iterations);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_loop(context, std::nullopt, std::nullopt);
  }
};

}  // namespace wasmvino::ops::tensor_iterator

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(tensor_iterator) {
  registry.add<tensor_iterator::TensorIterator>({"TensorIterator",
                                                 {1},
                                                 "infrastructure/tensor-iterator-1",
                                                 {{"input", kAllTypes, InputTypes::kAny, true}}});
}
}  // namespace wasmvino::ops
