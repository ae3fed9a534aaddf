// SPDX-License-Identifier: Apache-2.0
// ReduceL1: the sum of absolute values along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-l1-4.html
#include "model/registry.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_l1 {

class ReduceL1 final : public ReduceOp {
 public:
  ReduceL1() : ReduceOp(Reduction::kL1) {}
};

}  // namespace wasmvino::ops::reduce_l1

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_l1) {
  registry.add<reduce_l1::ReduceL1>(
      {"ReduceL1", {4}, "reduction/reduce-l1-4", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
