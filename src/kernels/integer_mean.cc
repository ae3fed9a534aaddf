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

// Sums of 16 channels.
class Sums {
 public:
  // Adds `count` pixels, each `stride` bytes after the one before it. `width` channels can be read.
  HWY_INLINE void add(const uint8_t* x, size_t stride, size_t count, size_t width) {
    for (size_t i = 0; i < count; ++i, x += stride) {
      const auto bytes = hn::LoadU(U8x16(), width >= kMeanChannels ? x : Part<uint8_t, 16>(x, width).values);
      low_ = hn::Add(low_, hn::PromoteLowerTo(U16(), bytes));
      high_ = hn::Add(high_, hn::PromoteUpperTo(U16(), bytes));
      if (++taps_ == kTapsOfShort) widen();
    }
  }
  HWY_INLINE void widen() {
    sum_[0] = hn::Add(sum_[0], hn::BitCast(I32x4(), hn::PromoteLowerTo(U32(), low_)));
    sum_[1] = hn::Add(sum_[1], hn::BitCast(I32x4(), hn::PromoteUpperTo(U32(), low_)));
    sum_[2] = hn::Add(sum_[2], hn::BitCast(I32x4(), hn::PromoteLowerTo(U32(), high_)));
    sum_[3] = hn::Add(sum_[3], hn::BitCast(I32x4(), hn::PromoteUpperTo(U32(), high_)));
    low_ = high_ = hn::Zero(U16());
    taps_ = 0;
  }
  HWY_INLINE VI operator[](size_t i) const { return sum_[i]; }

 private:
  using U16 = hn::FixedTag<uint16_t, 8>;
  using U32 = hn::FixedTag<uint32_t, 4>;

  hn::Vec<U16> low_ = hn::Zero(U16()), high_ = hn::Zero(U16());
  VI sum_[4] = {hn::Zero(I32x4()), hn::Zero(I32x4()), hn::Zero(I32x4()), hn::Zero(I32x4())};
  size_t taps_ = 0;
};

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
    for (size_t channel = channels.begin; channel < channels.end; channel += kMeanChannels) {
      const size_t width = std::min(kMeanChannels, channels.end - channel);
      Sums sums;
      for (size_t kz = tz.begin; kz < tz.end; ++kz) {
        for (size_t ky = ty.begin; ky < ty.end; ++ky) {
          const size_t iz = pixel.z * c.stride[0] + kz * c.dilation[0] - c.pads[0];
          const size_t iy = pixel.y * c.stride[1] + ky * c.dilation[1] - c.pads[1];
          const size_t ix = pixel.x * c.stride[2] + tx.begin * c.dilation[2] - c.pads[2];
          const size_t first = ((pixel.n * c.in[0] + iz) * c.in[1] + iy) * c.in[2] + ix;
          sums.add(x + first * c.in_stride + channel, c.dilation[2] * c.in_stride, tx.size(), width);
        }
      }
      sums.widen();
      const VI taps = hn::Set(I32x4(), static_cast<int32_t>(inside));
      const VF divisor = set(static_cast<float>(count));
      const Output to = y.from(p, channel);
      store_means(sums[0], sums[1], taps, divisor, steps, channel, to, std::min<size_t>(width, 8));
      if (width > 8)
        store_means(sums[2], sums[3], taps, divisor, steps, channel + 8, to.from(0, 8), width - 8);
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
