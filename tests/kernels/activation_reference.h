// SPDX-License-Identifier: Apache-2.0
// Activations by their definition, in double precision.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/unary.h"

namespace wasmvino::kernels {

inline double activated(const UnaryFunction& f, double x) {
  switch (f.kind) {
    case Unary::kIdentity:
      return x;
    case Unary::kRelu:
      return std::max(x, 0.0);
    case Unary::kClamp:
      return std::clamp<double>(x, f.alpha, f.beta);
    case Unary::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Unary::kTanh:
      return std::tanh(x);
    case Unary::kHardSigmoid:
      return std::clamp(f.alpha * x + f.beta, 0.0, 1.0);
    default:
      ADD_FAILURE() << "no reference for this activation";
      return 0;
  }
}

}  // namespace wasmvino::kernels
