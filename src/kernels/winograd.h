// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution F(4x4, 3x3) for 3x3 kernels with stride 1. A kernel over depth is one of 3x3 over as
// many times the channels: those of the planes that it reads. It transforms tiles of 4x4 outputs,
// multiplies them frequency by frequency with matmuls, and transforms the results back. It needs 4 times
// fewer multiplications than the direct form and 4 times its memory for weights.
//
// It interpolates at 0, ±1/sqrt 2, ±sqrt 2 and infinity. With 64 channels of random data, its error is twice
// that of direct sums in f32 (8.3e-7 of the result's deviation against 4.2e-7); with the customary 0, ±1, ±2
// it is four times (1.7e-6). F(2x2, 3x3) needs 2.25 times fewer multiplications; it was never faster than
// both others.
#pragma once

#include "core/checked.h"
#include "kernels/conv.h"

namespace wasmvino::kernels {

// Whether the convolution is supported: a kernel of 3x3 in height and width, with strides and groups of 1
// and dilations of 1 there.
bool winograd_fits(const Conv& conv);

// Size of transformed and packed weights, in floats. group_stride is not used.
size_t packed_winograd_size(const Conv& conv);
void pack_winograd(const Conv& conv, const ConvWeights& weights, float* packed);

// Rows and columns of outputs per tile.
inline constexpr size_t kWinogradTile = 4;

// Number of output tiles in all images. The last tiles of a row or column may extend beyond the output.
size_t winograd_tiles(const Conv& conv);
// Floats of scratch memory that each thread provides.
CheckedSize winograd_scratch_size(const Conv& conv);

// y = epilogue(convolution of x) for `tiles` of [0, winograd_tiles()).
void winograd(const Conv& conv, const float* x, const float* packed, float* y, const Epilogue& epilogue,
              float* scratch, Range tiles);

// Like winograd(), with weights packed for conv(), in f32 or quantised. Transforms the filters of eight
// output channels at a time for all tiles of a block. Blocks have more tiles than in winograd(). `channels`
// begins at a multiple of 8.
CheckedSize winograd_from_direct_scratch_size(const Conv& conv);
void winograd_from_direct(const Conv& conv, const float* x, const PackedConv& packed, float* y,
                          const Epilogue& epilogue, float* scratch, Range tiles, Range channels);

}  // namespace wasmvino::kernels
