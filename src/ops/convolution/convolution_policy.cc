// SPDX-License-Identifier: Apache-2.0
//
// Times below are for the relaxed build in Node.js 20, in ms, best of 5, where the registers' peak was 50
// GFLOP/s.
#include "ops/convolution/convolution_policy.h"

#include "kernels/channels_first_depthwise.h"
#include "kernels/winograd.h"
#include "ops/matrix/gemm.h"

namespace wasmvino::ops {
namespace {

using kernels::Conv;

bool is_matrix(const Conv& c) {
  return c.kernel.product() == 1 && c.stride.product() == 1 && c.pads[0] + c.pads[1] + c.pads[2] == 0 &&
         c.out_pixels() == c.in_pixels();
}

constexpr size_t kLeastChannels = 4;

// F(4x4) has four times the weights of the direct form. Filters transformed beforehand are read from memory
// in each run. Filters transformed during the run take no more memory than the direct form, and as much time
// as four tiles. In networks, where each layer finds other layers' data in L2, "beforehand" and "during the
// run" take:
// - 64 channels, 0.6 MB transformed: 1.74 and 1.90 with 196 tiles, 0.28 and 0.30 with 25, 0.16 and 0.14 with
//   9;
// - 80 to 128 channels, 1.5 MB, 25 tiles: 0.67 and 0.60;
// - 128 channels, 2.4 MB: 1.80 and 1.64 with 49 tiles, 0.52 and 0.39 with 9;
// - 256 channels, 9.4 MB, 16 tiles: 2.8 and 2.2.
constexpr size_t kLeastTilesBeforehand = 16, kMostBytesBeforehand = size_t{1} << 20;

// 512 channels at 7x7, 4 tiles, take 3.6 instead of 6.0 for the direct form. A single tile (512 channels at
// 4x4) takes 2.9 instead of 2.2. F(2x2) was never faster than both others (7x7: 5.8; 56x56: 2.8).
constexpr size_t kLeastTiles = 4;

// Kernels over depth. The direct form skips planes of padding, and the more channels, the fewer tiles a block
// has. In Node.js 24, direct and F(4x4) take:
// - 32 channels at 8x28x28: 7.1 and 2.9; 128 channels at 4x14x14, 64 tiles: 13.2 and 7.7;
// - 256 channels at 4x14x14: 54 and 52; at 2x7x7, 8 tiles: 4.9 and 6.4.
constexpr size_t kLeastTilesOverDepth = 16, kMostRowsOverDepth = 512;

bool fits_winograd(const Conv& c) {
  const bool flat = c.kernel[0] == 1;
  return kernels::winograd_fits(c) && c.in_channels >= kLeastChannels && c.out_channels >= kLeastChannels &&
         (flat || c.kernel[0] * c.in_channels <= kMostRowsOverDepth) &&
         kernels::winograd_tiles(c) >= (flat ? kLeastTiles : kLeastTilesOverDepth);
}

// On NCHW data with narrow rows, vectors are partly empty. 576 channels at 14x14 take 0.37 in NCHW and 0.10
// channels last, where two transpositions cost 0.1. 96 channels at 112x112 take 1.7 against 1.7 and 1.2.
constexpr size_t kLeastWidth = 24;

}  // namespace

bool is_depthwise(const Conv& c) { return c.groups > 1 && c.in_channels == 1 && c.out_channels == 1; }

ConvolutionForm choose_convolution(const Conv& c, const ConvolutionSituation& situation) {
  // With one channel, NHWC and NCHW are the same.
  const bool one_plane = c.groups * c.in_channels * c.out_channels == 1;
  const bool channels_first = (situation.channels_first || one_plane) && !situation.residual;
  const bool planes = channels_first && kernels::channels_first_depthwise_fits(c) && c.out[2] >= kLeastWidth;
  if (is_depthwise(c)) {
    return planes ? ConvolutionForm::kChannelsFirstDepthwise : ConvolutionForm::kDepthwise;
  }
  if (planes) return ConvolutionForm::kChannelsFirstDepthwise;
  if (!situation.quantised && !(channels_first && is_matrix(c)) && kernels::few_outputs_fit(c))
    return ConvolutionForm::kFewOutputs;
  if (is_matrix(c)) {
    // Packing pixels costs a twentieth of the matmul; transposing them and the result costs a tenth (256
    // channels at 28x28).
    const bool wide = c.out.product() >= kernels::kPanelColumns;
    return channels_first && wide && !situation.quantised ? ConvolutionForm::kChannelsFirstMatrix
                                                          : ConvolutionForm::kMatrix;
  }
  if (!situation.constant_filters || !fits_winograd(c)) return ConvolutionForm::kIndirect;
  const bool beforehand = kernels::winograd_tiles(c) >= kLeastTilesBeforehand && !situation.quantised &&
                          kernels::packed_winograd_size(c) * sizeof(float) <= kMostBytesBeforehand;
  return beforehand ? ConvolutionForm::kWinograd : ConvolutionForm::kWinogradFromDirect;
}

size_t convolution_parts(size_t threads, const Conv& c) {
  return gemm_parts(threads, c.out_pixels(), c.groups * c.out_channels, c.in_channels * c.kernel.product());
}

}  // namespace wasmvino::ops
