// SPDX-License-Identifier: Apache-2.0
// Abs: the magnitude. The smallest integer wraps around to itself, except for i8, which saturates.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/abs-1.html
#include <cmath>

#include "ops/elementwise/loops.h"

namespace wasmvino::ops::abs {

struct Magnitude {
  template <typename T>
  static T apply(T x) {
    return x < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x)) : x;
  }
};

constexpr LoopTable kLoops = {.i32 = unary_loop<Magnitude, int32_t>, .i64 = unary_loop<Magnitude, int64_t>};

static double abs(double x, double, double) { return std::abs(x); }

class Abs final : public FunctionElementwise {
 public:
  Abs() : FunctionElementwise(kernels::Unary::kAbs, abs, Integers::kOwn) {}

 protected:
  const LoopTable& integer_loops() const override { return kLoops; }
  bool is_identity(ElementType type) const override { return is_integral(type) && !is_signed(type); }
};

}  // namespace wasmvino::ops::abs

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(abs) {
  registry.add<abs::Abs>({"Abs", {1}, "arithmetic/abs-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
