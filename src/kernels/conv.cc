// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv.h"

#include <algorithm>
#include <cstring>

#include "core/work.h"
#include "kernels/conv_block-inl.h"
#include "kernels/conv_windows.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// If the taps of a kernel row are adjacent in memory, they form one run. This takes a third of the pointers
// for 3x3. The 7x7 window of an image becomes 7 runs of 21 floats instead of 49 of 3. Windows that extend
// beyond the sides are then copied. Long runs are worthwhile only if single taps are shorter than a few
// vectors, as in the filters of 400 samples that read a wave.
constexpr size_t kLongestRun = 256, kLongestRunOfFewChannels = 4096, kFewChannels = 16;

// The weights of groups that are computed together stay in L2, along with the data.
constexpr size_t kFloatsTogether = size_t{128} << 10;

struct Window {
  bool merged;   // rows of the kernel are runs
  Extents taps;  // of the kernel, with a width of 1 if merged
  size_t run;    // floats per tap

  explicit Window(const Conv& c)
      : merged(c.kernel[2] > 1 && c.dilation[2] == 1 && c.in_stride == c.in_channels &&
               c.kernel[2] * c.in_channels <=
                   (c.in_channels < kFewChannels ? kLongestRunOfFewChannels : kLongestRun)),
        taps(c.kernel),
        run(c.in_channels) {
    if (merged) {
      taps[2] = 1;
      run *= c.kernel[2];
    }
  }

  // Omits the taps before the first and after the last that read the input. The outer taps of a widely
  // dilated kernel read only padding if the input is small.
  Depth depth(const Conv& c) const {
    Depth depth(taps.product(), run);
    const auto is_used = [&](size_t tap) {
      const bool row =
          reads_input(c, 0, tap / taps[2] / taps[1]) && reads_input(c, 1, tap / taps[2] % taps[1]);
      return row && (merged || reads_input(c, 2, tap % taps[2]));
    };
    while (depth.used.size() > 0 && !is_used(depth.used.begin)) ++depth.used.begin;
    while (depth.used.size() > 0 && !is_used(depth.used.end - 1)) --depth.used.end;
    return depth;
  }
};

// Finds the windows of a block of pixels.
class Gatherer {
 public:
  Gatherer(const Conv& c, const Window& w, const float* x, const Scratch& scratch)
      : c_(c), w_(w), x_(x), scratch_(scratch), run_(scratch.runs) {}

  // Finds the input rows of a pixel. gather() then uses them for all adjacent pixels.
  void enter_row(const Pixel& pixel) {
    const float** row = scratch_.rows;
    for (size_t kz = 0; kz < w_.taps[0]; ++kz) {
      const ptrdiff_t z = input_position(c_, 0, pixel.z, kz);
      for (size_t ky = 0; ky < w_.taps[1]; ++ky) {
        const ptrdiff_t y = input_position(c_, 1, pixel.y, ky);
        const bool inside = is_inside(c_, 0, z) && is_inside(c_, 1, y);
        *row++ = inside ? x_ + input_row(c_, pixel.n, z, y) : nullptr;
      }
    }
  }

  // Writes the pointers of one pixel: tap t at pointers[t * rows].
  void gather(const Pixel& pixel, const float** pointers, size_t rows) {
    const ptrdiff_t x0 = input_position(c_, 2, pixel.x);
    const size_t count = w_.taps[0] * w_.taps[1];
    if (w_.merged) {
      const bool whole = x0 >= 0 && static_cast<size_t>(x0) + c_.kernel[2] <= c_.in[2];
      const size_t offset = static_cast<size_t>(x0) * c_.in_channels;
      for (size_t i = 0; i < count; ++i, pointers += rows) {
        const float* row = scratch_.rows[i];
        *pointers = row == nullptr ? scratch_.zeros : whole ? row + offset : cut_run(row, x0);
      }
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      const float* row = scratch_.rows[i];
      for (size_t kx = 0; kx < w_.taps[2]; ++kx, pointers += rows) {
        const ptrdiff_t x = x0 + static_cast<ptrdiff_t>(kx * c_.dilation[2]);
        const bool inside = row != nullptr && is_inside(c_, 2, x);
        *pointers = inside ? row + static_cast<size_t>(x) * c_.in_stride : scratch_.zeros;
      }
    }
  }

 private:
  // Copies a run that extends beyond a side, with zeros outside.
  const float* cut_run(const float* row, ptrdiff_t x) {
    const TapsInside taps(c_, x);
    if (taps.begin == taps.end) return scratch_.zeros;
    const size_t channels = c_.in_channels;
    float* run = run_;
    run_ += w_.run;
    const size_t before = taps.begin * channels, after = taps.end * channels;
    std::memset(run, 0, before * sizeof(float));
    const float* const from = row + static_cast<size_t>(x + static_cast<ptrdiff_t>(taps.begin)) * channels;
    std::memcpy(run + before, from, (after - before) * sizeof(float));
    std::memset(run + after, 0, (w_.run - after) * sizeof(float));
    return run;
  }

  const Conv& c_;
  const Window& w_;
  const float* x_;
  const Scratch& scratch_;
  float* run_;
};

// Moves windows to the channels of the next group.
void move_windows(const Scratch& scratch, size_t count, size_t channels) {
  for (size_t i = 0; i < count; ++i) {
    const float*& row = scratch.pointers[i];
    row += row != scratch.zeros ? channels : 0;
  }
}

}  // namespace

size_t packed_conv_size(const Conv& c) {
  return (CheckedSize(c.groups) * packed_b_size(c.kernel.product() * c.in_channels, c.out_channels)).value();
}

void pack_conv(const Conv& c, const ConvWeights& weights, float* packed) {
  const size_t taps = c.kernel.product();
  for (size_t g = 0; g < c.groups; ++g) {
    for (size_t column = 0; column < c.out_channels; column += kPanelColumns) {
      const size_t width = std::min(kPanelColumns, c.out_channels - column);
      const float* panel = weights.data + g * weights.group_stride + column * weights.out_stride;
      for (size_t tap = 0; tap < taps; ++tap) {
        pack_b(panel + tap * weights.tap_stride, weights.in_stride, weights.out_stride, c.in_channels, width,
               {0, width}, packed);
        packed += c.in_channels * kPanelColumns;
      }
    }
  }
}

bool few_outputs_fit(const Conv& c, bool transposed) {
  const size_t run = transposed ? c.in_channels : Window(c).run;
  return c.groups == 1 && c.out_channels <= kFewOutputs && (run % kLanes == 0 || run >= 2 * kLanes);
}

size_t filter_rows_size(const Conv& c) {
  return (CheckedSize(c.out_channels) * c.kernel.product() * c.in_channels).value();
}

void pack_filter_rows(const Conv& c, const ConvWeights& weights, float* packed) {
  for (size_t o = 0; o < c.out_channels; ++o) {
    for (size_t tap = 0; tap < c.kernel.product(); ++tap) {
      const float* from = weights.data + o * weights.out_stride + tap * weights.tap_stride;
      count_work(c.in_channels);
      for (size_t i = 0; i < c.in_channels; ++i) *packed++ = from[i * weights.in_stride];
    }
  }
}

CheckedSize conv_scratch_size(const Conv& c, bool quantised) {
  const Window w(c);
  return scratch_bytes(w.depth(c), w.merged, quantised);
}

void conv(const Conv& c, const float* x, const PackedConv& packed, float* y, const Epilogue& epilogue,
          void* memory, Range pixels, Range channels) {
  const Window w(c);
  const Depth depth = w.depth(c);
  const Scratch scratch = divide(depth, packed.quantised != nullptr, memory);
  PackedConv weights = packed;
  const size_t floats = packed_floats(packed, depth.total(), c.out_channels);
  // Groups with few weights are computed together, so that the windows of a block are found once for all.
  const size_t together = std::clamp<size_t>(kFloatsTogether / std::max<size_t>(1, floats), 1, c.groups);
  for (size_t g = 0; g < c.groups; g += together) {
    const size_t last = std::min(c.groups, g + together);
    PackedConv following = weights;
    for (size_t first = pixels.begin; first < pixels.end; first += kBlockRows) {
      const size_t rows = std::min(kBlockRows, pixels.end - first);
      Gatherer gatherer(c, w, x + g * c.in_channels, scratch);
      Pixel pixel(c, first);
      const size_t tiles = tile_count(rows);
      for (size_t t = 0; t < tiles; ++t) {
        const Range tile = tile_range(rows, tiles, t);
        for (size_t r = 0; r < tile.size(); ++r, pixel.advance(c)) {
          if (pixel.x == 0 || tile.begin + r == 0) gatherer.enter_row(pixel);
          scratch.pixels[tile.begin + r] = first + tile.begin + r;
          gatherer.gather(pixel, scratch.pointers + tile.begin * depth.taps + r, tile.size());
        }
      }
      following = weights;
      for (size_t group = g; group < last; ++group, following.advance(floats)) {
        if (group > g) move_windows(scratch, rows * depth.taps, c.in_channels);
        multiply_block(c, depth, scratch, rows, following, y, epilogue, channels, group);
        count_work(rows * depth.total());
      }
    }
    weights = following;
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
