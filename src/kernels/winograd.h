// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution of 3x3 kernels with stride 1: tiles of the input are transformed, multiplied frequency
// by frequency as products of matrices, and transformed back. F(4x4) multiplies 4 times less than the direct
// form and holds 4 times its weights; F(2x2) 2.25 and 1.78 times.
//
// F(4x4) interpolates at 0, ±1/sqrt 2, ±sqrt 2 and infinity. With 64 channels of random data its error is twice
// that of direct sums in f32 (8.3e-7 of the result's deviation against 4.2e-7); with the customary 0, ±1, ±2 it
// is four times (1.7e-6). F(2x2): 2.6e-7.
#pragma once

#include "kernels/conv.h"

namespace wasmvino::kernels {

enum class Winograd { k2x2, k4x4 };

// Whether the convolution has the form: kernel 1x3x3, strides, dilations and groups 1.
bool winograd_fits(const Conv& conv);

// Weights transformed and packed, in floats. group_stride is not used.
size_t packed_winograd_size(const Conv& conv, Winograd form);
void pack_winograd(const Conv& conv, Winograd form, const ConvWeights& weights, float* packed);

// Output tiles of all pictures; the last ones of a row or column may reach beyond the output.
size_t winograd_tiles(const Conv& conv, Winograd form);
// Floats of scratch that each thread brings.
size_t winograd_scratch_size(const Conv& conv, Winograd form);

// y = epilogue(convolution of x) for `tiles` of [0, winograd_tiles()).
void winograd(const Conv& conv, Winograd form, const float* x, const float* packed, float* y,
              const Epilogue& epilogue, float* scratch, Range tiles);

}  // namespace wasmvino::kernels
