// SPDX-License-Identifier: Apache-2.0
// Decides which kernel computes a convolution. The code that uses the kernel is elsewhere.
#pragma once

#include "kernels/conv.h"

namespace wasmvino::ops {

enum class ConvolutionForm : uint8_t {
  kMatrix,                  // 1x1: one matmul, pixels by weights
  kIndirect,                // tiles of GEMM that read their windows through pointers
  kFewOutputs,              // products of vectors, for few output channels
  kDepthwise,               // each channel separately
  kWinograd,                // F(4x4, 3x3)
  kWinogradFromDirect,      // the same, but transforms filters while running
  kChannelsFirstMatrix,     // 1x1 in NCHW: one matmul, weights by pixels
  kChannelsFirstDepthwise,  // each NCHW plane separately
};

// What the decision depends on besides sizes.
struct ConvolutionSituation {
  bool constant_filters = false;  // transformed and packed once
  bool quantised = false;         // constant filters stay quantised
  bool channels_first = false;    // data and output are NCHW
  bool residual = false;
};

// Whether each channel is convolved separately.
bool is_depthwise(const kernels::Conv& conv);

ConvolutionForm choose_convolution(const kernels::Conv& conv, const ConvolutionSituation& situation);

// The number of parts into which a convolution is best divided for `threads` threads.
size_t convolution_parts(size_t threads, const kernels::Conv& conv);

}  // namespace wasmvino::ops
