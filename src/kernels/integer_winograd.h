// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution F(4x4, 3x3) in integers, for quantised 3x3 convolutions with stride 1. Its sums are
// exactly those of conv(), with 4 times fewer multiplications.
//
// It interpolates at 0, ±1, ±2 and infinity. Filters are scaled by 24 along each axis, so all coefficients
// are integers. Transformed data are below 2^14 in magnitude, transformed filters below 2^15: both fit into
// i16. The result is 576 = 9 * 2^6 times the sum, computed modulo 2^32. It is multiplied by the inverse of 9
// modulo 2^32, then shifted right by 6. This leaves 26 bits, so all sums must be below kMostWinogradSum in
// magnitude.
#pragma once

#include "kernels/integer_conv.h"

namespace wasmvino::kernels {

inline constexpr int64_t kMostWinogradSum = int64_t{1} << 25;

// Whether the convolution is supported: see winograd_fits(). Inner products are those of pairs, whatever the
// form of the packed filters. Data must not be shifted (kSigned). The number of input channels must be a
// positive multiple of 8.
bool integer_winograd_fits(const IntegerConv& c);

// Bytes of scratch memory that each thread provides.
CheckedSize integer_winograd_scratch_size(const IntegerConv& c);

// Like conv(), for `tiles` of [0, winograd_tiles(c.conv)). `packed` is from pack_integer_conv().
void winograd(const IntegerConv& c, const uint8_t* x, const int8_t* packed, const Output& y,
              const Epilogue& epilogue, char* scratch, Range tiles, Range channels);

}  // namespace wasmvino::kernels
