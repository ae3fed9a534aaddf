// SPDX-License-Identifier: Apache-2.0
// ReduceMean: the arithmetic mean of elements along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-mean-1.html
#include "model/registry.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_mean {

class ReduceMean final : public ReduceOp {
 public:
  ReduceMean() : ReduceOp(Reduction::kMean) {}
};

}  // namespace wasmvino::ops::reduce_mean

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_mean) {
  registry.add<reduce_mean::ReduceMean>(
      {"ReduceMean", {1}, "reduction/reduce-mean-1", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
