// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "core/work.h"
#include "kernels/pair-inl.h"
#include "kernels/reduce-inl.h"
#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t round_up(size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// The taps of a kernel axis that are inside the input, for an output position.
struct Taps {
  size_t first = 0, step = 1, count = 0;  // taps first, first + step, ...
  ptrdiff_t at = 0, move = 0;             // the input position of the first tap, and from one tap to the next

  Taps(const Conv& c, size_t axis, size_t out, bool transposed) {
    const size_t stride = c.stride[axis], dilation = c.dilation[axis];
    if (transposed) {
      // Tap k reads (out + pad - k * dilation) / stride, if that is an integer.
      const size_t from = out + c.pads[axis], common = std::gcd(stride, dilation);
      step = stride / common;
      const size_t last = std::min(step, c.kernel[axis]);
      while (first < last && first * dilation % stride != from % stride) ++first;
      if (first == last) return;
      at = (static_cast<ptrdiff_t>(from) - static_cast<ptrdiff_t>(first * dilation)) /
           static_cast<ptrdiff_t>(stride);
      move = -static_cast<ptrdiff_t>(dilation / common);
    } else {
      at = static_cast<ptrdiff_t>(out * stride) - static_cast<ptrdiff_t>(c.pads[axis]);
      move = static_cast<ptrdiff_t>(dilation);
    }
    // Skips taps outside, on the side where the first one is.
    const auto size = static_cast<ptrdiff_t>(c.in[axis]), length = std::abs(move);
    const ptrdiff_t outside = move > 0 ? -at : at - (size - 1);
    if (outside > 0) {
      const ptrdiff_t skipped = (outside + length - 1) / length;
      first += static_cast<size_t>(skipped) * step;
      at += skipped * move;
    }
    if (first >= c.kernel[axis] || at < 0 || at >= size) return;
    const ptrdiff_t left = (move > 0 ? size - 1 - at : at) / length;
    count = 1 + std::min((c.kernel[axis] - 1 - first) / step, static_cast<size_t>(left));
  }
};

// One row of the output: its batch index and the taps along depth and height.
struct Row {
  size_t n;
  Taps z, y;
  Row(const Conv& c, size_t row, bool transposed = false)
      : n(row / c.out[1] / c.out[0]),
        z(c, 0, row / c.out[1] % c.out[0], transposed),
        y(c, 1, row % c.out[1], transposed) {}
  // The input row of the taps number iz and iy of those inside.
  size_t in_row(const Conv& c, size_t iz, size_t iy) const {
    const auto at = [](const Taps& taps, size_t i) {
      return static_cast<size_t>(taps.at + static_cast<ptrdiff_t>(i) * taps.move);
    };
    return (n * c.in[0] + at(z, iz)) * c.in[1] + at(y, iy);
  }
};

// The range of output positions of a row whose windows are completely inside the input along the width.
Range inner_range(const Conv& c) {
  const size_t window = (c.kernel[2] - 1) * c.dilation[2] + 1;
  const size_t begin = std::min(c.out[2], (c.pads[2] + c.stride[2] - 1) / c.stride[2]);
  if (c.in[2] + c.pads[2] < window) return {begin, begin};
  const size_t end = std::min(c.out[2], (c.in[2] + c.pads[2] - window) / c.stride[2] + 1);
  return {begin, std::max(begin, end)};
}

// --- any kernel --------------------------------------------------------------------------------------------

// The values shared by all pixels of a block.
struct DepthwiseRow {
  const Conv& c;
  const Row& row;
  const float* x;
  const float* weights;
  size_t weight_stride;  // floats from one tap's weights to the next
  const Epilogue& epilogue;
  Clamp clamp;
};

// Computes kPixels pixels by kVectors vectors of channels; `lanes` of the last vector are used. Weights are
// loaded once for all pixels: 4 x 2 needs 10 loads for 8 multiply-adds.
template <size_t kPixels, size_t kVectors>
HWY_INLINE void block(const DepthwiseRow& d, const Taps& kx, size_t channel, size_t lanes, float* y,
                      size_t pixel) {
  const Conv& c = d.c;
  const auto load_x = [&](const float* p, size_t v) HWY_ATTR {
    return v + 1 < kVectors || lanes == kLanes ? load(p) : load_part(p, lanes);
  };
  const float* biases = d.epilogue.bias != nullptr ? d.epilogue.bias + channel : kZeroFloats;
  VF sum[kPixels][kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    const VF bias = load_x(biases + v * kLanes, v);
    HWY_UNROLL(4)
    for (size_t p = 0; p < kPixels; ++p) sum[p][v] = bias;
  }
  const size_t pixel_step = c.stride[2] * c.in_stride, weight_step = kx.step * d.weight_stride;
  const ptrdiff_t tap_step = kx.move * static_cast<ptrdiff_t>(c.in_stride);
  const Taps &z = d.row.z, &y_taps = d.row.y;
  for (size_t iz = 0; iz < (kx.count > 0 ? z.count : 0); ++iz) {  // nothing to read if no tap is inside
    for (size_t iy = 0; iy < y_taps.count; ++iy) {
      const size_t kz = z.first + iz * z.step, ky = y_taps.first + iy * y_taps.step;
      const float* w =
          d.weights + ((kz * c.kernel[1] + ky) * c.kernel[2] + kx.first) * d.weight_stride + channel;
      const float* x =
          d.x + (d.row.in_row(c, iz, iy) * c.in[2] + static_cast<size_t>(kx.at)) * c.in_stride + channel;
      for (size_t k = kx.count; k > 0; --k, w += weight_step, x += tap_step) {
        HWY_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v) {
          const VF weight = load(w + v * kLanes);
          HWY_UNROLL(4)
          for (size_t p = 0; p < kPixels; ++p) {
            sum[p][v] = mul_add(load_x(x + p * pixel_step + v * kLanes, v), weight, sum[p][v]);
          }
        }
      }
    }
  }
  HWY_UNROLL(4)
  for (size_t p = 0; p < kPixels; ++p) {
    if (d.epilogue.residual) {
      const float* residual = d.epilogue.residual.from(pixel + p, channel).f32;
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) sum[p][v] = hn::Add(sum[p][v], load_x(residual + v * kLanes, v));
    }
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) sum[p][v] = d.clamp(sum[p][v]);
    float* to = y + p * c.out_stride + channel;
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v)
      v + 1 < kVectors || lanes == kLanes ? store(sum[p][v], to + v * kLanes)
                                          : store_part(sum[p][v], to + v * kLanes, lanes);
  }
}

template <size_t kPixels>
HWY_NOINLINE void all_channels(const DepthwiseRow& d, const Taps& kx, float* y, size_t pixel) {
  size_t channel = 0;
  for (; channel + 2 * kLanes <= d.c.groups; channel += 2 * kLanes)
    block<kPixels, 2>(d, kx, channel, kLanes, y, pixel);
  for (; channel < d.c.groups; channel += kLanes) {
    block<kPixels, 1>(d, kx, channel, std::min(kLanes, d.c.groups - channel), y, pixel);
  }
}

// --- 3x3, stride 1 -----------------------------------------------------------------------------------------

// Slides along a row with one vector of channels. Nine weights stay in registers, and each input is loaded
// once. Each input column contributes to three adjacent sums. These contributions are computed first, so that
// only additions form a chain from column to column. Rows outside the input are read from `zeros`, with a
// step of 0.
struct Columns {
  const float* rows[3];  // at input column begin - 1 (not read if outside)
  size_t steps[3];
  bool left, right;  // whether the columns before and after are inside the input
  size_t count;      // output columns
};

template <typename V>
HWY_NOINLINE void slide_3x3(Columns s, const float* w, size_t weight_stride, const float* bias_of,
                            const Clamp& clamp_to, float* y, size_t out_stride) {
  V weight[9];
  HWY_UNROLL(9)
  for (size_t t = 0; t < 9; ++t) weight[t] = load_floats<V>(w + t * weight_stride);
  const V bias = load_floats<V>(bias_of);
  const VF low = clamp_to.low, high = clamp_to.high;
  const float *r0 = s.rows[0], *r1 = s.rows[1], *r2 = s.rows[2];
  // `one`: the first part of the current sum; `two`: its first two parts.
  V one = bias, two = bias;
  if (s.left) {
    const V a = load_floats<V>(r0), b = load_floats<V>(r1), c = load_floats<V>(r2);
    one = mul_add(c, weight[6], mul_add(b, weight[3], mul_add(a, weight[0], bias)));
  }
  r0 += s.steps[0], r1 += s.steps[1], r2 += s.steps[2];
  {
    const V a = load_floats<V>(r0), b = load_floats<V>(r1), c = load_floats<V>(r2);
    two = mul_add(c, weight[7], mul_add(b, weight[4], mul_add(a, weight[1], one)));
    one = mul_add(c, weight[6], mul_add(b, weight[3], mul_add(a, weight[0], bias)));
    r0 += s.steps[0], r1 += s.steps[1], r2 += s.steps[2];
  }
  for (size_t i = s.right ? s.count : s.count - 1; i > 0; --i) {
    const V a = load_floats<V>(r0), b = load_floats<V>(r1), c = load_floats<V>(r2);
    const V third = mul_add(c, weight[8], mul_add(b, weight[5], multiply(a, weight[2])));
    const V second = mul_add(c, weight[7], mul_add(b, weight[4], multiply(a, weight[1])));
    const V first = mul_add(c, weight[6], mul_add(b, weight[3], mul_add(a, weight[0], bias)));
    store(clamp(add(two, third), low, high), y);
    two = add(one, second);
    one = first;
    y += out_stride;
    r0 += s.steps[0], r1 += s.steps[1], r2 += s.steps[2];
  }
  if (!s.right) store(clamp(two, low, high), y);
}

bool slides(const Conv& c, const Epilogue& epilogue) {
  return c.kernel[0] == 1 && c.kernel[1] == 3 && c.kernel[2] == 3 && c.stride[1] == 1 && c.stride[2] == 1 &&
         c.dilation[1] == 1 && c.dilation[2] == 1 && c.pads[2] <= 1 && c.groups % kLanes == 0 &&
         c.out[2] <= c.in[2] + 2 * c.pads[2] - 2 && c.in[2] >= 2 && !epilogue.residual;
}

// Channels and columns processed at a time. Three rows of 64 channels by 28 columns are 23 KB, which stay in
// L1 while one vector of channels after the other slides over them.
constexpr size_t kSlideChannels = 64, kSlideColumns = 28;

void slide_row(const Conv& c, const Row& row, const float* x, const float* packed, float* y,
               const Epilogue& epilogue, const Clamp& clamp) {
  const size_t weight_stride = round_up(c.groups), width = c.out[2], pad = c.pads[2];
  const float* input[3];
  for (size_t ky = 0; ky < 3; ++ky) {
    const bool inside = row.z.count > 0 && ky >= row.y.first && ky < row.y.first + row.y.count;
    input[ky] = inside ? x + row.in_row(c, 0, ky - row.y.first) * c.in[2] * c.in_stride : nullptr;
  }
  for (size_t block = 0; block < c.groups; block += kSlideChannels) {
    const size_t channels = std::min(c.groups, block + kSlideChannels);
    for (size_t begin = 0; begin < width; begin += kSlideColumns) {
      const size_t end = std::min(width, begin + kSlideColumns);
      for (size_t channel = block; channel < channels;) {
        const ptrdiff_t first = (static_cast<ptrdiff_t>(begin) - static_cast<ptrdiff_t>(pad)) *
                                static_cast<ptrdiff_t>(c.in_stride);
        Columns s;
        s.left = begin >= pad;
        s.right = end + 1 - pad < c.in[2];
        s.count = end - begin;
        for (size_t ky = 0; ky < 3; ++ky) {
          const bool inside = input[ky] != nullptr;
          s.steps[ky] = inside ? c.in_stride : 0;
          s.rows[ky] = inside ? input[ky] + first + static_cast<ptrdiff_t>(channel) : kZeroFloats;
        }
        const bool pair = channel + 2 * kLanes <= channels;
        (pair ? slide_3x3<FloatPair>
              : slide_3x3<VF>)(s, packed + channel, weight_stride,
                               epilogue.bias != nullptr ? epilogue.bias + channel : kZeroFloats, clamp,
                               y + begin * c.out_stride + channel, c.out_stride);
        channel += pair ? 2 * kLanes : kLanes;
      }
    }
  }
}

// --- pooling -----------------------------------------------------------------------------------------------

// Initial value of a maximum. Only greater values replace it, so NaN is ignored (Max then returns its second
// operand).
constexpr float kLowest = std::numeric_limits<float>::lowest();

template <bool kMax, size_t kVectors>
HWY_INLINE void pool_block(const Conv& c, const Row& row, const Taps& kx, const float* x, float* y,
                           size_t channel, size_t lanes, VF scale) {
  VF sum[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) sum[v] = set(kMax ? kLowest : 0.0f);
  for (size_t iz = 0; iz < (kx.count > 0 ? row.z.count : 0); ++iz) {  // nothing to read if no tap is inside
    for (size_t iy = 0; iy < row.y.count; ++iy) {
      const float* p =
          x + (row.in_row(c, iz, iy) * c.in[2] + static_cast<size_t>(kx.at)) * c.in_stride + channel;
      for (size_t k = kx.count; k > 0; --k, p += c.dilation[2] * c.in_stride) {
        HWY_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v) {
          const VF value = lanes == kLanes ? load(p + v * kLanes) : load_part(p + v * kLanes, lanes);
          sum[v] = kMax ? hn::Max(value, sum[v]) : hn::Add(sum[v], value);
        }
      }
    }
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    const VF result = kMax ? sum[v] : hn::Mul(sum[v], scale);
    lanes == kLanes ? store(result, y + channel + v * kLanes)
                    : store_part(result, y + channel + v * kLanes, lanes);
  }
}

template <bool kMax>
void pool_rows(Pooling pooling, const Conv& c, const float* x, float* y, const Range& rows) {
  for (size_t r = rows.begin; r < rows.end; ++r) {
    const Row row(c, r);
    for (size_t ox = 0; ox < c.out[2]; ++ox) {
      const Taps kx(c, 2, ox, false);
      const size_t met = row.z.count * row.y.count * kx.count;
      count_work((met + 1) * (c.groups / kLanes + 1));
      const size_t count = pooling == Pooling::kAverageWithPads ? c.kernel.product() : met;
      const VF scale = set(1.0f / static_cast<float>(count));
      float* to = y + (r * c.out[2] + ox - c.out_first) * c.out_stride;
      size_t channel = 0;
      for (; channel + 4 * kLanes <= c.groups; channel += 4 * kLanes) {
        pool_block<kMax, 4>(c, row, kx, x, to, channel, kLanes, scale);
      }
      for (; channel < c.groups; channel += kLanes) {
        pool_block<kMax, 1>(c, row, kx, x, to, channel, std::min(kLanes, c.groups - channel), scale);
      }
    }
  }
}

}  // namespace

size_t packed_depthwise_size(const Conv& c) {
  return (CheckedSize(c.kernel.product()) * round_up(c.groups)).value();
}

void pack_depthwise(const Conv& c, const ConvWeights& weights, float* packed) {
  for (size_t tap = 0; tap < c.kernel.product(); ++tap) {
    count_work(c.groups);
    for (size_t g = 0; g < round_up(c.groups); ++g) {
      *packed++ = g < c.groups ? weights.data[g * weights.group_stride + tap * weights.tap_stride] : 0.0f;
    }
  }
}

void depthwise(const Conv& c, const float* x, const float* packed, float* y, const Epilogue& epilogue,
               Range rows) {
  const Clamp clamp(epilogue.bounds);
  const Range inner = inner_range(c);
  const bool sliding = slides(c, epilogue);
  for (size_t r = rows.begin; r < rows.end; ++r) {
    const Row row(c, r);
    float* to = y + (r * c.out[2] - c.out_first) * c.out_stride;
    if (sliding) {
      count_work(c.out[2] * c.groups);
      slide_row(c, row, x, packed, to, epilogue, clamp);
    } else {
      const DepthwiseRow d = {c, row, x, packed, round_up(c.groups), epilogue, clamp};
      size_t ox = 0;
      while (ox < c.out[2]) {
        const Taps kx(c, 2, ox, false);
        const size_t pixels = ox >= inner.begin && ox + 4 <= inner.end ? 4 : 1;
        (pixels == 4 ? all_channels<4> : all_channels<1>)(d, kx, to + ox * c.out_stride, r * c.out[2] + ox);
        count_work((row.z.count * row.y.count * kx.count + 1) * (c.groups / kLanes + 1) * pixels);
        ox += pixels;
      }
    }
    for (size_t ox = 0; ox < c.out[2]; ++ox) activate_stored(epilogue, to + ox * c.out_stride, c.groups);
  }
}

void transposed_depthwise(const Conv& c, const float* x, const float* packed, float* y,
                          const Epilogue& epilogue, Range rows) {
  const Clamp clamp(epilogue.bounds);
  for (size_t r = rows.begin; r < rows.end; ++r) {
    const Row row(c, r, true);
    const DepthwiseRow d = {c, row, x, packed, round_up(c.groups), epilogue, clamp};
    float* to = y + (r * c.out[2] - c.out_first) * c.out_stride;
    for (size_t ox = 0; ox < c.out[2]; ++ox, to += c.out_stride) {
      const Taps kx(c, 2, ox, true);
      all_channels<1>(d, kx, to, r * c.out[2] + ox);
      activate_stored(epilogue, to, c.groups);
      count_work(saturating_product(row.z.count, row.y.count, kx.count, c.groups));
    }
  }
}

void pool(Pooling pooling, const Conv& c, const float* x, float* y, Range rows) {
  pooling == Pooling::kMaximum ? pool_rows<true>(pooling, c, x, y, rows)
                               : pool_rows<false>(pooling, c, x, y, rows);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
