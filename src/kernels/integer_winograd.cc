// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_winograd.h"

#include <algorithm>

#include "core/work.h"
#include "kernels/epilogue-inl.h"
#include "kernels/tile-inl.h"
#include "kernels/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kPixels = kOut * kOut;
// Channels of data per vector.
constexpr size_t kChannels = 8;

// 9 * kInverseOfNine is 1 modulo 2^32.
constexpr int32_t kInverseOfNine = 0x38E38E39;
static_assert(static_cast<uint32_t>(kInverseOfNine) * 9u == 1u);

// One-dimensional transforms. Two-dimensional ones apply them along both axes, one after the other.
template <typename V>
HWY_INLINE V twice(V v) {
  return hn::Add(v, v);
}
template <typename V>
HWY_INLINE V four_times(V v) {
  return hn::ShiftLeft<2>(v);
}

HWY_INLINE void input_transform(const V16 (&d)[6], V16 (&v)[6]) {
  const V16 even1 = hn::Sub(d[4], four_times(d[2])), odd1 = hn::Sub(d[3], four_times(d[1]));
  const V16 even2 = hn::Sub(d[4], d[2]), odd2 = twice(hn::Sub(d[3], d[1]));
  v[0] = hn::Add(four_times(hn::Sub(d[0], d[2])), even2);
  v[1] = hn::Add(even1, odd1);
  v[2] = hn::Sub(even1, odd1);
  v[3] = hn::Add(even2, odd2);
  v[4] = hn::Sub(even2, odd2);
  v[5] = hn::Sub(hn::Sub(d[5], d[3]), twice(odd2));
}

HWY_INLINE void filter_transform(const V16 (&g)[3], V16 (&u)[6]) {
  const V16 sum = hn::Add(g[0], g[2]), weighted = hn::Add(g[0], four_times(g[2])), middle = twice(g[1]);
  u[0] = hn::Add(twice(g[0]), four_times(g[0]));
  u[1] = hn::Neg(four_times(hn::Add(sum, g[1])));
  u[2] = four_times(hn::Sub(g[1], sum));
  u[3] = hn::Add(weighted, middle);
  u[4] = hn::Sub(weighted, middle);
  u[5] = hn::Add(twice(g[2]), four_times(g[2]));
}

HWY_INLINE void output_transform(const VI (&m)[6], VI (&y)[4]) {
  const VI s1 = hn::Add(m[1], m[2]), t1 = hn::Sub(m[1], m[2]);
  const VI s2 = hn::Add(m[3], m[4]), t2 = hn::Sub(m[3], m[4]);
  y[0] = hn::Add(m[0], hn::Add(s1, s2));
  y[1] = hn::Add(t1, twice(t2));
  y[2] = hn::Add(s1, four_times(s2));
  y[3] = hn::Add(t1, four_times(hn::Add(twice(t2), m[5])));
}

// Input channels whose filters are transformed at once, for eight output channels: 74 KB.
constexpr size_t kFilterChannels = 128;
// Rows per tile of the matmuls.
constexpr size_t kRows = 4;

// Layout of a block of tiles in scratch memory: for each frequency, one matrix of tiles by input channels,
// one of tiles by eight output channels, and one of the filters.
struct Layout {
  size_t tiles;                                 // per block
  size_t in_matrix, out_matrix, filter_matrix;  // elements of i16, i32, i16

  explicit Layout(const Conv& c) {
    // Transformed data, sums and filters of a block stay in L2.
    const size_t fitting =
        (size_t{320} << 10) / kFrequencies / sizeof(int16_t) / c.in_channels / kRows * kRows;
    tiles = std::clamp<size_t>(fitting, kRows, 16 * kRows);
    in_matrix = odd_lines<int16_t>(tiles * c.in_channels);
    out_matrix = odd_lines<int32_t>(tiles * kPanelColumns);
    filter_matrix = odd_lines<int16_t>(kFilterChannels * kPanelColumns);
  }
};

// Applies a transform of kFrom values to kTo along both axes: load(i, j) gives the values, store(i, j, v)
// takes the results. winograd.cc writes its loops out: its last ones end at the edge of the output, and a
// test in `store` instead made 8 to 8 channels at 160x160 a tenth slower.
template <size_t kFrom, size_t kTo, typename V, typename Load, typename Transform, typename Store>
HWY_INLINE void transform_both(const Load& load, const Transform& transform, const Store& store) {
  V half[kFrom][kTo];
  HWY_UNROLL(6)
  for (size_t i = 0; i < kFrom; ++i) {
    V d[kFrom];
    HWY_UNROLL(6)
    for (size_t j = 0; j < kFrom; ++j) d[j] = load(i, j);
    transform(d, half[i]);
  }
  HWY_UNROLL(6)
  for (size_t j = 0; j < kTo; ++j) {
    V d[kFrom], result[kTo];
    HWY_UNROLL(6)
    for (size_t i = 0; i < kFrom; ++i) d[i] = half[i][j];
    transform(d, result);
    HWY_UNROLL(6)
    for (size_t i = 0; i < kTo; ++i) store(i, j, result[i]);
  }
}

HWY_NOINLINE void transform_input(const IntegerConv& integer, const Layout& layout, const TileAt& at,
                                  const uint8_t* x, int16_t* v) {
  const Conv& c = integer.conv;
  uint8_t outside[kChannels];
  std::fill_n(outside, kChannels, integer.pad);
  const InputTile<uint8_t> tile(c, at, 0, x, outside);
  for (size_t channel = 0; channel < c.in_channels; channel += kChannels, v += kChannels) {
    transform_both<kIn, kIn, V16>(
        [&](size_t i, size_t j) HWY_ATTR { return load_unsigned(tile.at(i, j, channel)); },
        [](const V16(&d)[kIn], V16(&to)[kIn]) HWY_ATTR { input_transform(d, to); },
        [&](size_t i, size_t j, V16 value)
            HWY_ATTR { hn::StoreU(value, I16x8(), v + (i * kIn + j) * layout.in_matrix); });
  }
}

// Eight elements of a tap's panel. The matmuls read two input channels side by side. The packed filters have
// that order, or if kQuads is set, four input channels side by side. These are rearranged here.
template <bool kQuads>
HWY_INLINE V16 load_filters(const int8_t* tap, size_t lane) {
  if constexpr (!kQuads) return load_signed(tap + lane);
  // Four channels of eight columns are 32 bytes. They become two pairs of columns 0 to 3 and of 4 to 7.
  const size_t pair = lane % 32 / 16, half = lane % 16 / 8;
  const hn::FixedTag<uint16_t, 8> d16;
  const auto quads = hn::BitCast(
      d16, hn::LoadU(U8x16(), reinterpret_cast<const uint8_t*>(tap + lane / 32 * 32 + 16 * half)));
  const auto pairs = pair == 0 ? hn::ConcatEven(d16, quads, quads) : hn::ConcatOdd(d16, quads, quads);
  return hn::PromoteLowerTo(I16x8(), hn::BitCast(hn::FixedTag<int8_t, 16>(), pairs));
}

// Transforms the filters of `inputs` for one panel of eight output channels.
template <bool kQuads>
HWY_NOINLINE void transform_filters(const Conv& c, const Layout& layout, const int8_t* panel,
                                    const Range& inputs, int16_t* u) {
  const int8_t* from = panel + inputs.begin * kPanelColumns;
  const size_t tap = c.in_channels * kPanelColumns;
  for (size_t lane = 0; lane < inputs.size() * kPanelColumns; lane += 8, u += 8) {
    transform_both<3, kIn, V16>(
        [&](size_t y, size_t x) HWY_ATTR { return load_filters<kQuads>(from + (3 * y + x) * tap, lane); },
        [](const V16(&g)[3], V16(&to)[kIn]) HWY_ATTR { filter_transform(g, to); },
        [&](size_t y, size_t x, V16 value)
            HWY_ATTR { hn::StoreU(value, I16x8(), u + (y * kIn + x) * layout.filter_matrix); });
  }
}

// Sums of kCount rows by eight columns. `depth` is a multiple of 4.
template <size_t kCount>
HWY_NOINLINE void multiply_tile(const int16_t* v, size_t stride, const int16_t* u, size_t depth,
                                bool accumulate, int32_t* m) {
  const I32x4 d32;
  VI sum[kCount][2];
  const char* rows[kCount];
  HWY_UNROLL(4)
  for (size_t r = 0; r < kCount; ++r) {
    sum[r][0] = sum[r][1] = hn::Zero(d32);
    rows[r] = reinterpret_cast<const char*>(v + r * stride);
  }
  if (accumulate) {
    HWY_UNROLL(4)
    for (size_t r = 0; r < kCount; ++r) {
      sum[r][0] = hn::LoadU(d32, m + r * kPanelColumns);
      sum[r][1] = hn::LoadU(d32, m + r * kPanelColumns + kLanes);
    }
  }
  // One pair at a time, as in integer_gemm.cc.
  constexpr size_t kPairs = kCount <= 2 ? 2 : 1;
  HWY_UNROLL(1)
  for (size_t step = depth / (2 * kPairs); step > 0; --step) {
    HWY_UNROLL(2)
    for (size_t pair = 0; pair < kPairs; ++pair) {
      const V16 u0 = hn::LoadU(I16x8(), u + 16 * pair), u1 = hn::LoadU(I16x8(), u + 16 * pair + 8);
      HWY_UNROLL(4)
      for (size_t r = 0; r < kCount; ++r) {
        const V16 x = hn::BitCast(I16x8(), load_splat_bytes(rows[r] + 4 * pair));
        sum[r][0] = add_pairs(x, u0, sum[r][0]);
        sum[r][1] = add_pairs(x, u1, sum[r][1]);
      }
    }
    HWY_UNROLL(4)
    for (size_t r = 0; r < kCount; ++r) rows[r] += 4 * kPairs;
    u += 2 * kPairs * kPanelColumns;
  }
  HWY_UNROLL(4)
  for (size_t r = 0; r < kCount; ++r) {
    hn::StoreU(sum[r][0], d32, m + r * kPanelColumns);
    hn::StoreU(sum[r][1], d32, m + r * kPanelColumns + kLanes);
  }
}

// One frequency: [tiles][depth] by [depth][8], or the contribution of a part of the depth.
void multiply(size_t tiles, const int16_t* v, size_t stride, const int16_t* u, size_t depth, bool accumulate,
              int32_t* m) {
  for (; tiles >= kRows; tiles -= kRows, v += kRows * stride, m += kRows * kPanelColumns)
    multiply_tile<kRows>(v, stride, u, depth, accumulate, m);
  switch (tiles) {
    case 1:
      return multiply_tile<1>(v, stride, u, depth, accumulate, m);
    case 2:
      return multiply_tile<2>(v, stride, u, depth, accumulate, m);
    case 3:
      return multiply_tile<3>(v, stride, u, depth, accumulate, m);
  }
}

// The sums of a tile's pixels for eight channels.
HWY_NOINLINE void transform_output(const Layout& layout, const int32_t* m, const int32_t* start,
                                   int32_t* sums) {
  const I32x4 d32;
  const VI inverse = hn::Set(d32, kInverseOfNine);
  for (size_t lane = 0; lane < kPanelColumns; lane += kLanes) {
    const VI added = hn::LoadU(d32, start + lane);
    transform_both<kIn, kOut, VI>(
        [&](size_t i, size_t j)
            HWY_ATTR { return hn::LoadU(d32, m + (i * kIn + j) * layout.out_matrix + lane); },
        [](const VI(&d)[kIn], VI(&to)[kOut]) HWY_ATTR { output_transform(d, to); },
        [&](size_t i, size_t j, VI result) HWY_ATTR {
          const VI sum = hn::ShiftRight<6>(hn::Mul(result, inverse));
          hn::StoreU(hn::Add(sum, added), d32, sums + (i * kOut + j) * kPanelColumns + lane);
        });
  }
}

// Stores the pixels of a tile that are inside the output.
void store_tile(const Conv& c, const TileAt& at, const int32_t* sums, const Epilogue& e, const Output& out,
                size_t column, size_t columns) {
  const size_t height = at.height(c), width = at.width(c);
  size_t pixel = at.pixel(c);
  for (size_t i = 0; i < height; ++i, pixel += c.out[2])
    finish_rows(sums + i * kOut * kPanelColumns, width, e, out, pixel, column, columns);
}

}  // namespace

// Kernels over depth would need one sum of several planes.
static bool is_flat(const Conv& c) { return c.kernel[0] == 1 && c.pads[0] == 0 && c.out[0] == c.in[0]; }

bool integer_winograd_fits(const IntegerConv& c) {
  return c.dot != IntegerDot::kSigned && winograd_fits(c.conv) && is_flat(c.conv) && c.conv.in_channels > 0 &&
         c.conv.in_channels % kChannels == 0;
}

CheckedSize integer_winograd_scratch_size(const IntegerConv& c) {
  const Layout layout(c.conv);
  return kFrequencies *
         (CheckedSize(layout.in_matrix) * sizeof(int16_t) + CheckedSize(layout.out_matrix) * sizeof(int32_t) +
          CheckedSize(layout.filter_matrix) * sizeof(int16_t));
}

void winograd(const IntegerConv& c, const uint8_t* x, const int8_t* packed, const Output& y,
              const Epilogue& epilogue, char* scratch, Range range, Range channels) {
  const Conv& conv = c.conv;
  const Layout layout(conv);
  const Tiles tiles(conv);
  auto* v = reinterpret_cast<int16_t*>(scratch);
  auto* m = reinterpret_cast<int32_t*>(v + kFrequencies * layout.in_matrix);
  auto* u = reinterpret_cast<int16_t*>(m + kFrequencies * layout.out_matrix);
  const auto transform = c.dot == IntegerDot::kPairs ? transform_filters<false> : transform_filters<true>;
  const size_t panel_size = integer_weights_size(conv.in_channels * 9, kPanelColumns);
  const size_t part = part_size(conv.in_channels, kFilterChannels, kChannels);
  const size_t block = part_size(range.size(), layout.tiles, kRows);
  for (size_t first = range.begin; first < range.end; first += block) {
    const size_t count = std::min(block, range.end - first);
    for (size_t t = 0; t < count; ++t) {
      transform_input(c, layout, TileAt::of(tiles, first + t), x, v + t * conv.in_channels);
    }
    for (size_t column = channels.begin; column < channels.end; column += kPanelColumns) {
      count_work(count * kFrequencies * (conv.in_channels + kPanelColumns));
      const int8_t* panel = packed + column / kPanelColumns * panel_size;
      for (size_t p = 0; p < conv.in_channels; p += part) {
        const Range depth = {p, std::min(p + part, conv.in_channels)};
        transform(conv, layout, panel, depth, u);
        for (size_t f = 0; f < kFrequencies; ++f) {
          multiply(count, v + f * layout.in_matrix + p, conv.in_channels, u + f * layout.filter_matrix,
                   depth.size(), p > 0, m + f * layout.out_matrix);
        }
      }
      const size_t columns = std::min(kPanelColumns, channels.end - column);
      for (size_t t = 0; t < count; ++t) {
        alignas(16) int32_t sums[kPixels * kPanelColumns];
        transform_output(layout, m + t * kPanelColumns, epilogue.start + column, sums);
        store_tile(conv, TileAt::of(tiles, first + t), sums, epilogue, y, column, columns);
      }
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
