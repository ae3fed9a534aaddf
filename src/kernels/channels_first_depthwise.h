// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions in f32 over NCHW tensors [batch][channels][height][width], with vectors along the
// width. For tensors that are not channels last and need not become so.
#pragma once

#include "kernels/conv.h"

namespace wasmvino::kernels {

// Whether the kernel supports the convolution: one channel per group, or one input channel and few output
// channels; no depth; rows that fill a vector.
bool channels_first_depthwise_fits(const Conv& conv);

// Floats of scratch memory that each thread provides.
size_t channels_first_depthwise_scratch_size(const Conv& conv);

// y = epilogue(depthwise convolution of x) for `planes` of [0, batch * output channels). Weights are [output
// channels][taps].
// The epilogue's bias has one value per channel; residuals are not supported. `conv`'s strides between
// positions are ignored.
void channels_first_depthwise(const Conv& conv, const float* x, const float* weights, float* y,
                              const Epilogue& epilogue, float* scratch, Range planes);

}  // namespace wasmvino::kernels
