// SPDX-License-Identifier: Apache-2.0
// Functions of one f32 value over arrays: activations and arithmetic. GEMM, convolutions and recurrent cells
// use the same names for the functions that they apply to results before storing them.
#pragma once

#include <cstddef>

#include "kernels/functions.h"

namespace wasmvino::kernels {

// y[i] = function(x[i]) for i < n; y may be x itself, but must not overlap it otherwise. Errors against the
// exact result: exp 1.0 ulp, log 0.8, tanh 2.5, sigmoid 2.1, erf 1.4, sin and cos 2.1, power 0.5, softplus
// 1.7, mish 3.9; gelu 6e-7 below 0, 4 ulp above. NaN stays NaN and infinities give the limits. exp underflows
// gradually; sigmoid of less than -87.3 is 0.
void apply_unary(const UnaryFunction& function, const float* x, float* y, size_t n);

}  // namespace wasmvino::kernels
