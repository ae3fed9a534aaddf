// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/epilogue-inl.h"
#include "kernels/integer_conv.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Number of taps per inner product. Their data are interleaved, channel by channel.
constexpr size_t taps_at_once(IntegerDot dot) { return dot == IntegerDot::kPairs ? 2 : 4; }
size_t padded_taps(const IntegerConv& c) {
  const size_t step = taps_at_once(c.dot);
  return (c.conv.kernel.product() + step - 1) / step * step;
}
size_t padded_channels(const Conv& c) {
  return (c.groups + kIntegerChannels - 1) / kIntegerChannels * kIntegerChannels;
}

// Location of a pixel's taps.
struct Taps {
  const uint8_t* const* at;
  size_t advance;  // bytes to skip from each of them
};

// Sums 16 channels, or the remaining `count`, over all taps.
template <bool kQuads>
HWY_INLINE void sum_taps(const Taps& taps, size_t groups, size_t channel, size_t count, bool shift,
                         const int8_t* weights, VI (&sum)[4]) {
  const U8x16 d;
  const auto load_tap = [&](size_t tap) HWY_ATTR {
    const uint8_t* p = taps.at[tap] + taps.advance + channel;
    return hn::LoadU(d, count >= 16 ? p : Part<uint8_t, 16>(p, count).values);
  };
  for (size_t t = 0; t < groups; ++t, weights += (kQuads ? 4 : 2) * 16) {
    if constexpr (kQuads) {
      VB x[4];
      HWY_UNROLL(4)
      for (size_t i = 0; i < 4; ++i) {
        x[i] = load_tap(4 * t + i);
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
      const VB x = load_tap(2 * t), y = load_tap(2 * t + 1);
      const VB low = hn::InterleaveLower(d, x, y), high = hn::InterleaveUpper(d, x, y);
      sum[0] = add_pairs(hn::PromoteLowerTo(I16x8(), low), load_signed(weights), sum[0]);
      sum[1] = add_pairs(hn::PromoteUpperTo(I16x8(), low), load_signed(weights + 8), sum[1]);
      sum[2] = add_pairs(hn::PromoteLowerTo(I16x8(), high), load_signed(weights + 16), sum[2]);
      sum[3] = add_pairs(hn::PromoteUpperTo(I16x8(), high), load_signed(weights + 24), sum[3]);
    }
  }
}

// Computes all channels of a pixel, starting at `channel`, a multiple of 16.
template <bool kQuads>
void compute_pixel(const IntegerConv& c, const Taps& taps, const int8_t* packed, const Output& y,
                   const Epilogue& epilogue, size_t pixel, size_t channel) {
  const size_t channels = c.conv.groups, count = padded_taps(c) / (kQuads ? 4 : 2);
  const bool shift = c.dot == IntegerDot::kSigned;
  for (; channel < channels; channel += kIntegerChannels) {
    VI sum[4];
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) sum[i] = hn::LoadU(I32x4(), epilogue.start + channel + 4 * i);
    const size_t left = channels - channel;
    sum_taps<kQuads>(taps, count, channel, left, shift, packed + channel * padded_taps(c), sum);
    const VI first[1][2] = {{sum[0], sum[1]}}, second[1][2] = {{sum[2], sum[3]}};
    finish_sums(first, epilogue, y, pixel, channel, left);
    if (left > 8) finish_sums(second, epilogue, y, pixel, channel + 8, left - 8);
  }
}

// Computes eight channels of `count` adjacent pixels whose 3x3 windows are inside the data. The weights stay
// in ten registers.
template <bool kBytes>
void compute_nine_taps(const IntegerConv& c, const uint8_t* const* taps, const int8_t* packed,
                       const Output& y, const Epilogue& epilogue, size_t pixel, size_t count,
                       size_t channel) {
  const size_t half = channel % kIntegerChannels;
  const int8_t* weights = packed + (channel - half) * padded_taps(c) + 2 * half;
  V16 w[5][2];
  HWY_UNROLL(5)
  for (size_t t = 0; t < 5; ++t) {
    w[t][0] = load_signed(weights + 2 * kIntegerChannels * t);
    w[t][1] = load_signed(weights + 2 * kIntegerChannels * t + 8);
  }
  const Clamp clamp(epilogue.bounds);
  const size_t step = c.conv.stride[2] * c.conv.in_stride;
  size_t at = channel;
  HWY_UNROLL(1)
  for (size_t i = 0; i < count; ++i, at += step) {
    VI sum[1][2] = {
        {hn::LoadU(I32x4(), epilogue.start + channel), hn::LoadU(I32x4(), epilogue.start + channel + 4)}};
    HWY_UNROLL(4)
    for (size_t t = 0; t < 4; ++t) {
      const V16 a = load_unsigned(taps[2 * t] + at), b = load_unsigned(taps[2 * t + 1] + at);
      sum[0][0] = add_pairs(hn::InterleaveLower(I16x8(), a, b), w[t][0], sum[0][0]);
      sum[0][1] = add_pairs(hn::InterleaveUpper(I16x8(), a, b), w[t][1], sum[0][1]);
    }
    const V16 last = load_unsigned(taps[8] + at);
    sum[0][0] = add_pairs(hn::BitCast(I16x8(), hn::PromoteLowerTo(I32x4(), last)), w[4][0], sum[0][0]);
    sum[0][1] = add_pairs(hn::BitCast(I16x8(), hn::PromoteUpperTo(I32x4(), last)), w[4][1], sum[0][1]);
    finish_eights<kBytes, false>(sum, epilogue, clamp, y, pixel + i, channel);
  }
}

// Pixels [begin, end) of an output row whose windows are inside a line of the data.
Range pixels_within(const Conv& c) {
  const size_t reach = (c.kernel[2] - 1) * c.dilation[2], stride = c.stride[2];
  const size_t begin = std::min(c.out[2], (c.pads[2] + stride - 1) / stride);
  if (c.in[2] + c.pads[2] <= reach) return {begin, begin};
  const size_t end = std::min(c.out[2], (c.in[2] + c.pads[2] - reach - 1) / stride + 1);
  return {begin, std::max(begin, end)};
}

}  // namespace

size_t integer_depthwise_weights_size(const Conv& c) {
  // Large enough for either IntegerDot form.
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

void depthwise(const IntegerConv& c, const uint8_t* pads, const uint8_t* x, const int8_t* packed,
               const Output& y, const Epilogue& epilogue, char* scratch, Range rows) {
  const Conv& conv = c.conv;
  const auto** taps = reinterpret_cast<const uint8_t**>(scratch);
  const bool has_nine = c.dot == IntegerDot::kPairs && conv.kernel.product() == 9;
  const Range inner = pixels_within(conv);
  for (size_t row = rows.begin; row < rows.end; ++row) {
    const size_t oy = row % conv.out[1], oz = row / conv.out[1] % conv.out[0];
    const size_t n = row / conv.out[1] / conv.out[0];
    // Whether all lines of the row's windows are inside the data.
    bool within = true;
    const auto find_taps = [&](size_t ox) {
      size_t tap = 0;
      for (size_t kz = 0; kz < conv.kernel[0]; ++kz) {
        const size_t iz = oz * conv.stride[0] + kz * conv.dilation[0] - conv.pads[0];
        for (size_t ky = 0; ky < conv.kernel[1]; ++ky) {
          const size_t iy = oy * conv.stride[1] + ky * conv.dilation[1] - conv.pads[1];
          const bool inside = iz < conv.in[0] && iy < conv.in[1];  // negative values wrap to large ones
          within = within && inside;
          const size_t line = ((n * conv.in[0] + iz) * conv.in[1] + iy) * conv.in[2];
          for (size_t kx = 0; kx < conv.kernel[2]; ++kx, ++tap) {
            const size_t ix = ox * conv.stride[2] + kx * conv.dilation[2] - conv.pads[2];
            taps[tap] = inside && ix < conv.in[2] ? x + (line + ix) * conv.in_stride : pads;
          }
        }
      }
      // Padding taps have weights of 0, but must be inside the data wherever the first tap is.
      std::fill(taps + tap, taps + padded_taps(c), taps[0]);
    };
    const auto compute = [&](size_t ox, size_t advance, size_t channel) {
      const size_t pixel = row * conv.out[2] + ox - conv.out_first;
      if constexpr (kHasRelaxedDot) {
        if (c.dot != IntegerDot::kPairs) {
          return compute_pixel<true>(c, {taps, advance}, packed, y, epilogue, pixel, channel);
        }
      }
      compute_pixel<false>(c, {taps, advance}, packed, y, epilogue, pixel, channel);
    };
    for (size_t ox = 0; ox < conv.out[2]; ++ox) {
      find_taps(ox);
      if (ox != inner.begin || inner.size() == 0 || !within) {
        compute(ox, 0, 0);
        continue;
      }
      // From here on, the taps of all pixels are at the same distances.
      size_t channel = 0;
      if (has_nine) {
        const auto compute_nine = y.u8 != nullptr ? compute_nine_taps<true> : compute_nine_taps<false>;
        for (; channel + 8 <= conv.groups; channel += 8) {
          compute_nine(c, taps, packed, y, epilogue, row * conv.out[2] + ox - conv.out_first, inner.size(),
                       channel);
        }
        channel = channel / kIntegerChannels * kIntegerChannels;
      }
      for (; channel < conv.groups && ox < inner.end; ++ox) {
        compute(ox, (ox - inner.begin) * conv.stride[2] * conv.in_stride, channel);
      }
      ox = inner.end - 1;
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
