// SPDX-License-Identifier: Apache-2.0
#include "kernels/unary.h"

#include <cstring>

#include "kernels/unary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kBlock = 2 * kLanes;

struct UnaryLoop {
  const UnaryFunction& function;
  const float* x;
  float* y;
  size_t blocks;

  template <Unary kKind>
  void operator()() const {
    const float alpha = function.alpha, beta = function.beta;
    const float* from = x;
    float* to = y;
    for (size_t i = blocks; i > 0; --i, from += kBlock, to += kBlock) {
      const VF a = evaluate<kKind>(load(from), alpha, beta);
      const VF b = evaluate<kKind>(load(from + kLanes), alpha, beta);
      store(a, to);
      store(b, to + kLanes);
    }
  }
};

}  // namespace

void apply_unary(const UnaryFunction& function, const float* x, float* y, size_t n) {
  if (function.kind == Unary::kIdentity) {
    if (x != y && n > 0) std::memcpy(y, x, n * sizeof(float));
    return;
  }
  const size_t rest = n % kBlock, whole = n - rest;
  if (whole > 0) dispatch_unary(function.kind, UnaryLoop{function, x, y, whole / kBlock});
  if (rest == 0) return;
  // The remaining elements use the same loop: separate code for each function would be 12 KB of WebAssembly.
  alignas(16) float block[kBlock] = {};
  std::memcpy(block, x + whole, rest * sizeof(float));
  dispatch_unary(function.kind, UnaryLoop{function, block, block, 1});
  std::memcpy(y + whole, block, rest * sizeof(float));
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
