// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions and pooling in f32 over channels-last tensors. They process each channel separately,
// with vectors across channels.
#pragma once

#include "kernels/conv.h"
#include "kernels/functions.h"

namespace wasmvino::kernels {

// --- Depthwise convolution: `groups` channels, one input and one output each ------------------------------

// Size of weights packed as [tap][channels, padded to a multiple of 4], in floats.
size_t packed_depthwise_size(const Conv& conv);
// Like pack_conv(); out_stride and in_stride are not used.
void pack_depthwise(const Conv& conv, const ConvWeights& weights, float* packed);

// y = epilogue(depthwise convolution of x) for `rows` of [0, batch * out depth * out height).
void depthwise(const Conv& conv, const float* x, const float* packed, float* y, const Epilogue& epilogue,
               Range rows);
// The same for a transposed convolution (transposed_conv() in conv.h), with weights packed in the same form.
void transposed_depthwise(const Conv& conv, const float* x, const float* packed, float* y,
                          const Epilogue& epilogue, Range rows);

// --- Pooling: kernel, strides, dilations and pads as in a depthwise convolution of `groups` channels -------

// y = pooled x for `rows` of [0, batch * out depth * out height). A maximum starts from the lowest finite
// number, as in OpenVINO: a window without elements, or with -inf or NaN only, gives that number. An average
// of no elements is NaN.
void pool(Pooling pooling, const Conv& conv, const float* x, float* y, Range rows);

}  // namespace wasmvino::kernels
