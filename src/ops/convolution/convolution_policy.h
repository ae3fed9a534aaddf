// SPDX-License-Identifier: Apache-2.0
// Which kernel computes a convolution: the decision, apart from the code that carries it out.
#pragma once

#include "kernels/conv.h"

namespace wasmvino::ops {

enum class ConvolutionForm : uint8_t {
  kMatrix,              // 1x1: one matmul, pixels by weights
  kIndirect,            // tiles of GEMM that read their windows through pointers
  kDepthwise,           // each channel for itself
  kWinograd,            // F(4x4, 3x3)
  kWinogradFromDirect,  // the same, filters transformed while running
  kPlanarMatrix,        // 1x1 in NCHW: one matmul, weights by pixels
  kPlanarDepthwise,     // each plane for itself
};

// What the decision depends on beside sizes.
struct ConvolutionSituation {
  bool constant_filters = false;  // they are transformed and packed once
  bool compressed = false;        // constant filters stay quantised
  bool planar = false;            // data and output are planes
  bool residual = false;
};

// Whether each channel is convolved for itself.
bool is_depthwise(const kernels::Conv& conv);

ConvolutionForm choose_convolution(const kernels::Conv& conv, const ConvolutionSituation& situation);

// Into how many parts a convolution is worth cutting for `threads` threads.
size_t convolution_parts(size_t threads, const kernels::Conv& conv);

}  // namespace wasmvino::ops
