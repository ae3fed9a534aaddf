// SPDX-License-Identifier: Apache-2.0
#include "kernels/winograd.h"

#include <algorithm>

#include "kernels/math-inl.h"
#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// The transforms of one dimension; those of two are one after the other along both axes.
constexpr size_t kOut = kWinogradTile, kIn = kOut + 2, kFrequencies = kIn * kIn;
constexpr float kP = 0.70710678f, kQ = 1.41421356f;

HWY_INLINE void input_transform(const VF (&d)[6], VF (&v)[6]) {
  const VF even1 = neg_mul_add(set(2.0f), d[2], d[4]);
  const VF odd1 = neg_mul_add(set(kQ), d[1], hn::Mul(set(kP), d[3]));
  const VF even2 = neg_mul_add(set(0.5f), d[2], d[4]);
  const VF odd2 = neg_mul_add(set(kP), d[1], hn::Mul(set(kQ), d[3]));
  v[0] = hn::Add(neg_mul_add(set(2.5f), d[2], d[0]), d[4]);
  v[1] = hn::Add(even1, odd1);
  v[2] = hn::Sub(even1, odd1);
  v[3] = hn::Add(even2, odd2);
  v[4] = hn::Sub(even2, odd2);
  v[5] = hn::Add(neg_mul_add(set(2.5f), d[3], d[1]), d[5]);
}

HWY_INLINE void output_transform(const VF (&m)[6], VF (&y)[4]) {
  const VF s1 = hn::Add(m[1], m[2]), t1 = hn::Sub(m[1], m[2]);
  const VF s2 = hn::Add(m[3], m[4]), t2 = hn::Sub(m[3], m[4]);
  y[0] = hn::Add(m[0], hn::Add(s1, s2));
  y[1] = mul_add(set(kP), t1, hn::Mul(set(kQ), t2));
  y[2] = mul_add(set(0.5f), s1, hn::Mul(set(2.0f), s2));
  y[3] = mul_add(set(kP / 2), t1, mul_add(set(2 * kQ), t2, m[5]));
}

HWY_INLINE void weight_transform(const VF (&g)[3], VF (&u)[6]) {
  const VF even1 = hn::Mul(set(-2.0f / 3), mul_add(set(0.5f), g[2], g[0]));
  const VF odd1 = hn::Mul(set(-2.0f / 3 * kP), g[1]);
  const VF even2 = hn::Mul(set(1.0f / 6), mul_add(set(2.0f), g[2], g[0]));
  const VF odd2 = hn::Mul(set(kQ / 6), g[1]);
  u[0] = g[0];
  u[1] = hn::Add(even1, odd1);
  u[2] = hn::Sub(even1, odd1);
  u[3] = hn::Add(even2, odd2);
  u[4] = hn::Sub(even2, odd2);
  u[5] = g[2];
}

constexpr size_t round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// How a block of tiles lies in scratch: for each frequency a matrix of tiles by input channels, and one of
// tiles by output channels.
struct Layout {
  size_t tiles;  // of a block
  size_t in_row, out_row;
  size_t in_matrix, out_matrix;

  explicit Layout(const Conv& c) {
    // Both halves together stay in the second-level cache.
    constexpr size_t kFloats = size_t{96} << 10;
    in_row = round_up(c.in_channels, kLanes);
    out_row = round_up(c.out_channels, kPanelColumns);
    const size_t fitting = kFloats / kFrequencies / (in_row + out_row) / kTileRows * kTileRows;
    tiles = std::clamp<size_t>(fitting, kTileRows, 8 * kTileRows);
    in_matrix = odd_lines(tiles * in_row);
    out_matrix = odd_lines(tiles * out_row);
  }
  // An odd number of cache lines: else a transform's 36 streams would meet in a few sets of the first-level
  // cache.
  static size_t odd_lines(size_t floats) { return (round_up(floats, 16) / 16 | 1) * 16; }
};

struct Tiles {
  size_t rows, columns;
  explicit Tiles(const Conv& c) : rows((c.out[1] + kOut - 1) / kOut), columns((c.out[2] + kOut - 1) / kOut) {}
  size_t count(const Conv& c) const { return c.batch * c.out[0] * rows * columns; }
};

// Where a tile begins in the output.
struct TileAt {
  size_t plane, y, x;
  static TileAt of(const Tiles& tiles, size_t index) {
    return {index / tiles.columns / tiles.rows, index / tiles.columns % tiles.rows * kOut,
            index % tiles.columns * kOut};
  }
};

HWY_NOINLINE void transform_input(const Conv& c, const Layout& layout, const TileAt& at, const float* x,
                                  float* v) {
  alignas(16) static constexpr float kZeros[kLanes] = {};
  // Outside the picture every channel is read from the same zeros.
  const float* pixels[kIn][kIn];
  size_t steps[kIn][kIn];
  for (size_t i = 0; i < kIn; ++i) {
    for (size_t j = 0; j < kIn; ++j) {
      const size_t iy = at.y + i - c.pads[1], ix = at.x + j - c.pads[2];
      const bool inside = iy < c.in[1] && ix < c.in[2];
      pixels[i][j] = inside ? x + ((at.plane * c.in[1] + iy) * c.in[2] + ix) * c.in_stride : kZeros;
      steps[i][j] = inside ? 1 : 0;
    }
  }
  for (size_t channel = 0; channel < c.in_channels; channel += kLanes, v += kLanes) {
    const size_t left = c.in_channels - channel;
    VF half[kIn][kIn];
    HWY_UNROLL(6)
    for (size_t i = 0; i < kIn; ++i) {
      VF d[kIn];
      HWY_UNROLL(6)
      for (size_t j = 0; j < kIn; ++j) {
        const float* p = pixels[i][j] + channel * steps[i][j];
        d[j] = left >= kLanes ? load(p) : load_part(p, left);
      }
      input_transform(d, half[i]);
    }
    HWY_UNROLL(6)
    for (size_t j = 0; j < kIn; ++j) {
      VF d[kIn], result[kIn];
      HWY_UNROLL(6)
      for (size_t i = 0; i < kIn; ++i) d[i] = half[i][j];
      input_transform(d, result);
      HWY_UNROLL(6)
      for (size_t i = 0; i < kIn; ++i) store(result[i], v + (i * kIn + j) * layout.in_matrix);
    }
  }
}

HWY_NOINLINE void transform_output(const Conv& c, const Layout& layout, const TileAt& at, const float* m,
                                   float* y, const Epilogue& epilogue) {
  const UnaryFunction& f = epilogue.activation;
  const VF low = set(!is_clamp(f) ? -kInfinity : f.kind == Unary::kRelu ? 0.0f : f.alpha);
  const VF high = set(!is_clamp(f) || f.kind == Unary::kRelu ? kInfinity : f.beta);
  const size_t height = std::min(kOut, c.out[1] - at.y), width = std::min(kOut, c.out[2] - at.x);
  const size_t first_pixel = (at.plane * c.out[1] + at.y) * c.out[2] + at.x;
  for (size_t channel = 0; channel < c.out_channels; channel += kLanes, m += kLanes) {
    const size_t lanes = std::min(kLanes, c.out_channels - channel);
    const auto load_lanes = [&](const float* p)
                                HWY_ATTR { return lanes == kLanes ? load(p) : load_part(p, lanes); };
    VF half[kIn][kOut];
    HWY_UNROLL(6)
    for (size_t i = 0; i < kIn; ++i) {
      VF d[kIn];
      HWY_UNROLL(6)
      for (size_t j = 0; j < kIn; ++j) d[j] = load(m + (i * kIn + j) * layout.out_matrix);
      output_transform(d, half[i]);
    }
    const VF bias = epilogue.bias != nullptr ? load_lanes(epilogue.bias + channel) : zero();
    HWY_UNROLL(4)
    for (size_t j = 0; j < kOut; ++j) {
      VF d[kIn], result[kOut];
      HWY_UNROLL(6)
      for (size_t i = 0; i < kIn; ++i) d[i] = half[i][j];
      output_transform(d, result);
      if (j >= width) break;
      HWY_UNROLL(4)
      for (size_t i = 0; i < kOut; ++i) {
        if (i >= height) break;
        const size_t pixel = first_pixel + i * c.out[2] + j;
        VF sum = hn::Add(result[i], bias);
        if (epilogue.residual != nullptr) {
          sum = hn::Add(sum, load_lanes(epilogue.residual + pixel * epilogue.residual_stride + channel));
        }
        sum = clamp(sum, low, high);
        float* to = y + (pixel - c.out_first) * c.out_stride + channel;
        lanes == kLanes ? store(sum, to) : store_part(sum, to, lanes);
      }
    }
  }
  if (f.kind == Unary::kIdentity || is_clamp(f)) return;
  for (size_t i = 0; i < height; ++i) {
    for (size_t j = 0; j < width; ++j) {
      float* pixel = y + (first_pixel - c.out_first + i * c.out[2] + j) * c.out_stride;
      apply_unary(f, pixel, pixel, c.out_channels);
    }
  }
}

// The products of one frequency: [tiles][in_channels] by [in_channels][out_channels].
void multiply(const Conv& c, const Layout& layout, size_t tiles, const float* v, const float* packed,
              float* m) {
  const float* rows[kTileRows];
  float* outputs[kTileRows];
  const size_t depth = part_size(c.in_channels, kMaxDepth, 4);
  const size_t count = tile_count(tiles);
  TileOutput out = {};
  out.rows = outputs;
  for (size_t p = 0; p < c.in_channels; p += depth) {
    const TileInput in = {rows,
                          1,
                          p,
                          std::min(depth, c.in_channels - p),
                          1,
                          packed + p * kPanelColumns,
                          kPanelColumns,
                          c.in_channels * kPanelColumns};
    out.accumulate = p > 0;
    for (size_t t = 0; t < count; ++t) {
      const Range tile = tile_range(tiles, count, t);
      for (size_t r = 0; r < tile.size(); ++r) {
        rows[r] = v + (tile.begin + r) * layout.in_row;
        outputs[r] = m + (tile.begin + r) * layout.out_row;
      }
      run_tile_columns(tile.size(), in, out, {0, layout.out_row});
    }
  }
}

}  // namespace

bool winograd_fits(const Conv& c) {
  return c.groups == 1 && c.kernel[0] == 1 && c.kernel[1] == 3 && c.kernel[2] == 3 &&
         c.stride.product() == 1 && c.dilation[1] == 1 && c.dilation[2] == 1 && c.pads[0] == 0 &&
         c.out[0] == c.in[0];
}

size_t packed_winograd_size(const Conv& c) {
  return kFrequencies * packed_b_size(c.in_channels, c.out_channels);
}

// u = G g G^T for four output channels at a time.
void pack_winograd(const Conv& c, const ConvWeights& w, float* packed) {
  const size_t matrix = packed_b_size(c.in_channels, c.out_channels);
  for (size_t o = 0; o < round_up(c.out_channels, kPanelColumns); o += kLanes) {
    const size_t lanes = o < c.out_channels ? std::min(kLanes, c.out_channels - o) : 0;
    for (size_t i = 0; i < c.in_channels; ++i) {
      VF half[3][kIn];  // [row of g][frequency]
      for (size_t y = 0; y < 3; ++y) {
        VF g[3];
        for (size_t x = 0; x < 3; ++x) {
          alignas(16) float values[kLanes] = {};
          const float* from = w.data + i * w.in_stride + (y * 3 + x) * w.tap_stride;
          for (size_t lane = 0; lane < lanes; ++lane) values[lane] = from[(o + lane) * w.out_stride];
          g[x] = hn::Load(F32x4(), values);
        }
        weight_transform(g, half[y]);
      }
      float* to =
          packed + o / kPanelColumns * kPanelColumns * c.in_channels + i * kPanelColumns + o % kPanelColumns;
      for (size_t x = 0; x < kIn; ++x) {
        const VF g[3] = {half[0][x], half[1][x], half[2][x]};
        VF u[kIn];
        weight_transform(g, u);
        for (size_t y = 0; y < kIn; ++y) store(u[y], to + (y * kIn + x) * matrix);
      }
    }
  }
}

size_t winograd_tiles(const Conv& c) { return Tiles(c).count(c); }

size_t winograd_scratch_size(const Conv& c) {
  const Layout layout(c);
  return kFrequencies * (layout.in_matrix + layout.out_matrix);
}

void winograd(const Conv& c, const float* x, const float* packed, float* y, const Epilogue& epilogue,
              float* scratch, Range range) {
  const Layout layout(c);
  const Tiles tiles(c);
  float* v = scratch;
  float* m = scratch + kFrequencies * layout.in_matrix;
  for (size_t first = range.begin; first < range.end; first += layout.tiles) {
    const size_t count = std::min(layout.tiles, range.end - first);
    for (size_t t = 0; t < count; ++t) {
      transform_input(c, layout, TileAt::of(tiles, first + t), x, v + t * layout.in_row);
    }
    for (size_t f = 0; f < kFrequencies; ++f) {
      multiply(c, layout, count, v + f * layout.in_matrix,
               packed + f * packed_b_size(c.in_channels, c.out_channels), m + f * layout.out_matrix);
    }
    for (size_t t = 0; t < count; ++t) {
      transform_output(c, layout, TileAt::of(tiles, first + t), m + t * layout.out_row, y, epilogue);
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
