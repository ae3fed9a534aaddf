// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/requantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wasmvino::ops {

std::optional<Clamping> clamping_of(const kernels::UnaryFunction& activation, const Quantization* output) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  using kernels::Unary;
  if (activation.kind != Unary::kIdentity && activation.kind != Unary::kRelu &&
      activation.kind != Unary::kClamp)
    return std::nullopt;
  const bool is_clamp = activation.kind == Unary::kClamp;
  const float low = is_clamp ? activation.alpha : activation.kind == Unary::kRelu ? 0.0f : -kInfinity;
  const float high = is_clamp ? activation.beta : kInfinity;
  if (output == nullptr) return Clamping{low, high};
  Clamping all = {};
  for (size_t c = 0; c < output->scale.size(); ++c) {
    Clamping own = {std::clamp(low * output->inverse[c] + output->shift[c], 0.0f, output->most),
                    std::clamp(high * output->inverse[c] + output->shift[c], 0.0f, output->most)};
    // Rounds the bounds first, so that a bound that rounds to the end of the range counts as that end.
    own.low = std::nearbyint(own.low);
    own.high = std::nearbyint(own.high);
    if (c > 0 && (own.low != all.low || own.high != all.high)) return std::nullopt;
    all = own;
  }
  return all;
}

}  // namespace wasmvino::ops
