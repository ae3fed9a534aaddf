// SPDX-License-Identifier: Apache-2.0
// Relu: max(x, 0).
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/relu-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::relu {

struct Rectified {
  template <typename T>
  static T apply(T x) {
    return x < 0 ? 0 : x;
  }
};

constexpr LoopTable kLoops = {.i32 = unary_loop<Rectified, int32_t>, .i64 = unary_loop<Rectified, int64_t>};

static double relu(double x, double, double) { return x < 0.0 ? 0.0 : x; }

class Relu final : public FunctionElementwise {
 public:
  Relu() : FunctionElementwise(kernels::Unary::kRelu, relu, Integers::kOwn) {}

 protected:
  const LoopTable& integer_loops() const override { return kLoops; }
  bool is_identity(ElementType type) const override { return is_integral(type) && !is_signed(type); }
};

}  // namespace wasmvino::ops::relu

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(relu) {
  registry.add<relu::Relu>({"Relu", {1}, "activation/relu-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
