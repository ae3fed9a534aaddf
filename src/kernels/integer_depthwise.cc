// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/integer-inl.h"
#include "kernels/integer_conv.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Taps that one inner product takes: their data are interleaved, channel by channel.
constexpr size_t taps_at_once(IntegerDot dot) { return dot == IntegerDot::kPairs ? 2 : 4; }
size_t padded_taps(const IntegerConv& c) {
  const size_t step = taps_at_once(c.dot);
  return (c.conv.kernel.product() + step - 1) / step * step;
}
size_t padded_channels(const Conv& c) {
  return (c.groups + kIntegerChannels - 1) / kIntegerChannels * kIntegerChannels;
}

HWY_INLINE VB load_block(const uint8_t* p, size_t count) {
  if (count >= 16) return hn::LoadU(U8x16(), p);
  return hn::LoadU(U8x16(), Part<uint8_t, 16>(p, count).values);
}

// Sums of 16 channels over all taps.
template <bool kQuads>
HWY_INLINE void sum_taps(const uint8_t* const* taps, size_t groups, size_t channel, size_t count, bool shift,
                         const int8_t* weights, VI (&sum)[4]) {
  const U8x16 d;
  for (size_t t = 0; t < groups; ++t, weights += (kQuads ? 4 : 2) * 16) {
    if constexpr (kQuads) {
      VB x[4];
      HWY_UNROLL(4)
      for (size_t i = 0; i < 4; ++i) {
        x[i] = load_block(taps[4 * t + i] + channel, count);
        if (shift) x[i] = hn::Xor(x[i], hn::Set(d, 128));
      }
      const hn::FixedTag<uint16_t, 8> d16;
      const auto a0 = hn::BitCast(d16, hn::InterleaveLower(d, x[0], x[1]));
      const auto a1 = hn::BitCast(d16, hn::InterleaveUpper(d, x[0], x[1]));
      const auto b0 = hn::BitCast(d16, hn::InterleaveLower(d, x[2], x[3]));
      const auto b1 = hn::BitCast(d16, hn::InterleaveUpper(d, x[2], x[3]));
      const auto add = [&](size_t i, auto v) HWY_ATTR {
        const VI w = hn::LoadU(I32x4(), reinterpret_cast<const int32_t*>(weights + 16 * i));
        sum[i] = add_quads(hn::BitCast(I32x4(), v), w, sum[i]);
      };
      add(0, hn::InterleaveLower(d16, a0, b0));
      add(1, hn::InterleaveUpper(d16, a0, b0));
      add(2, hn::InterleaveLower(d16, a1, b1));
      add(3, hn::InterleaveUpper(d16, a1, b1));
    } else {
      const VB x = load_block(taps[2 * t] + channel, count), y = load_block(taps[2 * t + 1] + channel, count);
      const VB low = hn::InterleaveLower(d, x, y), high = hn::InterleaveUpper(d, x, y);
      sum[0] = add_pairs(hn::PromoteLowerTo(I16x8(), low), load_signed(weights), sum[0]);
      sum[1] = add_pairs(hn::PromoteUpperTo(I16x8(), low), load_signed(weights + 8), sum[1]);
      sum[2] = add_pairs(hn::PromoteLowerTo(I16x8(), high), load_signed(weights + 16), sum[2]);
      sum[3] = add_pairs(hn::PromoteUpperTo(I16x8(), high), load_signed(weights + 24), sum[3]);
    }
  }
}

template <bool kQuads>
void compute_pixel(const IntegerConv& c, const uint8_t* const* taps, const int8_t* packed,
                   const IntegerEpilogue& epilogue, const IntegerOutput& out, size_t pixel) {
  const size_t channels = c.conv.groups, count = padded_taps(c) / (kQuads ? 4 : 2);
  const bool shift = c.dot == IntegerDot::kSigned;
  for (size_t channel = 0; channel < channels; channel += kIntegerChannels) {
    VI sum[4];
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) sum[i] = hn::LoadU(I32x4(), epilogue.start + channel + 4 * i);
    const size_t left = channels - channel;
    sum_taps<kQuads>(taps, count, channel, left, shift, packed + channel * padded_taps(c), sum);
    finish_sums(sum[0], sum[1], epilogue, out, pixel, channel, left);
    if (left > 8) finish_sums(sum[2], sum[3], epilogue, out, pixel, channel + 8, left - 8);
  }
}

}  // namespace

size_t integer_depthwise_weights_size(const Conv& c) {
  // For either form.
  return (CheckedSize(padded_channels(c)) * CheckedSize(c.kernel.product()).rounded_up(4)).value();
}

void pack_integer_depthwise(const IntegerConv& c, const int8_t* filters, const ConvWeights& places,
                            int8_t* packed, int32_t* sums) {
  const size_t step = taps_at_once(c.dot), taps = padded_taps(c);
  std::fill_n(sums, padded_channels(c.conv), 0);
  for (size_t block = 0; block < padded_channels(c.conv); block += kIntegerChannels) {
    for (size_t tap = 0; tap < taps; tap += step) {
      for (size_t channel = block; channel < block + kIntegerChannels; ++channel) {
        for (size_t t = tap; t < tap + step; ++t) {
          const bool inside = channel < c.conv.groups && t < c.conv.kernel.product();
          const int8_t value =
              inside ? filters[channel * places.group_stride + t * places.tap_stride] : int8_t{0};
          sums[channel] += value;
          *packed++ = value;
        }
      }
    }
  }
}

CheckedSize integer_depthwise_scratch_size(const Conv& c) {
  return CheckedSize(sizeof(const uint8_t*)) * CheckedSize(c.kernel.product()).rounded_up(4);
}

void integer_depthwise(const IntegerConv& c, const uint8_t* pads, const uint8_t* x, const int8_t* packed,
                       const IntegerEpilogue& epilogue, const IntegerOutput& out, char* scratch, Range rows) {
  const Conv& conv = c.conv;
  const auto** taps = reinterpret_cast<const uint8_t**>(scratch);
  // Those that fill up meet weights of 0.
  std::fill_n(taps, padded_taps(c), pads);
  for (size_t row = rows.begin; row < rows.end; ++row) {
    const size_t oy = row % conv.out[1], oz = row / conv.out[1] % conv.out[0];
    const size_t n = row / conv.out[1] / conv.out[0];
    for (size_t ox = 0; ox < conv.out[2]; ++ox) {
      size_t tap = 0;
      for (size_t kz = 0; kz < conv.kernel[0]; ++kz) {
        const size_t iz = oz * conv.stride[0] + kz * conv.dilation[0] - conv.pads[0];
        for (size_t ky = 0; ky < conv.kernel[1]; ++ky) {
          const size_t iy = oy * conv.stride[1] + ky * conv.dilation[1] - conv.pads[1];
          const bool inside = iz < conv.in[0] && iy < conv.in[1];  // what is negative is large
          const size_t line = ((n * conv.in[0] + iz) * conv.in[1] + iy) * conv.in[2];
          for (size_t kx = 0; kx < conv.kernel[2]; ++kx, ++tap) {
            const size_t ix = ox * conv.stride[2] + kx * conv.dilation[2] - conv.pads[2];
            taps[tap] = inside && ix < conv.in[2] ? x + (line + ix) * conv.in_stride : pads;
          }
        }
      }
      const size_t pixel = row * conv.out[2] + ox - conv.out_first;
      if constexpr (kHasRelaxedDot) {
        if (c.dot != IntegerDot::kPairs) {
          compute_pixel<true>(c, taps, packed, epilogue, out, pixel);
          continue;
        }
      }
      compute_pixel<false>(c, taps, packed, epilogue, out, pixel);
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
