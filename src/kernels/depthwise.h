// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions and pooling in f32 over channels-last tensors: what works on each channel for
// itself, with vectors across channels.
#pragma once

#include <cstdint>

#include "kernels/conv.h"

namespace wasmvino::kernels {

// --- Depthwise convolution: groups channels, one in and one out each
// -----------------------------------------------------

// Weights packed as [tap][channels, filled up to a multiple of 4], in floats.
size_t packed_depthwise_size(const Conv& conv);
// As for pack_conv(); out_stride and in_stride are not used.
void pack_depthwise(const Conv& conv, const ConvWeights& weights, float* packed);

// y = epilogue(depthwise convolution of x) for `rows` of [0, batch * out depth * out height).
void depthwise(const Conv& conv, const float* x, const float* packed, float* y, const Epilogue& epilogue,
               Range rows);

// --- Pooling: kernel, strides, dilations and pads as in a depthwise convolution of `groups` channels
// ---------------------

enum class Pooling { kMaximum, kAverage };

struct PoolEnd {
  // Average only: whether positions in the padding count; those beyond `pads_end` never do (ceiling of
  // sizes).
  bool count_pads = false;
  Extents pads_end = {{0, 0, 0}};
};

// y = pooled x for `rows` of [0, batch * out depth * out height). A window that meets nothing gives -inf
// (maximum) or 0.
void pool(Pooling pooling, const Conv& conv, const PoolEnd& end, const float* x, float* y, Range rows);

// The same with the place of the first greatest element of each window in its plane: (z * height + y) * width
// + x, and -1 where a window meets nothing; `indices` as y. For MaxPool with indices, which are rare: not
// vectorised.
void max_pool_indices(const Conv& conv, const float* x, float* y, int64_t* indices, Range rows);

}  // namespace wasmvino::kernels
