// SPDX-License-Identifier: Apache-2.0
#include "ops/common/convolution_policy.h"

namespace wasmvino::ops {
namespace {

using kernels::Conv;

bool is_depthwise(const Conv& c) { return c.groups > 1 && c.in_channels == 1 && c.out_channels == 1; }

bool is_matrix(const Conv& c) {
  return c.kernel.product() == 1 && c.stride.product() == 1 && c.pads.sizes[0] + c.pads[1] + c.pads[2] == 0 &&
         c.out_pixels() == c.in_pixels();
}

}  // namespace

ConvolutionForm choose_convolution(const Conv& c, bool) {
  if (is_depthwise(c)) return ConvolutionForm::kDepthwise;
  if (is_matrix(c)) return ConvolutionForm::kMatrix;
  return ConvolutionForm::kIndirect;
}

}  // namespace wasmvino::ops
