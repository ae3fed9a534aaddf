// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/requantization.h"

#include <algorithm>
#include <cmath>

namespace wasmvino::ops {

std::optional<kernels::Bounds> requantized_bounds(const kernels::UnaryFunction& activation,
                                                  const Quantization* output) {
  const std::optional<kernels::Bounds> real = kernels::bounds_of(activation);
  if (!real || output == nullptr) return real;
  kernels::Bounds all;
  for (size_t c = 0; c < output->inverse.size(); ++c) {
    kernels::Bounds own = {
        std::clamp(real->low * output->inverse[c] + output->shift[c], 0.0f, output->most),
        std::clamp(real->high * output->inverse[c] + output->shift[c], 0.0f, output->most)};
    // Rounds the bounds first, so that a bound that rounds to the end of the range counts as that end.
    own.low = std::nearbyint(own.low);
    own.high = std::nearbyint(own.high);
    if (c > 0 && (own.low != all.low || own.high != all.high)) return std::nullopt;
    all = own;
  }
  return all;
}

}  // namespace wasmvino::ops
