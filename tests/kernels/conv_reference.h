// SPDX-License-Identifier: Apache-2.0
// Convolutions by their definition, in double precision, and shapes for tests of convolutions.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/conv.h"
#include "tests/kernels/random.h"

namespace wasmvino::kernels {

inline Conv make_conv(size_t in_channels, size_t out_channels, Extents in, Extents kernel,
                      Extents stride = {}, Extents pads = {{0, 0, 0}}, Extents dilation = {},
                      size_t groups = 1, size_t batch = 1) {
  Conv c;
  c.batch = batch;
  c.groups = groups;
  c.in_channels = in_channels;
  c.out_channels = out_channels;
  c.in = in;
  c.kernel = kernel;
  c.stride = stride;
  c.pads = pads;
  c.dilation = dilation;
  return c;
}

inline Conv make_depthwise(size_t channels, Extents in, Extents kernel, Extents stride = {},
                           Extents pads = {{0, 0, 0}}, Extents dilation = {}, size_t batch = 1) {
  return make_conv(1, 1, in, kernel, stride, pads, dilation, channels, batch);
}

// Sets the output's sizes for symmetric padding by `pads` on both sides.
inline void set_output_size(Conv& c) {
  for (size_t i = 0; i < 3; ++i) {
    const size_t window = (c.kernel[i] - 1) * c.dilation[i] + 1;
    c.out[i] = (c.in[i] + 2 * c.pads[i] - window) / c.stride[i] + 1;
  }
}

// Calls body(out pixel, in pixel, tap) for all combinations that exist.
template <typename Body>
void for_each_tap(const Conv& c, const Body& body) {
  for (size_t n = 0; n < c.batch; ++n) {
    for (size_t o = 0; o < c.out.product(); ++o) {
      const size_t out[3] = {o / c.out[2] / c.out[1], o / c.out[2] % c.out[1], o % c.out[2]};
      for (size_t tap = 0; tap < c.kernel.product(); ++tap) {
        const size_t k[3] = {tap / c.kernel[2] / c.kernel[1], tap / c.kernel[2] % c.kernel[1],
                             tap % c.kernel[2]};
        size_t in = n;
        bool inside = true;
        for (size_t i = 0; i < 3; ++i) {
          const ptrdiff_t p = static_cast<ptrdiff_t>(out[i] * c.stride[i] + k[i] * c.dilation[i]) -
                              static_cast<ptrdiff_t>(c.pads[i]);
          inside = inside && p >= 0 && p < static_cast<ptrdiff_t>(c.in[i]);
          in = in * c.in[i] + static_cast<size_t>(p);
        }
        if (inside) body(n * c.out.product() + o, in, tap);
      }
    }
  }
}

// Sums without epilogue: [out pixels][groups * out_channels], weights [group][out][in][tap].
inline std::vector<double> reference_conv(const Conv& c, const float* x, const float* w) {
  const size_t channels = c.groups * c.out_channels, taps = c.kernel.product();
  std::vector<double> y(c.out_pixels() * channels);
  for_each_tap(c, [&](size_t out, size_t in, size_t tap) {
    for (size_t g = 0; g < c.groups; ++g) {
      for (size_t o = 0; o < c.out_channels; ++o) {
        for (size_t i = 0; i < c.in_channels; ++i) {
          y[out * channels + g * c.out_channels + o] +=
              static_cast<double>(x[in * c.in_stride + g * c.in_channels + i]) *
              w[((g * c.out_channels + o) * c.in_channels + i) * taps + tap];
        }
      }
    }
  });
  return y;
}

}  // namespace wasmvino::kernels
