// SPDX-License-Identifier: Apache-2.0
// Conversion of reals to integers without undefined results.
#pragma once

#include <cstdint>
#include <limits>

#include "core/nan.h"

namespace wasmvino {

// Truncates. NaN becomes 0, and values out of range become the nearest integer in range.
inline int64_t saturated_int64(double value) {
  if (is_nan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  if (value < -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

}  // namespace wasmvino
