// SPDX-License-Identifier: Apache-2.0
// Convolutions of known sizes, as kernels take them.
#pragma once

#include "kernels/conv.h"
#include "ops/convolution/convolution_base.h"

namespace wasmvino::ops {

// Channels of all groups together.
inline size_t in_channels(const kernels::Conv& c) { return c.groups * c.in_channels; }
inline size_t out_channels(const kernels::Conv& c) { return c.groups * c.out_channels; }

struct ConvolutionProblem {
  kernels::Conv conv;
  // Strides of the filters in elements; `data` is set while running.
  kernels::ConvWeights weights = {};
  bool transposed = false;
  ConvolutionFusion fusion;
};
ConvolutionProblem make_convolution(const Shape& data, const Shape& filters, const Shape& output,
                                    const ConvolutionSpec& spec, const ConvolutionFusion& fusion);

}  // namespace wasmvino::ops
