// SPDX-License-Identifier: Apache-2.0
// ReduceLogicalOr: whether any element along axes is true.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-logical-or-1.html
#include "model/registry.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_logical_or {

class ReduceLogicalOr final : public ReduceOp {
 public:
  ReduceLogicalOr() : ReduceOp(Reduction::kLogicalOr) {}
};

}  // namespace wasmvino::ops::reduce_logical_or

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_logical_or) {
  registry.add<reduce_logical_or::ReduceLogicalOr>({"ReduceLogicalOr",
                                                    {1},
                                                    "reduction/reduce-logical-or-1",
                                                    {{"data", kBoolean}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
