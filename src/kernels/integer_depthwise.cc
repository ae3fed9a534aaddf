// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "core/work.h"
#include "kernels/epilogue-inl.h"
#include "kernels/integer_conv.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Number of taps per inner product. Their data are interleaved, channel by channel.
constexpr size_t taps_at_once(IntegerDot dot) { return dot == IntegerDot::kPairs ? 2 : 4; }
// With four taps per product, 3x3 and 5x5 taps are ordered by columns. A column then serves all pixels that
// read it. Each column is padded with taps of weight 0. Returns the number of columns, or 0 for other orders.
size_t columns_of(const IntegerConv& c) {
  const Conv& v = c.conv;
  const size_t columns = v.kernel[2];
  if (c.dot == IntegerDot::kPairs || v.kernel[0] * v.kernel[1] != columns) return 0;
  if (std::min(v.kernel[0], v.kernel[1]) != 1) return 0;
  return columns == 3 || columns == 5 ? columns : 0;
}
constexpr size_t padded_rows(size_t rows) { return (rows + 3) / 4 * 4; }
size_t padded_taps(const IntegerConv& c) {
  if (const size_t columns = columns_of(c)) return columns * padded_rows(columns);
  const size_t step = taps_at_once(c.dot);
  return (c.conv.kernel.product() + step - 1) / step * step;
}
// The tap at a place in this order. Places of padding have none.
std::optional<size_t> tap_at(const IntegerConv& c, size_t place) {
  if (const size_t columns = columns_of(c)) {
    const size_t rows = padded_rows(columns);
    if (place % rows >= columns) return std::nullopt;
    return place % rows * columns + place / rows;
  }
  return place < c.conv.kernel.product() ? std::optional(place) : std::nullopt;
}
size_t place_of_tap(const IntegerConv& c, size_t tap) {
  const size_t columns = columns_of(c);
  return columns > 0 ? tap % columns * padded_rows(columns) + tap / columns : tap;
}
// At most this many taps, padded for any form. Three columns take 12, five take 40.
CheckedSize most_taps(const Conv& c) {
  return c.kernel.product() == 25 ? CheckedSize(40) : CheckedSize(c.kernel.product()).rounded_up(4);
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

// Adjacent pixels of an output row whose taps are `step` bytes apart. The sums of this many are finished
// together.
constexpr size_t kPixelsAtOnce = 32;
struct PixelRun {
  size_t pixel, count, step;
};

// Computes all channels of the pixels, starting at `channel`, a multiple of 16.
template <bool kQuads>
void compute_pixels(const IntegerConv& c, const uint8_t* const* taps, const int8_t* packed, const Output& y,
                    const Epilogue& epilogue, const PixelRun& pixels, size_t channel) {
  const size_t channels = c.conv.groups, groups = padded_taps(c) / (kQuads ? 4 : 2);
  const bool shift = c.dot == IntegerDot::kSigned;
  alignas(16) int32_t low[kPixelsAtOnce * 8], high[kPixelsAtOnce * 8];
  for (; channel < channels; channel += kIntegerChannels) {
    const size_t left = channels - channel;
    for (size_t first = 0; first < pixels.count; first += kPixelsAtOnce) {
      const size_t count = std::min(kPixelsAtOnce, pixels.count - first);
      for (size_t i = 0; i < count; ++i) {
        VI sum[4];
        HWY_UNROLL(4)
        for (size_t k = 0; k < 4; ++k) sum[k] = hn::LoadU(I32x4(), epilogue.start + channel + 4 * k);
        sum_taps<kQuads>({taps, (first + i) * pixels.step}, groups, channel, left, shift,
                         packed + channel * padded_taps(c), sum);
        HWY_UNROLL(2)
        for (size_t k = 0; k < 2; ++k) {
          hn::StoreU(sum[k], I32x4(), low + 8 * i + 4 * k);
          hn::StoreU(sum[2 + k], I32x4(), high + 8 * i + 4 * k);
        }
      }
      finish_rows(low, count, epilogue, y, pixels.pixel + first, channel, left);
      if (left > 8) finish_rows(high, count, epilogue, y, pixels.pixel + first, channel + 8, left - 8);
    }
  }
}

// The rows that the windows of an output row read.
struct WindowRows {
  const uint8_t* at[5];
  size_t step[5];  // bytes from pixel to pixel; 0 in rows of padding
};

// The weights of any four adjacent channels, for a product of four taps. `packed` begins at the first tap of
// the product.
HWY_NOINLINE VI load_weights(const int8_t* packed, size_t taps, size_t channel) {
  const auto at = [&](size_t c) {
    return packed + c / kIntegerChannels * kIntegerChannels * taps + 4 * (c % kIntegerChannels);
  };
  if (channel % 4 == 0) return hn::LoadU(I32x4(), reinterpret_cast<const int32_t*>(at(channel)));
  alignas(16) int8_t four[16];  // the channels may span two blocks
  for (size_t i = 0; i < 4; ++i) std::copy_n(at(channel + i), 4, four + 4 * i);
  return hn::Load(I32x4(), reinterpret_cast<const int32_t*>(four));
}

// Computes eight channels of an output row that starts at `pixel`, a column of kTaps taps at a time. The sums
// of the pixels that are not complete yet stay in registers, and so do the weights of three columns. Complete
// sums become levels at once if that takes no further steps (kBytes).
template <size_t kTaps, bool kBytes, bool kShift, size_t kStride>
void slide_columns(const IntegerConv& c, const WindowRows& rows, const uint8_t* pads, const int8_t* packed,
                   const Epilogue& epilogue, size_t channel, const Output& y, size_t pixel) {
  constexpr size_t kQuads = padded_rows(kTaps) / 4;      // of a column
  constexpr size_t kIncomplete = (kTaps - 1) / kStride;  // pixels
  const Conv& conv = c.conv;
  const size_t taps = padded_taps(c), width = conv.in[2], stride = conv.out_stride;
  VI w[kTaps][kQuads][2], start[2];
  HWY_UNROLL(2)
  for (size_t i = 0; i < 2; ++i) {
    start[i] = hn::LoadU(I32x4(), epilogue.start + channel + 4 * i);
    HWY_UNROLL(5)
    for (size_t x = 0; x < kTaps; ++x) {
      HWY_UNROLL(2)
      for (size_t q = 0; q < kQuads; ++q)
        w[x][q][i] = load_weights(packed + 4 * kIntegerChannels * (x * kQuads + q), taps, channel + 4 * i);
    }
  }
  const EightColumns<false> columns(epilogue, channel);
  // With kShift, kUnsigned is possible too.
  const VB shift = hn::Set(U8x16(), c.dot == IntegerDot::kSigned ? 128 : 0);
  size_t x = 0 - conv.pads[2];  // negative positions wrap to large ones
  VI column[kQuads][2];
  const auto load_column = [&]() HWY_ATTR {
    const bool inside = x < width;
    const hn::FixedTag<uint16_t, 8> d16;
    VB v[4 * kQuads];
    HWY_UNROLL(8)
    for (size_t r = 0; r < 4 * kQuads; ++r) {
      if (r >= kTaps) {
        v[r] = hn::Zero(U8x16());
        continue;
      }
      v[r] = load_eight((inside ? rows.at[r] + x * rows.step[r] : pads) + channel);
      if constexpr (kShift) v[r] = hn::Xor(v[r], shift);
    }
    HWY_UNROLL(2)
    for (size_t q = 0; q < kQuads; ++q) {
      const auto a = hn::BitCast(d16, hn::InterleaveLower(U8x16(), v[4 * q], v[4 * q + 1]));
      const auto b = hn::BitCast(d16, hn::InterleaveLower(U8x16(), v[4 * q + 2], v[4 * q + 3]));
      column[q][0] = hn::BitCast(I32x4(), hn::InterleaveLower(d16, a, b));
      column[q][1] = hn::BitCast(I32x4(), hn::InterleaveUpper(d16, a, b));
    }
    ++x;
  };
  const auto add = [&](size_t tap, const VI(&before)[2], VI(&sum)[2]) HWY_ATTR {
    HWY_UNROLL(2)
    for (size_t i = 0; i < 2; ++i) {
      VI v = before[i];
      HWY_UNROLL(2)
      for (size_t q = 0; q < kQuads; ++q) v = add_quads(column[q][i], w[tap][q][i], v);
      sum[i] = v;
    }
  };
  uint8_t* to = kBytes ? y.from(pixel, channel).u8 : nullptr;
  alignas(16) int32_t complete[kBytes ? 8 : kPixelsAtOnce * 8];
  size_t waiting = 0;
  const auto finish = [&](const VI(&sum)[2]) HWY_ATTR {
    if constexpr (kBytes) {
      columns.store_to(sum[0], sum[1], nullptr, to);
      to += stride;
    } else {
      hn::StoreU(sum[0], I32x4(), complete + 8 * waiting);
      hn::StoreU(sum[1], I32x4(), complete + 8 * waiting + 4);
      if (++waiting < kPixelsAtOnce) return;
      finish_rows(complete, waiting, epilogue, y, pixel, channel, 8);
      pixel += std::exchange(waiting, 0);
    }
  };
  // The first one has the most columns. Before the first pixel, they belong to no pixel and are dropped.
  VI sums[kIncomplete][2];
  HWY_UNROLL(4)
  for (size_t j = 0; j < kIncomplete; ++j) {
    sums[j][0] = start[0];
    sums[j][1] = start[1];
  }
  const auto shift_sums = [&]() HWY_ATTR {
    HWY_UNROLL(4)
    for (size_t j = 0; j + 1 < kIncomplete; ++j) add(kTaps - 1 - (j + 1) * kStride, sums[j + 1], sums[j]);
    add(0, start, sums[kIncomplete - 1]);
  };
  const auto load_between = [&]() HWY_ATTR {
    if constexpr (kStride == 2) {
      load_column();
      HWY_UNROLL(4)
      for (size_t j = 0; j < kIncomplete; ++j) add(kTaps - 2 - 2 * j, sums[j], sums[j]);
    }
  };
  HWY_UNROLL(4)
  for (size_t j = 0; j < kIncomplete; ++j) {
    if (j > 0) load_between();
    load_column();
    shift_sums();
  }
  for (size_t i = 0; i < conv.out[2]; ++i) {
    load_between();
    load_column();
    VI done[2];
    add(kTaps - 1, sums[0], done);
    finish(done);
    shift_sums();
  }
  if (waiting > 0) finish_rows(complete, waiting, epilogue, y, pixel, channel, 8);
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
  const EightColumns<false> columns(epilogue, channel);
  const size_t step = c.conv.stride[2] * c.conv.in_stride;
  alignas(16) int32_t complete[kBytes ? 8 : kPixelsAtOnce * 8];
  size_t waiting = 0;
  size_t at = channel;
  HWY_UNROLL(1)
  for (size_t i = 0; i < count; ++i, at += step) {
    VI sum[2] = {hn::LoadU(I32x4(), epilogue.start + channel),
                 hn::LoadU(I32x4(), epilogue.start + channel + 4)};
    HWY_UNROLL(4)
    for (size_t t = 0; t < 4; ++t) {
      const V16 a = load_unsigned(taps[2 * t] + at), b = load_unsigned(taps[2 * t + 1] + at);
      sum[0] = add_pairs(hn::InterleaveLower(I16x8(), a, b), w[t][0], sum[0]);
      sum[1] = add_pairs(hn::InterleaveUpper(I16x8(), a, b), w[t][1], sum[1]);
    }
    const V16 last = load_unsigned(taps[8] + at);
    sum[0] = add_pairs(hn::BitCast(I16x8(), hn::PromoteLowerTo(I32x4(), last)), w[4][0], sum[0]);
    sum[1] = add_pairs(hn::BitCast(I16x8(), hn::PromoteUpperTo(I32x4(), last)), w[4][1], sum[1]);
    if constexpr (kBytes) {
      columns.store_to(sum[0], sum[1], nullptr, y.from(pixel + i, channel).u8);
      continue;
    }
    hn::StoreU(sum[0], I32x4(), complete + 8 * waiting);
    hn::StoreU(sum[1], I32x4(), complete + 8 * waiting + 4);
    if (++waiting < kPixelsAtOnce && i + 1 < count) continue;
    finish_rows(complete, waiting, epilogue, y, pixel + i + 1 - waiting, channel, 8);
    waiting = 0;
  }
}

// Computes an output row of at least eight channels. The last eight may overlap those before them: GhostNet
// has 12 and 36 channels, ShuffleNet 58.
template <size_t kTaps>
void slide_row(const IntegerConv& c, const uint8_t* pads, const uint8_t* x, const int8_t* packed,
               const Output& y, const Epilogue& epilogue, size_t row) {
  const Conv& conv = c.conv;
  const size_t oy = row % conv.out[1], oz = row / conv.out[1] % conv.out[0];
  const size_t n = row / conv.out[1] / conv.out[0];
  WindowRows rows;
  for (size_t r = 0; r < kTaps; ++r) {
    // The other one of the two axes has one tap.
    const size_t kz = conv.kernel[0] > 1 ? r : 0, ky = conv.kernel[1] > 1 ? r : 0;
    const size_t iz = oz * conv.stride[0] + kz * conv.dilation[0] - conv.pads[0];
    const size_t iy = oy * conv.stride[1] + ky * conv.dilation[1] - conv.pads[1];
    const bool inside = iz < conv.in[0] && iy < conv.in[1];  // negative values wrap to large ones
    rows.at[r] = inside ? x + ((n * conv.in[0] + iz) * conv.in[1] + iy) * conv.in[2] * conv.in_stride : pads;
    rows.step[r] = inside ? conv.in_stride : 0;
  }
  const bool twice = conv.stride[2] == 2;
  // All forms of five taps would be 22 KB.
  auto slide = twice ? slide_columns<kTaps, false, true, 2> : slide_columns<kTaps, false, true, 1>;
  if constexpr (kTaps == 3) {
    const bool shift = c.dot == IntegerDot::kSigned;
    const auto choose = [&]<bool kBytes>() {
      return shift ? (twice ? slide_columns<3, kBytes, true, 2> : slide_columns<3, kBytes, true, 1>)
                   : (twice ? slide_columns<3, kBytes, false, 2> : slide_columns<3, kBytes, false, 1>);
    };
    const bool bytes = y.u8 != nullptr && !epilogue.steps();
    slide = bytes ? choose.template operator()<true>() : choose.template operator()<false>();
  }
  for (size_t channel = 0; channel < conv.groups; channel += 8)
    slide(c, rows, pads, packed, epilogue, std::min(channel, conv.groups - 8), y, row * conv.out[2]);
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
  return (CheckedSize(padded_channels(c)) * most_taps(c)).value();
}

void pack_integer_depthwise(const IntegerConv& c, const int8_t* filters, const ConvWeights& places,
                            int8_t* packed, int32_t* sums) {
  const size_t step = taps_at_once(c.dot), taps = padded_taps(c);
  std::fill_n(sums, padded_channels(c.conv), 0);
  for (size_t block = 0; block < padded_channels(c.conv); block += kIntegerChannels) {
    count_work(2 * taps * kIntegerChannels);
    for (size_t tap = 0; tap < taps; tap += step) {
      for (size_t channel = block; channel < block + kIntegerChannels; ++channel) {
        for (size_t t = tap; t < tap + step; ++t) {
          const std::optional<size_t> place = tap_at(c, t);
          const int8_t value = channel < c.conv.groups && place
                                   ? filters[channel * places.group_stride + *place * places.tap_stride]
                                   : int8_t{0};
          sums[channel] += value;
          *packed++ = value;
        }
      }
    }
  }
}

CheckedSize integer_depthwise_scratch_size(const Conv& c) {
  return CheckedSize(sizeof(const uint8_t*)) * most_taps(c);
}

void depthwise(const IntegerConv& c, const uint8_t* pads, const uint8_t* x, const int8_t* packed,
               const Output& y, const Epilogue& epilogue, char* scratch, Range rows) {
  const Conv& conv = c.conv;
  const auto** taps = reinterpret_cast<const uint8_t**>(scratch);
  const bool has_nine = c.dot == IntegerDot::kPairs && conv.kernel.product() == 9;
  const Range inner = pixels_within(conv);
  const bool slides = kHasQuads && conv.groups >= 8 && conv.dilation[2] == 1 && conv.stride[2] <= 2;
  const size_t columns = slides ? columns_of(c) : 0;
  if (columns > 0) {
    const auto slide = columns == 3 ? slide_row<3> : slide_row<5>;
    for (size_t row = rows.begin; row < rows.end; ++row) {
      count_work(columns * conv.out[2] * conv.groups);
      slide(c, pads, x, packed, y, epilogue, row);
    }
    return;
  }
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
            taps[place_of_tap(c, tap)] = inside && ix < conv.in[2] ? x + (line + ix) * conv.in_stride : pads;
          }
        }
      }
      // Padding taps have weights of 0, but must be inside the data wherever the first tap is.
      for (size_t place = 0; place < padded_taps(c); ++place) {
        if (!tap_at(c, place)) taps[place] = taps[0];
      }
    };
    const auto compute = [&](size_t ox, size_t count, size_t channel) {
      count_work(count * padded_taps(c) * (conv.groups - channel));
      const PixelRun pixels = {row * conv.out[2] + ox, count, conv.stride[2] * conv.in_stride};
      if constexpr (kHasQuads) {
        if (c.dot != IntegerDot::kPairs)
          return compute_pixels<true>(c, taps, packed, y, epilogue, pixels, channel);
      }
      compute_pixels<false>(c, taps, packed, y, epilogue, pixels, channel);
    };
    for (size_t ox = 0; ox < conv.out[2]; ++ox) {
      find_taps(ox);
      if (ox != inner.begin || inner.size() == 0 || !within) {
        compute(ox, 1, 0);
        continue;
      }
      // From here on, the taps of all pixels are at the same distances.
      size_t channel = 0;
      if (has_nine) {
        const bool bytes = y.u8 != nullptr && !epilogue.steps();
        const auto compute_nine = bytes ? compute_nine_taps<true> : compute_nine_taps<false>;
        for (; channel + 8 <= conv.groups; channel += 8) {
          count_work(inner.size() * 16);
          compute_nine(c, taps, packed, y, epilogue, row * conv.out[2] + ox, inner.size(), channel);
        }
        channel = channel / kIntegerChannels * kIntegerChannels;
      }
      if (channel < conv.groups) compute(ox, inner.size(), channel);
      ox = inner.end - 1;
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
