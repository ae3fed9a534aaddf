// SPDX-License-Identifier: Apache-2.0
// ReduceMin: the smallest element along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-min-1.html
#include "model/registry.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_min {

class ReduceMin final : public ReduceOp {
 public:
  ReduceMin() : ReduceOp(Reduction::kMin) {}
};

}  // namespace wasmvino::ops::reduce_min

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_min) {
  registry.add<reduce_min::ReduceMin>(
      {"ReduceMin", {1}, "reduction/reduce-min-1", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
