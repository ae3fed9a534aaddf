// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace wasmvino {

std::string to_string(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  return buffer;
}

}  // namespace wasmvino
