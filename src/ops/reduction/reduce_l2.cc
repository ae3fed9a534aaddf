// SPDX-License-Identifier: Apache-2.0
// ReduceL2: the square root of the sum of squares along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-l2-4.html
#include "model/registry.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_l2 {

class ReduceL2 final : public ReduceOp {
 public:
  ReduceL2() : ReduceOp(Reduction::kL2) {}
};

}  // namespace wasmvino::ops::reduce_l2

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_l2) {
  registry.add<reduce_l2::ReduceL2>(
      {"ReduceL2", {4}, "reduction/reduce-l2-4", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
