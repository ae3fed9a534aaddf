// SPDX-License-Identifier: Apache-2.0
#include "kernels/winograd.h"

#include <algorithm>

#include "core/work.h"
#include "kernels/math-inl.h"
#include "kernels/pair-inl.h"
#include "kernels/tile-inl.h"
#include "kernels/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// One-dimensional transforms. Two-dimensional ones apply them along both axes, one after the other.
constexpr float kP = 0.70710678f, kQ = 1.41421356f;

template <float kValue, typename V>
HWY_INLINE V times(V v) {
  return multiply(constant_of<V>(constant<kValue>()), v);
}
// c - kValue * v, and their sum.
template <float kValue, typename V>
HWY_INLINE V minus_times(V c, V v) {
  return neg_mul_add(constant_of<V>(constant<kValue>()), v, c);
}
template <float kValue, typename V>
HWY_INLINE V plus_times(V c, V v) {
  return mul_add(constant_of<V>(constant<kValue>()), v, c);
}

template <typename V>
HWY_INLINE void input_transform(const V (&d)[6], V (&v)[6]) {
  const V even1 = minus_times<2.0f>(d[4], d[2]);
  const V odd1 = minus_times<kQ>(times<kP>(d[3]), d[1]);
  const V even2 = minus_times<0.5f>(d[4], d[2]);
  const V odd2 = minus_times<kP>(times<kQ>(d[3]), d[1]);
  v[0] = add(minus_times<2.5f>(d[0], d[2]), d[4]);
  v[1] = add(even1, odd1);
  v[2] = subtract(even1, odd1);
  v[3] = add(even2, odd2);
  v[4] = subtract(even2, odd2);
  v[5] = add(minus_times<2.5f>(d[1], d[3]), d[5]);
}

template <typename V>
HWY_INLINE void output_transform(const V (&m)[6], V (&y)[4]) {
  const V s1 = add(m[1], m[2]), t1 = subtract(m[1], m[2]);
  const V s2 = add(m[3], m[4]), t2 = subtract(m[3], m[4]);
  y[0] = add(m[0], add(s1, s2));
  y[1] = plus_times<kP>(times<kQ>(t2), t1);
  y[2] = plus_times<0.5f>(times<2.0f>(s2), s1);
  y[3] = plus_times<kP / 2>(plus_times<2 * kQ>(m[5], t2), t1);
}

HWY_INLINE void weight_transform(const VF (&g)[3], VF (&u)[6]) {
  const VF even1 = hn::Mul(constant<-2.0f / 3>(), mul_add(constant<0.5f>(), g[2], g[0]));
  const VF odd1 = hn::Mul(constant<-2.0f / 3 * kP>(), g[1]);
  const VF even2 = hn::Mul(constant<1.0f / 6>(), mul_add(constant<2.0f>(), g[2], g[0]));
  const VF odd2 = hn::Mul(constant<kQ / 6>(), g[1]);
  u[0] = g[0];
  u[1] = hn::Add(even1, odd1);
  u[2] = hn::Sub(even1, odd1);
  u[3] = hn::Add(even2, odd2);
  u[4] = hn::Sub(even2, odd2);
  u[5] = g[2];
}

// Input channels whose filters are transformed at once, for eight output channels: 147 KB. With half as many,
// 96 channels at 10x10 took a tenth longer.
constexpr size_t kFilterChannels = 128, kFilterFloats = kFilterChannels * kPanelColumns;

// Rows of the matrices: the input channels of all planes that the kernel reads.
size_t depth_of(const Conv& c) { return c.kernel[0] * c.in_channels; }

// Layout of a block of tiles in scratch memory: for each frequency, one matrix of tiles by input channels and
// one of tiles by output channels.
struct Layout {
  size_t tiles;  // per block
  size_t in_row, out_row;
  size_t in_matrix, out_matrix;

  static Layout packed(const Conv& c) {
    // Both kinds of matrices together, 1.5 MB, stay in L2. Each block reads all filters: with 384 KB, 256
    // channels at 14x14, 6 tiles per block, took 4.0 instead of 2.8 ms in ResNet-50.
    return Layout(c, round_up(c.out_channels, kPanelColumns), size_t{384} << 10, 9 * kTileRows);
  }
  // Computes the outputs of one panel at a time, for as many tiles as possible: 1.1 MB.
  static Layout direct(const Conv& c) { return Layout(c, kPanelColumns, size_t{288} << 10, 16 * kTileRows); }

 private:
  Layout(const Conv& c, size_t out, size_t floats, size_t most)
      : in_row(round_up(depth_of(c) - c.in_channels + round_up(c.in_channels, kLanes), kLanes)),
        out_row(out) {
    const size_t fitting = floats / kFrequencies / (in_row + out_row) / kTileRows * kTileRows;
    tiles = std::clamp<size_t>(fitting, kTileRows, most);
    in_matrix = odd_lines<float>(tiles * in_row);
    out_matrix = odd_lines<float>(tiles * out_row);
  }
};

// Transforms one or two vectors of channels; of one, the first `count`.
template <typename V>
HWY_INLINE void transform_input(const InputTile<float>& tile, size_t channel, size_t count, float* v,
                                size_t matrix) {
  V half[kIn][kIn];
  HWY_UNROLL(6)
  for (size_t i = 0; i < kIn; ++i) {
    V d[kIn];
    HWY_UNROLL(6)
    for (size_t j = 0; j < kIn; ++j) {
      const float* p = tile.at(i, j, channel);
      if constexpr (kFloats<V> == kLanes) {
        d[j] = count >= kLanes ? load(p) : load_part(p, count);
      } else {
        d[j] = load_floats<V>(p);
      }
    }
    input_transform(d, half[i]);
  }
  HWY_UNROLL(6)
  for (size_t j = 0; j < kIn; ++j) {
    V d[kIn], result[kIn];
    HWY_UNROLL(6)
    for (size_t i = 0; i < kIn; ++i) d[i] = half[i][j];
    input_transform(d, result);
    HWY_UNROLL(6)
    for (size_t i = 0; i < kIn; ++i) store(result[i], v + (i * kIn + j) * matrix);
  }
}

HWY_NOINLINE void transform_input(const Conv& c, const Layout& layout, const TileAt& at, const float* x,
                                  float* v) {
  for (size_t kz = 0; kz < c.kernel[0]; ++kz, v += c.in_channels) {
    const InputTile<float> tile(c, at, kz, x, kZeroFloats);
    size_t channel = 0;
    for (; channel + 2 * kLanes <= c.in_channels; channel += 2 * kLanes)
      transform_input<FloatPair>(tile, channel, 2 * kLanes, v + channel, layout.in_matrix);
    // What the last vector writes beyond its channels is overwritten by the next plane.
    for (; channel < c.in_channels; channel += kLanes)
      transform_input<VF>(tile, channel, c.in_channels - channel, v + channel, layout.in_matrix);
  }
}

// Where an output tile goes.
struct OutputTile {
  const Conv& c;
  size_t height, width, first_pixel;
  float* y;
  const Epilogue& epilogue;
  Clamp clamp;

  OutputTile(const Conv& c, const TileAt& at, float* y, const Epilogue& epilogue)
      : c(c),
        height(at.height(c)),
        width(at.width(c)),
        first_pixel(at.pixel(c)),
        y(y),
        epilogue(epilogue),
        clamp(epilogue.bounds) {}
};

// Transforms one or two vectors of channels; of one, `count` are stored.
template <typename V>
HWY_INLINE void transform_output(const OutputTile& tile, const float* m, size_t matrix, size_t channel,
                                 size_t count) {
  const Epilogue& epilogue = tile.epilogue;
  const auto load_lanes = [&](const float* p) HWY_ATTR {
    if constexpr (kFloats<V> == kLanes) {
      return count >= kLanes ? load(p) : load_part(p, count);
    } else {
      return load_floats<V>(p);
    }
  };
  // Not transform_both(), whose store would test each pixel: 8 to 8 channels at 160x160 took a tenth
  // longer.
  V half[kIn][kOut];
  HWY_UNROLL(6)
  for (size_t i = 0; i < kIn; ++i) {
    V d[kIn];
    HWY_UNROLL(6)
    for (size_t j = 0; j < kIn; ++j) d[j] = load_floats<V>(m + (i * kIn + j) * matrix);
    output_transform(d, half[i]);
  }
  const V bias = load_lanes(epilogue.bias != nullptr ? epilogue.bias + channel : kZeroFloats);
  HWY_UNROLL(4)
  for (size_t j = 0; j < kOut; ++j) {
    V d[kIn], result[kOut];
    HWY_UNROLL(6)
    for (size_t i = 0; i < kIn; ++i) d[i] = half[i][j];
    output_transform(d, result);
    if (j >= tile.width) break;
    HWY_UNROLL(4)
    for (size_t i = 0; i < kOut; ++i) {
      if (i >= tile.height) break;
      const size_t pixel = tile.first_pixel + i * tile.c.out[2] + j;
      V sum = add(result[i], bias);
      if (epilogue.residual) sum = add(sum, load_lanes(epilogue.residual.from(pixel, channel).f32));
      sum = clamp(sum, tile.clamp.low, tile.clamp.high);
      float* to = tile.y + (pixel - tile.c.out_first) * tile.c.out_stride + channel;
      if constexpr (kFloats<V> == kLanes) {
        count >= kLanes ? store(sum, to) : store_part(sum, to, count);
      } else {
        store(sum, to);
      }
    }
  }
}

// Transforms `channels`, the first of which is at the start of m.
HWY_NOINLINE void transform_output(const Conv& c, const Layout& layout, const TileAt& at, const float* m,
                                   float* y, const Epilogue& epilogue, const Range& channels) {
  const OutputTile tile(c, at, y, epilogue);
  size_t channel = channels.begin;
  for (; channel + 2 * kLanes <= channels.end; channel += 2 * kLanes, m += 2 * kLanes)
    transform_output<FloatPair>(tile, m, layout.out_matrix, channel, 2 * kLanes);
  for (; channel < channels.end; channel += kLanes, m += kLanes)
    transform_output<VF>(tile, m, layout.out_matrix, channel, channels.end - channel);
  for (size_t i = 0; i < tile.height; ++i) {
    for (size_t j = 0; j < tile.width; ++j) {
      float* pixel = y + (tile.first_pixel - c.out_first + i * c.out[2] + j) * c.out_stride + channels.begin;
      activate_stored(epilogue, pixel, channels.size());
    }
  }
}

// Computes the matmul of one frequency, or adds the contribution of a part of the depth: [tiles][in_channels]
// by [in_channels][out_row]. `b` is the first row of that part.
void multiply(const Layout& layout, size_t tiles, const float* v, const Range& depth, const float* b,
              size_t panel_stride, float* m) {
  const float* rows[kTileRows];
  float* outputs[kTileRows];
  const size_t count = tile_count(tiles);
  TileOutput out = {};
  out.rows = outputs;
  out.accumulate = depth.begin > 0;
  const TileInput in = {rows, 1, depth.begin, depth.size(), 1, b, kPanelColumns, panel_stride};
  for (size_t t = 0; t < count; ++t) {
    const Range tile = tile_range(tiles, count, t);
    for (size_t r = 0; r < tile.size(); ++r) {
      rows[r] = v + (tile.begin + r) * layout.in_row;
      outputs[r] = m + (tile.begin + r) * layout.out_row;
    }
    run_tile_columns(tile.size(), in, out, {0, layout.out_row});
  }
}

// u = G g G^T for four output channels. Frequencies are `matrix` floats apart.
HWY_INLINE void transform_filters(const VF (&g)[3][3], float* to, size_t matrix) {
  VF half[3][kIn];  // [row of g][frequency]
  HWY_UNROLL(3)
  for (size_t y = 0; y < 3; ++y) weight_transform(g[y], half[y]);
  HWY_UNROLL(6)
  for (size_t x = 0; x < kIn; ++x) {
    const VF column[3] = {half[0][x], half[1][x], half[2][x]};
    VF u[kIn];
    weight_transform(column, u);
    HWY_UNROLL(6)
    for (size_t y = 0; y < kIn; ++y) store(u[y], to + (y * kIn + x) * matrix);
  }
}

constexpr size_t kExpandedFloats = 9 * (kFilterChannels + 4) * kPanelColumns;

// Transforms the filters of `inputs` in plane kz for the panel that starts at `column`: for each frequency
// [inputs.size()][8], `matrix` floats apart. Quantised filters are dequantised to `expanded`, which holds
// kExpandedFloats.
HWY_NOINLINE void make_filters(const Conv& c, const PackedConv& packed, size_t kz, const Range& inputs,
                               size_t column, float* expanded, float* u, size_t matrix) {
  const float* taps[9];
  for (size_t tap = 0; tap < 9; ++tap) {
    const size_t begin = (9 * kz + tap) * c.in_channels + inputs.begin;
    if (packed.quantised == nullptr) {
      taps[tap] = packed.f32 + column * 9 * depth_of(c) + begin * kPanelColumns;
      continue;
    }
    // Matrices are dequantised in units of four rows.
    const size_t first = begin / 4 * 4;
    taps[tap] = expanded + (begin - first) * kPanelColumns;
    expand(*packed.quantised, {first, begin + inputs.size()}, {column, column + kPanelColumns}, expanded);
    expanded += (kFilterChannels + 4) * kPanelColumns;
  }
  for (size_t lane = 0; lane < inputs.size() * kPanelColumns; lane += kLanes, u += kLanes) {
    VF g[3][3];
    HWY_UNROLL(3)
    for (size_t y = 0; y < 3; ++y) {
      HWY_UNROLL(3)
      for (size_t x = 0; x < 3; ++x) g[y][x] = load(taps[y * 3 + x] + lane);
    }
    transform_filters(g, u, matrix);
  }
}

}  // namespace

bool winograd_fits(const Conv& c) {
  return c.groups == 1 && c.kernel[1] == 3 && c.kernel[2] == 3 && c.stride.product() == 1 &&
         c.dilation[1] == 1 && c.dilation[2] == 1;
}

size_t packed_winograd_size(const Conv& c) {
  return (kFrequencies * CheckedSize(packed_b_size(depth_of(c), c.out_channels))).value();
}

void pack_winograd(const Conv& c, const ConvWeights& w, float* packed) {
  const size_t depth = depth_of(c), matrix = packed_b_size(depth, c.out_channels);
  for (size_t o = 0; o < round_up(c.out_channels, kPanelColumns); o += kLanes) {
    const size_t lanes = o < c.out_channels ? std::min(kLanes, c.out_channels - o) : 0;
    count_work(depth * kFrequencies * 2);
    for (size_t i = 0; i < depth; ++i) {
      const float* const plane =
          w.data + i / c.in_channels * 9 * w.tap_stride + i % c.in_channels * w.in_stride;
      VF g[3][3];
      for (size_t y = 0; y < 3; ++y) {
        for (size_t x = 0; x < 3; ++x) {
          alignas(16) float values[kLanes] = {};
          const float* from = plane + (y * 3 + x) * w.tap_stride;
          for (size_t lane = 0; lane < lanes; ++lane) values[lane] = from[(o + lane) * w.out_stride];
          g[y][x] = hn::Load(F32x4(), values);
        }
      }
      float* to = packed + o / kPanelColumns * kPanelColumns * depth + i * kPanelColumns + o % kPanelColumns;
      transform_filters(g, to, matrix);
    }
  }
}

size_t winograd_tiles(const Conv& c) { return Tiles(c).count(c); }

CheckedSize winograd_scratch_size(const Conv& c) {
  const Layout layout = Layout::packed(c);
  return kFrequencies * (CheckedSize(layout.in_matrix) + layout.out_matrix);
}

void winograd(const Conv& c, const float* x, const float* packed, float* y, const Epilogue& epilogue,
              float* scratch, Range range) {
  const Layout layout = Layout::packed(c);
  const Tiles tiles(c);
  float* v = scratch;
  float* m = scratch + kFrequencies * layout.in_matrix;
  const size_t depth = depth_of(c), part = part_size(depth, kMaxDepth, 4);
  const size_t block = part_size(range.size(), layout.tiles, kTileRows);
  for (size_t first = range.begin; first < range.end; first += block) {
    const size_t count = std::min(block, range.end - first);
    for (size_t t = 0; t < count; ++t) {
      transform_input(c, layout, TileAt::of(tiles, first + t), x, v + t * layout.in_row);
    }
    const float* matrix = packed;
    for (size_t f = 0; f < kFrequencies; ++f, matrix += packed_b_size(depth, c.out_channels)) {
      count_work(count * (depth / kMultipliesPerStep + 1) * c.out_channels);
      for (size_t p = 0; p < depth; p += part) {
        multiply(layout, count, v + f * layout.in_matrix, {p, std::min(p + part, depth)},
                 matrix + p * kPanelColumns, depth * kPanelColumns, m + f * layout.out_matrix);
      }
    }
    for (size_t t = 0; t < count; ++t) {
      transform_output(c, layout, TileAt::of(tiles, first + t), m + t * layout.out_row, y, epilogue,
                       {0, c.out_channels});
    }
  }
}

CheckedSize winograd_from_direct_scratch_size(const Conv& c) {
  const Layout layout = Layout::direct(c);
  return kFrequencies *
             (CheckedSize(layout.in_matrix) + layout.out_matrix + odd_lines<float>(kFilterFloats)) +
         kExpandedFloats;
}

void winograd_from_direct(const Conv& c, const float* x, const PackedConv& packed, float* y,
                          const Epilogue& epilogue, float* scratch, Range range, Range channels) {
  const Layout layout = Layout::direct(c);
  const Tiles tiles(c);
  float* v = scratch;
  float* m = v + kFrequencies * layout.in_matrix;
  float* u = m + kFrequencies * layout.out_matrix;
  const size_t matrix = odd_lines<float>(kFilterFloats), part = part_size(c.in_channels, kFilterChannels, 4);
  float* expanded = u + kFrequencies * matrix;
  const size_t block = part_size(range.size(), layout.tiles, kTileRows);
  for (size_t first = range.begin; first < range.end; first += block) {
    const size_t count = std::min(block, range.end - first);
    for (size_t t = 0; t < count; ++t) {
      transform_input(c, layout, TileAt::of(tiles, first + t), x, v + t * layout.in_row);
    }
    for (size_t column = channels.begin; column < channels.end; column += kPanelColumns) {
      for (size_t kz = 0; kz < c.kernel[0]; ++kz) {
        for (size_t p = 0; p < c.in_channels; p += part) {
          const Range inputs = {p, std::min(p + part, c.in_channels)};
          count_work(kFrequencies * (count + kPanelColumns) * inputs.size());
          make_filters(c, packed, kz, inputs, column, expanded, u, matrix);
          const size_t before = kz * c.in_channels;
          for (size_t f = 0; f < kFrequencies; ++f) {
            multiply(layout, count, v + f * layout.in_matrix, {before + inputs.begin, before + inputs.end},
                     u + f * matrix, 0, m + f * layout.out_matrix);
          }
        }
      }
      for (size_t t = 0; t < count; ++t) {
        transform_output(c, layout, TileAt::of(tiles, first + t), m + t * layout.out_row, y, epilogue,
                         {column, std::min(column + kPanelColumns, channels.end)});
      }
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
