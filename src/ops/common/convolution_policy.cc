// SPDX-License-Identifier: Apache-2.0
#include "ops/common/convolution_policy.h"

#include <algorithm>

namespace wasmvino::ops {
namespace {

// Multiply-adds below which a second thread costs more than it saves: some 10 µs of one.
constexpr size_t kGrain = size_t{1} << 18;

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

size_t convolution_parts(size_t threads, const Conv& c) {
  const size_t multiply_adds =
      c.out_pixels() * c.groups * c.out_channels * c.in_channels * c.kernel.product();
  return std::clamp<size_t>(multiply_adds / kGrain, 1, threads);
}

}  // namespace wasmvino::ops
