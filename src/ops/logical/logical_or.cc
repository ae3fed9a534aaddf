// SPDX-License-Identifier: Apache-2.0
// LogicalOr: whether at least one is true.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/logical/logical-or-1.html
#include "ops/elementwise/logical.h"

namespace wasmvino::ops::logical_or {

class LogicalOr final : public LogicalElementwise {
 public:
  LogicalOr() : LogicalElementwise(logical_loop<kernels::Logical::kOr>) {}
};

}  // namespace wasmvino::ops::logical_or

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(logical_or) {
  registry.add<logical_or::LogicalOr>({"LogicalOr", {1}, "logical/logical-or-1", binary_types(kBoolean)});
}
}  // namespace wasmvino::ops
