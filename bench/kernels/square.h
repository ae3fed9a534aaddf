// SPDX-License-Identifier: Apache-2.0
// Convolutions over square pictures, as cases of the kernel benchmark.
#pragma once

#include <string>

#include "kernels/conv.h"

namespace wasmvino::bench {

// A square picture, padded so that it keeps its size but for the stride.
inline kernels::Conv square(size_t in, size_t out, size_t size, size_t kernel, size_t stride = 1,
                            size_t groups = 1) {
  kernels::Conv c;
  c.groups = groups;
  c.in_channels = in;
  c.out_channels = out;
  c.in = {{1, size, size}};
  c.out = {{1, (size + stride - 1) / stride, (size + stride - 1) / stride}};
  c.kernel = {{1, kernel, kernel}};
  c.stride = {{1, stride, stride}};
  c.pads = {{0, (kernel - 1) / 2, (kernel - 1) / 2}};
  c.in_stride = groups * in;
  c.out_stride = groups * out;
  return c;
}

inline double operations(const kernels::Conv& c) {
  return 2.0 * static_cast<double>(c.out_pixels() * c.groups * c.out_channels) *
         static_cast<double>(c.in_channels * c.kernel.product());
}

inline std::string describe(const kernels::Conv& c) {
  const std::string channels = c.in_channels == 1 && c.groups > 1
                                   ? std::to_string(c.groups)
                                   : std::to_string(c.in_channels) + "->" + std::to_string(c.out_channels);
  return std::to_string(c.kernel[1]) + "x" + std::to_string(c.kernel[2]) + " " + channels + "@" +
         std::to_string(c.in[1]) + (c.stride[1] > 1 ? " s" + std::to_string(c.stride[1]) : "");
}

}  // namespace wasmvino::bench
