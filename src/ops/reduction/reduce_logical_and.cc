// SPDX-License-Identifier: Apache-2.0
// ReduceLogicalAnd: whether all elements along axes are true.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-logical-and-1.html
#include "model/registry.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_logical_and {

class ReduceLogicalAnd final : public ReduceOp {
 public:
  ReduceLogicalAnd() : ReduceOp(Reduction::kLogicalAnd) {}
};

}  // namespace wasmvino::ops::reduce_logical_and

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_logical_and) {
  registry.add<reduce_logical_and::ReduceLogicalAnd>({"ReduceLogicalAnd",
                                                      {1},
                                                      "reduction/reduce-logical-and-1",
                                                      {{"data", kBoolean}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
