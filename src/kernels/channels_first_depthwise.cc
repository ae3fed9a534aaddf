// SPDX-License-Identifier: Apache-2.0
#include "kernels/channels_first_depthwise.h"

#include <algorithm>
#include <cstring>

#include "core/work.h"
#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Output rows computed from one band of padded input rows: few enough for the band to stay in the first-level
// cache, enough to keep the cost of the rows that two bands share low.
constexpr size_t kBandRows = 8;
constexpr size_t kVectors = 4, kMaxTaps = 256;
// A plane that several filters read is copied into bands for each of them. With more filters, tiles are
// faster if kernels are long: 251 taps on 16,000 elements take 0.34 ms per filter, and 1.5 for up to eight in
// a tile.
constexpr size_t kMostFilters = 4;
constexpr size_t kStep = kVectors * kLanes;

// A band holds padded input rows. Each row is split by the remainders of positions modulo the stride, so that
// the inputs of a vector of outputs are adjacent for any stride.
struct Band {
  size_t rows;   // of the input
  size_t parts;  // per row
  size_t width;  // of each part
  size_t row() const { return parts * width; }

  explicit Band(const Conv& c) : parts(c.stride[2]) {
    rows = (kBandRows - 1) * c.stride[1] + (c.kernel[1] - 1) * c.dilation[1] + 1;
    const size_t outputs = (c.out[2] + kStep - 1) / kStep * kStep;
    width = outputs + (c.kernel[2] - 1) * c.dilation[2] / c.stride[2] + 1;
  }
};

void fill(const Conv& c, const Band& band, const float* plane, size_t first_row, size_t rows, float* to) {
  for (size_t i = 0; i < rows; ++i) {
    float* row = to + i * band.row();
    const size_t y = first_row + i - c.pads[1];
    if (y >= c.in[1]) {
      std::fill_n(row, band.row(), 0.0f);
      continue;
    }
    const float* from = plane + y * c.in[2];
    for (size_t part = 0; part < band.parts; ++part, row += band.width) {
      // Element j is input part + j * stride - pad.
      const size_t stride = c.stride[2], pad = c.pads[2];
      const size_t begin = part >= pad ? 0 : std::min(band.width, (pad - part + stride - 1) / stride);
      const size_t end = std::clamp((c.in[2] + pad - std::min(c.in[2] + pad, part) + stride - 1) / stride,
                                    begin, band.width);
      std::fill_n(row, begin, 0.0f);
      if (begin < end) {
        const float* source = from + (part + begin * stride - pad);
        if (stride == 1) {
          std::memcpy(row + begin, source, (end - begin) * sizeof(float));
        } else {
          for (size_t j = begin; j < end; ++j, source += stride) row[j] = *source;
        }
      }
      std::fill(row + end, row + band.width, 0.0f);
    }
  }
}

// Computes the offset of each tap relative to the first input row of an output row. Returns the number of
// taps.
size_t fill_offsets(const Conv& c, const Band& band, size_t* offsets) {
  size_t count = 0;
  for (size_t ky = 0; ky < c.kernel[1]; ++ky) {
    for (size_t kx = 0; kx < c.kernel[2]; ++kx) {
      const size_t shift = kx * c.dilation[2];
      offsets[count++] =
          ky * c.dilation[1] * band.row() + shift % c.stride[2] * band.width + shift / c.stride[2];
    }
  }
  return count;
}

// Computes one output row. If the number of taps is known at compile time, their weights stay in registers.
template <size_t kTaps>
HWY_NOINLINE void compute_row(const float* rows, const size_t* offsets, size_t taps, const float* weights,
                              VF bias, const Clamp& clamp, float* y, size_t width) {
  VF weight[kTaps > 0 ? kTaps : 1];
  HWY_UNROLL(9)
  for (size_t t = 0; t < kTaps; ++t) weight[t] = load_splat(weights + t);
  for (size_t x = 0; x < width; x += kStep) {
    VF sum[kVectors];
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) sum[v] = bias;
    if constexpr (kTaps > 0) {
      HWY_UNROLL(9)
      for (size_t t = 0; t < kTaps; ++t) {
        const float* in = rows + offsets[t] + x;
        HWY_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v) sum[v] = mul_add(load(in + v * kLanes), weight[t], sum[v]);
      }
    } else {
      for (size_t t = 0; t < taps; ++t) {
        const float* in = rows + offsets[t] + x;
        const VF w = load_splat(weights + t);
        HWY_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v) sum[v] = mul_add(load(in + v * kLanes), w, sum[v]);
      }
    }
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t at = x + v * kLanes;
      const VF result = clamp(sum[v]);
      if (at + kLanes <= width) {
        store(result, y + at);
      } else if (at < width) {
        store_part(result, y + at, width - at);
      }
    }
  }
}

}  // namespace

bool channels_first_depthwise_fits(const Conv& c) {
  const bool one_filter_each = c.out_channels == 1 || (c.groups == 1 && c.out_channels <= kMostFilters);
  return c.in_channels == 1 && one_filter_each && c.kernel[0] == 1 && c.stride[0] == 1 && c.in[0] == 1 &&
         c.out[0] == 1 && c.pads[0] == 0 && c.stride[2] <= 4 && c.out[2] >= kLanes &&
         c.kernel.product() <= kMaxTaps;
}

size_t channels_first_depthwise_scratch_size(const Conv& c) {
  const Band band(c);
  return (CheckedSize(band.rows) * band.parts * band.width).value();
}

void channels_first_depthwise(const Conv& c, const float* x, const float* weights, float* y,
                              const Epilogue& epilogue, float* scratch, Range planes) {
  const Band band(c);
  const Clamp clamp(epilogue.bounds);
  size_t offsets[kMaxTaps];
  const size_t taps = fill_offsets(c, band, offsets);
  const size_t in = c.in[1] * c.in[2], out = c.out[1] * c.out[2];
  for (size_t plane = planes.begin; plane < planes.end; ++plane) {
    const size_t channel = plane % (c.groups * c.out_channels);
    const VF bias = set(epilogue.bias != nullptr ? epilogue.bias[channel] : 0.0f);
    for (size_t first = 0; first < c.out[1]; first += kBandRows) {
      const size_t count = std::min(kBandRows, c.out[1] - first);
      const size_t rows = (count - 1) * c.stride[1] + (c.kernel[1] - 1) * c.dilation[1] + 1;
      fill(c, band, x + plane / c.out_channels * in, first * c.stride[1], rows, scratch);
      for (size_t i = 0; i < count; ++i) {
        count_work((c.out[2] / kLanes + 1) * taps);
        float* row = y + plane * out + (first + i) * c.out[2];
        (taps == 9 ? compute_row<9> : compute_row<0>)(scratch + i * c.stride[1] * band.row(), offsets, taps,
                                                      weights + channel * taps, bias, clamp, row, c.out[2]);
        activate_stored(epilogue, row, c.out[2]);
      }
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
