// SPDX-License-Identifier: Apache-2.0
// Means of windows of quantised channels-last tensors, and sums and sums of squares. Sums are exact.
#pragma once

#include "kernels/conv.h"
#include "kernels/epilogue.h"
#include "kernels/functions.h"

namespace wasmvino::kernels {

// What becomes of a sum of `inside` elements, divided by the window's number of taps or of elements inside:
//   real = float(sum - inside * zero[c]) / count * scale[c] + bias[c]
// clamped to `bounds` and, for u8 outputs, rounded, ties to even. Arrays have the number of channels rounded
// up to a multiple of kMeanChannels.
struct MeanSteps {
  const int32_t* zero;
  const float* scale;
  const float* bias;
  Bounds bounds;
};
inline constexpr size_t kMeanChannels = 16;
// The most taps of a window, so that no sum overflows.
inline constexpr size_t kMostMeanTaps = size_t{1} << 23;

// Computes output pixels [first, last) of [0, out_pixels()) and `channels` of [0, groups), which begin at a
// multiple of kMeanChannels. `kind` is an average. Each window must contain at least one element.
void mean_pool(Pooling kind, const Conv& conv, const MeanSteps& steps, const uint8_t* x, const Output& y,
               Range pixels, Range channels);

// Adds `rows` of kMeanChannels levels, `stride` bytes apart, to sums and squares [kMeanChannels]. There are
// at most 2^14 rows. All begin before `end`. Levels from there on are 0.
void add_moments(const uint8_t* x, size_t stride, size_t rows, const uint8_t* end, int64_t* sums,
                 int64_t* squares);

}  // namespace wasmvino::kernels
