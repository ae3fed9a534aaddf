// SPDX-License-Identifier: Apache-2.0
// Sign: -1, 0 or 1. NaN and zeros are unchanged.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/sign-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::sign {

struct Signum {
  template <typename T>
  static T apply(T x) {
    return static_cast<T>((x > 0) - (x < 0));
  }
};

constexpr LoopTable kLoops = {.i32 = unary_loop<Signum, int32_t>,
                              .i64 = unary_loop<Signum, int64_t>,
                              .u32 = unary_loop<Signum, uint32_t>,
                              .u64 = unary_loop<Signum, uint64_t>};

static double sign(double x, double, double) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }

class Sign final : public FunctionElementwise {
 public:
  Sign() : FunctionElementwise(kernels::Unary::kSign, sign, Integers::kOwn) {}

 protected:
  const LoopTable& integer_loops() const override { return kLoops; }
};

}  // namespace wasmvino::ops::sign

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(sign) {
  registry.add<sign::Sign>({"Sign", {1}, "arithmetic/sign-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
