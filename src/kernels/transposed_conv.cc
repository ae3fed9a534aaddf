// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/work.h"
#include "kernels/conv.h"
#include "kernels/conv_block-inl.h"
#include "kernels/conv_windows.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// One combination of remainders of output positions modulo the strides.
struct Phase {
  size_t remainder[3];

  bool has_tap(const Conv& c, size_t axis, size_t k) const {
    return k * c.dilation[axis] % c.stride[axis] == remainder[axis];
  }
  size_t tap_count(const Conv& c) const {
    size_t product = 1;
    for (size_t axis = 0; axis < 3; ++axis) {
      size_t count = 0;
      for (size_t k = 0; k < c.kernel[axis]; ++k) count += has_tap(c, axis, k) ? 1 : 0;
      product *= count;
    }
    return product;
  }
  // The first output position of the phase that is not before `begin`.
  size_t first_from(const Conv& c, size_t axis, size_t begin) const {
    const size_t stride = c.stride[axis];
    return begin + (remainder[axis] + stride - (begin + c.pads[axis]) % stride) % stride;
  }
};

Phase phase_at(const Conv& c, size_t index) {
  return {{index / c.stride[2] / c.stride[1], index / c.stride[2] % c.stride[1], index % c.stride[2]}};
}

// Calls body(kz, ky, kx) for the taps of a phase.
template <typename Body>
void for_taps(const Conv& c, const Phase& phase, const Body& body) {
  for (size_t kz = 0; kz < c.kernel[0]; ++kz) {
    if (!phase.has_tap(c, 0, kz)) continue;
    for (size_t ky = 0; ky < c.kernel[1]; ++ky) {
      if (!phase.has_tap(c, 1, ky)) continue;
      for (size_t kx = 0; kx < c.kernel[2]; ++kx) {
        if (phase.has_tap(c, 2, kx)) body(kz, ky, kx);
      }
    }
  }
}

// The input position that contributes through tap k to an output position of the same phase. It may be
// outside the input.
ptrdiff_t source(const Conv& c, size_t axis, size_t out, size_t k) {
  const auto sum = static_cast<ptrdiff_t>(out + c.pads[axis]);
  return (sum - static_cast<ptrdiff_t>(k * c.dilation[axis])) / static_cast<ptrdiff_t>(c.stride[axis]);
}

// The positions along a row that the taps of a phase read for output position `out`.
void set_starts(const Conv& c, const Phase& phase, size_t out, ptrdiff_t* starts) {
  for_taps(c, phase, [&](size_t, size_t, size_t kx) { *starts++ = source(c, 2, out, kx); });
}

// The input rows that the taps of a phase read for a row of outputs; nullptr for rows outside.
void find_rows(const Conv& c, const Phase& phase, const float* x, size_t row, const float** rows) {
  const size_t oy = row % c.out[1], oz = row / c.out[1] % c.out[0], n = row / c.out[1] / c.out[0];
  for_taps(c, phase, [&](size_t kz, size_t ky, size_t) {
    const ptrdiff_t z = source(c, 0, oz, kz), y = source(c, 1, oy, ky);
    *rows++ = is_inside(c, 0, z) && is_inside(c, 1, y) ? x + input_row(c, n, z, y) : nullptr;
  });
}

}  // namespace

void pack_transposed_conv(const Conv& c, const ConvWeights& weights, float* packed) {
  for (size_t g = 0; g < c.groups; ++g) {
    for (size_t i = 0; i < c.stride.product(); ++i) {
      const Phase phase = phase_at(c, i);
      for (size_t column = 0; column < c.out_channels; column += kPanelColumns) {
        const size_t width = std::min(kPanelColumns, c.out_channels - column);
        const float* panel = weights.data + g * weights.group_stride + column * weights.out_stride;
        for_taps(c, phase, [&](size_t kz, size_t ky, size_t kx) {
          const size_t tap = (kz * c.kernel[1] + ky) * c.kernel[2] + kx;
          pack_b(panel + tap * weights.tap_stride, weights.in_stride, weights.out_stride, c.in_channels,
                 width, {0, width}, packed);
          packed += c.in_channels * kPanelColumns;
        });
      }
    }
  }
}

void pack_transposed_filter_rows(const Conv& c, const ConvWeights& weights, float* packed) {
  for (size_t i = 0; i < c.stride.product(); ++i) {
    const Phase phase = phase_at(c, i);
    for (size_t o = 0; o < c.out_channels; ++o) {
      for_taps(c, phase, [&](size_t kz, size_t ky, size_t kx) {
        const size_t tap = (kz * c.kernel[1] + ky) * c.kernel[2] + kx;
        const float* from = weights.data + o * weights.out_stride + tap * weights.tap_stride;
        count_work(c.in_channels);
        for (size_t k = 0; k < c.in_channels; ++k) *packed++ = from[k * weights.in_stride];
      });
    }
  }
}

size_t taps_of_phase(const Conv& c, size_t phase, size_t* taps) {
  size_t count = 0;
  for_taps(c, phase_at(c, phase), [&](size_t kz, size_t ky, size_t kx) {
    taps[count++] = (kz * c.kernel[1] + ky) * c.kernel[2] + kx;
  });
  return count;
}

CheckedSize transposed_conv_scratch_size(const Conv& c, bool quantised) {
  return scratch_bytes({c.kernel.product(), c.in_channels}, false, quantised);
}

void transposed_conv(const Conv& c, const float* x, const PackedConv& packed, float* y,
                     const Epilogue& epilogue, void* memory, Range rows, Range channels) {
  PackedConv weights = packed;
  for (size_t g = 0; g < c.groups; ++g) {
    for (size_t i = 0; i < c.stride.product(); ++i) {
      const Phase phase = phase_at(c, i);
      const Depth depth(phase.tap_count(c), c.in_channels);
      const Scratch scratch = divide(depth, packed.quantised != nullptr, memory);
      // The outputs of a row are `stride` apart, and read adjacent inputs.
      const size_t first_x = phase.first_from(c, 2, 0);
      set_starts(c, phase, first_x, scratch.starts);
      struct Place {
        size_t row, step;
      };
      Place block[kBlockRows];
      size_t count = 0;
      const auto flush = [&] {
        if (count == 0) return;
        const size_t tiles = tile_count(count);
        for (size_t t = 0; t < tiles; ++t) {
          const Range tile = tile_range(count, tiles, t);
          for (size_t r = tile.begin; r < tile.end; ++r) {
            const auto [row, step] = block[r];
            if (r == 0 || row != block[r - 1].row) {
              find_rows(c, phase, x + g * c.in_channels, row, scratch.rows);
            }
            scratch.pixels[r] = row * c.out[2] + first_x + step * c.stride[2];
            const float** pointers = scratch.pointers + tile.begin * depth.taps + (r - tile.begin);
            for (size_t tap = 0; tap < depth.taps; ++tap, pointers += tile.size()) {
              const float* const in = scratch.rows[tap];
              const size_t at = static_cast<size_t>(scratch.starts[tap]) + step;
              *pointers = in != nullptr && at < c.in[2] ? in + at * c.in_stride : scratch.zeros;
            }
          }
        }
        multiply_block(c, depth, scratch, count, weights, y, epilogue, channels, g);
        count_work(count * depth.total());
        count = 0;
      };
      for (size_t row = rows.begin; row < rows.end; ++row) {
        const size_t oy = row % c.out[1], oz = row / c.out[1] % c.out[0];
        if (phase.first_from(c, 1, oy) != oy || phase.first_from(c, 0, oz) != oz) continue;
        for (size_t step = 0; first_x + step * c.stride[2] < c.out[2]; ++step) {
          block[count++] = {row, step};
          if (count == kBlockRows) flush();
        }
      }
      flush();
      weights.advance(packed_floats(packed, depth.total(), c.out_channels));
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
