// SPDX-License-Identifier: Apache-2.0
#include "kernels/unary.h"

#include <cstring>

#include "kernels/unary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

struct UnaryLoop {
  const UnaryFunction& function;
  const float* x;
  float* y;
  size_t n;

  template <Unary kKind>
  void operator()() const {
    const float alpha = function.alpha, beta = function.beta;
    size_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
      const VF a = load(x + i), b = load(x + i + kLanes);
      store(evaluate<kKind>(a, alpha, beta), y + i);
      store(evaluate<kKind>(b, alpha, beta), y + i + kLanes);
    }
    if (i == n) return;
    // One body for what is left of two vectors keeps the code of each function at three copies.
    alignas(16) float rest[2 * kLanes] = {};
    std::memcpy(rest, x + i, (n - i) * sizeof(float));
    for (size_t j = 0; j < n - i; j += kLanes) store(evaluate<kKind>(load(rest + j), alpha, beta), rest + j);
    std::memcpy(y + i, rest, (n - i) * sizeof(float));
  }
};

}  // namespace

void apply_unary(const UnaryFunction& function, const float* x, float* y, size_t n) {
  if (function.kind == Unary::kIdentity) {
    if (x != y && n > 0) std::memcpy(y, x, n * sizeof(float));
    return;
  }
  dispatch_unary(function.kind, UnaryLoop{function, x, y, n});
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
