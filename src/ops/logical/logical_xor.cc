// SPDX-License-Identifier: Apache-2.0
// LogicalXor: whether exactly one is true. Opset 1 also has it under the name Xor.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/logical/logical-xor-1.html
#include "ops/elementwise/logical.h"

namespace wasmvino::ops::logical_xor {

class LogicalXor final : public LogicalElementwise {
 public:
  LogicalXor() : LogicalElementwise(logical_loop<kernels::Logical::kXor>) {}
};

}  // namespace wasmvino::ops::logical_xor

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(logical_xor) {
  registry.add<logical_xor::LogicalXor>({"LogicalXor", {1}, "logical/logical-xor-1", binary_types(kBoolean)});
  registry.add<logical_xor::LogicalXor>({"Xor", {1}, "logical/logical-xor-1", binary_types(kBoolean), 1});
}
}  // namespace wasmvino::ops
