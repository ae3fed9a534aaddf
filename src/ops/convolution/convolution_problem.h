// SPDX-License-Identifier: Apache-2.0
// Convolutions of known sizes, as kernels take them.
#pragma once

#include <string>

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
std::string text_of(const kernels::Extents& extents);
// Names how the filters' elements are read. One constant may have the filters of several convolutions, also
// in other forms: {1, 8, 4, 3} is 8 filters of one group and 4 channels, or one filter of 8 channels.
std::string filters_key(const ConvolutionProblem& problem);

}  // namespace wasmvino::ops
