// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_mean.h"

#include <algorithm>

#include "kernels/conv_windows.h"
#include "kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// This many bytes add up to less than 2^16.
constexpr size_t kTapsOfShort = 257;
// Blocks of 16 channels that are added together: a line of the cache. Block by block, each line would be
// loaded into L1 four times.
constexpr size_t kMostBlocks = 4;

using U16 = hn::FixedTag<uint16_t, 8>;
using U32 = hn::FixedTag<uint32_t, 4>;

// Adds `count` pixels, at most kTapsOfShort, to the sums [16] of each block. 16 bytes can be read at each
// block of all pixels but the last one, where the last block has `width` bytes.
template <size_t kBlocks>
HWY_NOINLINE void add_pixels(const uint8_t* x, size_t stride, size_t count, size_t width, int32_t* sums) {
  const U8x16 d;
  hn::Vec<U16> low[kBlocks], high[kBlocks];
  HWY_UNROLL(4)
  for (size_t b = 0; b < kBlocks; ++b) low[b] = high[b] = hn::Zero(U16());
  const auto add = [&](size_t b, VB bytes) HWY_ATTR {
    low[b] = hn::Add(low[b], hn::PromoteLowerTo(U16(), bytes));
    high[b] = hn::Add(high[b], hn::PromoteUpperTo(U16(), bytes));
  };
  HWY_UNROLL(1)
  for (size_t i = 1; i < count; ++i, x += stride) {
    HWY_UNROLL(4)
    for (size_t b = 0; b < kBlocks; ++b) add(b, hn::LoadU(d, x + b * kMeanChannels));
  }
  HWY_UNROLL(4)
  for (size_t b = 0; b + 1 < kBlocks; ++b) add(b, hn::LoadU(d, x + b * kMeanChannels));
  add(kBlocks - 1, hn::LoadU(d, Part<uint8_t, 16>(x + (kBlocks - 1) * kMeanChannels, width).values));
  HWY_UNROLL(4)
  for (size_t b = 0; b < kBlocks; ++b, sums += kMeanChannels) {
    const auto widen = [&](size_t at, auto v) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(I32x4(), sums + at), hn::BitCast(I32x4(), v)), I32x4(), sums + at);
    };
    widen(0, hn::PromoteLowerTo(U32(), low[b]));
    widen(4, hn::PromoteUpperTo(U32(), low[b]));
    widen(8, hn::PromoteLowerTo(U32(), high[b]));
    widen(12, hn::PromoteUpperTo(U32(), high[b]));
  }
}

// Adds any number of pixels, each `stride` bytes after the one before it, to the sums of `channels`.
void add_pixels(const uint8_t* x, size_t stride, size_t count, size_t channels, int32_t* sums) {
  const size_t blocks = (channels + kMeanChannels - 1) / kMeanChannels;
  const size_t width = channels - (blocks - 1) * kMeanChannels;
  // Pixels are added one by one if what is read past the channels of one is not within the next one.
  const size_t most = blocks * kMeanChannels <= stride + channels ? kTapsOfShort : 1;
  while (count > 0) {
    const size_t some = std::min(count, most);
    (blocks == 4   ? add_pixels<4>
     : blocks == 3 ? add_pixels<3>
     : blocks == 2 ? add_pixels<2>
                   : add_pixels<1>)(x, stride, some, width, sums);
    x += some * stride;
    count -= some;
  }
}

// Taps [begin, end) of an axis whose positions are inside the data.
Range taps_inside(const Conv& c, size_t axis, size_t out) {
  Range taps = {c.kernel[axis], 0};
  for (size_t k = 0; k < c.kernel[axis]; ++k) {
    // Negative values wrap to large ones.
    if (out * c.stride[axis] + k * c.dilation[axis] - c.pads[axis] >= c.in[axis]) continue;
    taps.begin = std::min(taps.begin, k);
    taps.end = k + 1;
  }
  return taps.begin < taps.end ? taps : Range{0, 0};
}

// Stores eight means, or the first `width` of them.
HWY_INLINE void store_means(VI a, VI b, VI inside, VF count, const MeanSteps& steps, size_t channel,
                            const Output& to, size_t width) {
  const I32x4 d32;
  const int32_t* zero = steps.zero + channel;
  const float *scale = steps.scale + channel, *bias = steps.bias + channel;
  const auto finish = [&](VI sum, size_t lane) HWY_ATTR {
    const VI shifted = hn::Sub(sum, hn::Mul(inside, hn::LoadU(d32, zero + lane)));
    const VF mean = hn::Div(to_float(shifted), count);
    return clamp(scaled(mean, load(scale + lane), load(bias + lane)), set(steps.bounds.low),
                 set(steps.bounds.high));
  };
  const VF x = finish(a, 0), y = finish(b, kLanes);
  if (to.u8 != nullptr) return store_bytes(round_saturating(x), round_saturating(y), to.u8, width);
  if (width == 2 * kLanes) {
    store(x, to.f32);
    return store(y, to.f32 + kLanes);
  }
  store_part(x, to.f32, std::min(width, kLanes));
  if (width > kLanes) store_part(y, to.f32 + kLanes, width - kLanes);
}

}  // namespace

void mean_pool(Pooling kind, const Conv& c, const MeanSteps& steps, const uint8_t* x, const Output& y,
               Range pixels, Range channels) {
  Pixel pixel(c, pixels.begin);
  for (size_t p = pixels.begin; p < pixels.end; ++p, pixel.advance(c)) {
    const Range tz = taps_inside(c, 0, pixel.z), ty = taps_inside(c, 1, pixel.y),
                tx = taps_inside(c, 2, pixel.x);
    const size_t inside = tz.size() * ty.size() * tx.size();
    const size_t count = kind == Pooling::kAverage ? inside : c.kernel.product();
    constexpr size_t kMost = kMostBlocks * kMeanChannels;
    for (size_t channel = channels.begin; channel < channels.end; channel += kMost) {
      const size_t some = std::min(kMost, channels.end - channel);
      alignas(16) int32_t sums[kMost] = {};
      for (size_t kz = tz.begin; kz < tz.end; ++kz) {
        for (size_t ky = ty.begin; ky < ty.end; ++ky) {
          const size_t iz = pixel.z * c.stride[0] + kz * c.dilation[0] - c.pads[0];
          const size_t iy = pixel.y * c.stride[1] + ky * c.dilation[1] - c.pads[1];
          const size_t ix = pixel.x * c.stride[2] + tx.begin * c.dilation[2] - c.pads[2];
          const size_t first = ((pixel.n * c.in[0] + iz) * c.in[1] + iy) * c.in[2] + ix;
          add_pixels(x + first * c.in_stride + channel, c.dilation[2] * c.in_stride, tx.size(), some, sums);
        }
      }
      const VI taps = hn::Set(I32x4(), static_cast<int32_t>(inside));
      const VF divisor = set(static_cast<float>(count));
      for (size_t i = 0; i < some; i += 2 * kLanes) {
        const VI a = hn::LoadU(I32x4(), sums + i), b = hn::LoadU(I32x4(), sums + i + kLanes);
        store_means(a, b, taps, divisor, steps, channel + i, y.from(p, channel + i),
                    std::min(some - i, 2 * kLanes));
      }
    }
  }
}

void add_moments(const uint8_t* x, size_t stride, size_t rows, const uint8_t* end, int64_t* sums,
                 int64_t* squares) {
  const U8x16 d;
  const I32x4 d32;
  const V16 one = hn::Set(I16x8(), 1);
  VI sum[4], square[4];
  HWY_UNROLL(4)
  for (size_t i = 0; i < 4; ++i) sum[i] = square[i] = hn::Zero(d32);
  const auto load_row = [&](const uint8_t* from) HWY_ATTR {
    const auto left = static_cast<size_t>(end - from);
    return hn::LoadU(d, left >= kMeanChannels ? from : Part<uint8_t, kMeanChannels>(from, left).values);
  };
  const auto add = [&](size_t i, auto pairs) HWY_ATTR {
    const V16 v = hn::BitCast(I16x8(), pairs);
    sum[i] = add_pairs(v, one, sum[i]);
    square[i] = add_pairs(v, v, square[i]);
  };
  HWY_UNROLL(1)
  for (size_t r = 0; r < rows; r += 2, x += 2 * stride) {
    const VB a = load_row(x), b = r + 1 < rows ? load_row(x + stride) : hn::Zero(d);
    const VB low = hn::InterleaveLower(d, a, b), high = hn::InterleaveUpper(d, a, b);
    add(0, hn::PromoteLowerTo(U16(), low));
    add(1, hn::PromoteUpperTo(U16(), low));
    add(2, hn::PromoteLowerTo(U16(), high));
    add(3, hn::PromoteUpperTo(U16(), high));
  }
  alignas(16) int32_t sum_of[kMeanChannels], square_of[kMeanChannels];
  HWY_UNROLL(4)
  for (size_t i = 0; i < 4; ++i) {
    hn::Store(sum[i], d32, sum_of + i * kLanes);
    hn::Store(square[i], d32, square_of + i * kLanes);
  }
  for (size_t i = 0; i < kMeanChannels; ++i) {
    sums[i] += sum_of[i];
    squares[i] += square_of[i];
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
