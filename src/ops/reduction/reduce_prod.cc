// SPDX-License-Identifier: Apache-2.0
// ReduceProd: the product of elements along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-prod-1.html
#include "model/registry.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_prod {

class ReduceProd final : public ReduceOp {
 public:
  ReduceProd() : ReduceOp(Reduction::kProd) {}
};

}  // namespace wasmvino::ops::reduce_prod

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_prod) {
  registry.add<reduce_prod::ReduceProd>(
      {"ReduceProd", {1}, "reduction/reduce-prod-1", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
