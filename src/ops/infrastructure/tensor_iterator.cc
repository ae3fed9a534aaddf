// SPDX-License-Identifier: Apache-2.0
// TensorIterator: runs a body once for each slice of its inputs.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/infrastructure/tensor-iterator-1.html
#include "model/registry.h"
#include "ops/common/body_loop.h"

namespace wasmvino::ops::tensor_iterator {

class TensorIterator final : public Op {
 public:
  void infer(InferContext& context) const override {
    check_port_map(context.node());
    const auto iterations = sliced_iterations(context.node(), context);
    bool sliced = false;
    for (const BodyInput& map : context.node().bodies[0].inputs) sliced |= map.axis.has_value();
    if (!sliced) fail(ErrorCode::kInvalidModel, "no input is sliced: the number of iterations is not defined");
    if (iterations && *iterations == 0) fail(ErrorCode::kInvalidShape, "the sliced inputs have no part");
    infer_loop(context, iterations);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_loop(context, std::nullopt, std::nullopt);
  }
};

}  // namespace wasmvino::ops::tensor_iterator

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(tensor_iterator) {
  registry.add<tensor_iterator::TensorIterator>({"TensorIterator", {1}, "infrastructure/tensor-iterator-1"});
}
}  // namespace wasmvino::ops
