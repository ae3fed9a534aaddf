// SPDX-License-Identifier: Apache-2.0
// LogicalAnd: whether both are true.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/logical/logical-and-1.html
#include "ops/elementwise/logical.h"

namespace wasmvino::ops::logical_and {

class LogicalAnd final : public LogicalElementwise {
 public:
  LogicalAnd() : LogicalElementwise(logical_loop<kernels::Logical::kAnd>) {}
};

}  // namespace wasmvino::ops::logical_and

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(logical_and) {
  registry.add<logical_and::LogicalAnd>({"LogicalAnd", {1}, "logical/logical-and-1", binary_types(kBoolean)});
}
}  // namespace wasmvino::ops
