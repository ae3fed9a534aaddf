// SPDX-License-Identifier: Apache-2.0
// ReduceMax: the largest element along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-max-1.html
#include "model/registry.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_max {

class ReduceMax final : public ReduceOp {
 public:
  ReduceMax() : ReduceOp(Reduction::kMax) {}
};

}  // namespace wasmvino::ops::reduce_max

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_max) {
  registry.add<reduce_max::ReduceMax>(
      {"ReduceMax", {1}, "reduction/reduce-max-1", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
