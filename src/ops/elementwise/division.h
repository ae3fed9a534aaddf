// SPDX-License-Identifier: Apache-2.0
// Integer division that neither traps nor is undefined.
#pragma once

#include <type_traits>

#include "core/error.h"

namespace wasmvino::ops {

// OpenVINO's reference also rejects a zero divisor. (Its CPU plugin gives the smallest integer, a value that
// is no use in further computation.)
[[noreturn]] inline void refuse_zero_divisor() {
  fail(ErrorCode::kInvalidValue, "integer division by zero: the divisor contains a 0");
}

// a / b, rounded towards zero. The smallest integer divided by -1 wraps around to itself.
template <typename T>
T truncated_quotient(T a, T b) {
  if (b == 0) refuse_zero_divisor();
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return a / b;
}

// The remainder of truncated_quotient. It has the sign of a.
template <typename T>
T truncated_remainder(T a, T b) {
  if (b == 0) refuse_zero_divisor();
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return a % b;
}

}  // namespace wasmvino::ops
