// SPDX-License-Identifier: Apache-2.0
// ReduceSum: the sum of elements along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-sum-1.html
#include "model/registry.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_sum {

class ReduceSum final : public ReduceOp {
 public:
  ReduceSum() : ReduceOp(Reduction::kSum) {}
};

}  // namespace wasmvino::ops::reduce_sum

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_sum) {
  registry.add<reduce_sum::ReduceSum>(
      {"ReduceSum", {1}, "reduction/reduce-sum-1", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
