// SPDX-License-Identifier: Apache-2.0
// Power: a to the power of b. Integers are computed exactly and wrap around if the result does not fit. 0 to
// a negative power is the lowest integer.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/power-1.html
#include <cmath>
#include <limits>

#include "ops/elementwise/loops.h"

namespace wasmvino::ops::power {

template <typename T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {  // 1 / base^-exponent, rounded towards zero
      if (base == 0) return std::numeric_limits<T>::min();
      if (base == 1) return 1;
      if (base == -1) return exponent % 2 == 0 ? 1 : -1;
      return 0;
    }
  }
  std::make_unsigned_t<T> result = 1;
  std::make_unsigned_t<T> square = static_cast<std::make_unsigned_t<T>>(base);
  for (; exponent != 0; exponent /= 2, square *= square) {
    if (exponent % 2 != 0) result *= square;
  }
  return static_cast<T>(result);
}

struct Exponentiation {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return integer_power(a, b);
    } else {
      return std::pow(a, b);
    }
  }
};

constexpr LoopTable kLoops = scalar_loops<Exponentiation>(binary_kernel_loop<float>);

class Power final : public ArithmeticElementwise {
 public:
  Power() : ArithmeticElementwise(kernels::Binary::kPower, kLoops, 16) {}
};

}  // namespace wasmvino::ops::power

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(power) {
  registry.add<power::Power>({"Power", {1}, "arithmetic/power-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
