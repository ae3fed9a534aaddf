// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions in f32 over planes [batch][channels][height][width], with vectors along the width:
// for tensors that are not channels last and need not become so.
#pragma once

#include "kernels/conv.h"

namespace wasmvino::kernels {

// Whether the convolution has the form: one channel a group, no depth, rows that fill a vector.
bool planar_depthwise_fits(const Conv& conv);

// Floats of scratch that each thread brings.
size_t planar_depthwise_scratch_size(const Conv& conv);

// y = epilogue(depthwise convolution of x) for `planes` of [0, batch * groups). Weights are [groups][taps].
// The epilogue's bias is a value a channel; a residual is not supported. Strides of `conv` between positions
// are not used.
void planar_depthwise(const Conv& conv, const float* x, const float* weights, float* y,
                      const Epilogue& epilogue, float* scratch, Range planes);

}  // namespace wasmvino::kernels
