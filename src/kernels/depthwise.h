// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions and pooling in f32 over channels-last tensors: what works on each channel for
// itself, with vectors across channels.
#pragma once

#include "kernels/conv.h"

namespace wasmvino::kernels {

// --- Depthwise convolution: groups channels, one in and one out each ---------------------------------------

// Weights packed as [tap][channels, filled up to a multiple of 4], in floats.
size_t packed_depthwise_size(const Conv& conv);
// As for pack_conv(); out_stride and in_stride are not used.
void pack_depthwise(const Conv& conv, const ConvWeights& weights, float* packed);

// y = epilogue(depthwise convolution of x) for `rows` of [0, batch * out depth * out height).
void depthwise(const Conv& conv, const float* x, const float* packed, float* y, const Epilogue& epilogue,
               Range rows);

// --- Pooling: kernel, strides, dilations and pads as in a depthwise convolution of `groups` channels -------

enum class Pooling {
  kMaximum,
  kAverage,          // of the elements that a window meets
  kAverageWithPads,  // of as many as a window has taps, whatever lies outside
};

// y = pooled x for `rows` of [0, batch * out depth * out height). A maximum begins with the lowest finite
// number, as in OpenVINO: a window of nothing, -inf or NaN gives that. An average of nothing is NaN.
void pool(Pooling pooling, const Conv& conv, const float* x, float* y, Range rows);

}  // namespace wasmvino::kernels
