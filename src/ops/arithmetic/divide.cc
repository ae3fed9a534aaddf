// SPDX-License-Identifier: Apache-2.0
// Divide: a / b. Quotients of integers are rounded down or, with m_pythondiv="false", towards zero.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/divide-1.html
#include "ops/elementwise/division.h"
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::divide {

struct Quotient {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return truncated_quotient(a, b);
    } else {
      return a / b;
    }
  }
};

struct FloorQuotient {
  template <typename T>
  static T apply(T a, T b) {
    const T quotient = truncated_quotient(a, b);
    return truncated_remainder(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  }
};

constexpr LoopTable kLoops =
    scalar_loops<Quotient>(binary_kernel_loop<float>, division_loop<kernels::Division::kTruncated>);
constexpr ElementwiseLoop kFloorI32 = division_loop<kernels::Division::kFloor>;
constexpr ElementwiseLoop kFloorI64 = binary_loop<FloorQuotient, int64_t>;

class Divide final : public ArithmeticElementwise {
 public:
  Divide() : ArithmeticElementwise(kernels::Binary::kDivide, kLoops) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    ArithmeticElementwise::visit_attributes(visitor);
    visitor.on("m_pythondiv", floor_);
  }

  ElementwiseFunction function(ElementType type) const override {
    ElementwiseFunction function = ArithmeticElementwise::function(type);
    if (floor_ && function.loop == kLoops.i32) function.loop = kFloorI32;
    if (floor_ && function.loop == kLoops.i64) function.loop = kFloorI64;
    return function;
  }

 private:
  bool floor_ = true;
};

}  // namespace wasmvino::ops::divide

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(divide) {
  registry.add<divide::Divide>({"Divide", {1}, "arithmetic/divide-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
