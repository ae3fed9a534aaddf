// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_conv.h"

#include <algorithm>

#include "kernels/conv_windows.h"
#include "kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kAlignment = 64;
// A block of packed windows stays in L2 while all filters are applied to it.
constexpr size_t kBlockBytes = size_t{256} << 10;
// Divisible into tiles of four and of six rows.
constexpr size_t kBlockRows = 96, kTileRows = 12;

size_t columns_of_group(const Conv& c) {
  return (c.out_channels + kPanelColumns - 1) / kPanelColumns * kPanelColumns;
}
// Zeros after a row of A.
size_t padding_of(size_t depth) { return (kIntegerStep - depth % kIntegerStep) % kIntegerStep; }
size_t depth_of(const Conv& c) { return c.kernel.product() * c.in_channels; }

// Whether a pixel's window is the pixel itself.
bool is_pointwise(const Conv& c) {
  // Equal products of sizes are not enough: one axis may be longer and another one shorter.
  for (size_t axis = 0; axis < 3; ++axis) {
    if (c.in[axis] != c.out[axis]) return false;
  }
  return c.kernel.product() == 1 && c.stride.product() == 1 && c.pads[0] + c.pads[1] + c.pads[2] == 0;
}

// Copies the windows of output pixels into rows of A. The pixels of an output row have their taps in the same
// input rows, so each of these is found once and copied to all pixels.
class WindowPacker {
 public:
  WindowPacker(const IntegerConv& c, const uint8_t* x)
      : c_(c.conv), dot_(c.dot), pad_(c.pad), x_(x), row_(integer_row_size(dot_, depth_of(c_))) {
    // Taps that are adjacent in memory form one run.
    merged_ = c_.dilation[2] == 1 && c_.in_stride == c_.in_channels;
  }

  // Packs the windows of `count` pixels, starting at `first`.
  void pack(size_t first, size_t count, char* to) const {
    for (size_t done = 0; done < count;) {
      const Pixel pixel(c_, first + done);
      const size_t some = std::min(count - done, c_.out[2] - pixel.x);
      pack_pixels(pixel, some, to + done * row_);
      done += some;
    }
  }

 private:
  // Bytes that elements take in a row of A.
  size_t bytes_of(size_t elements) const { return dot_ == IntegerDot::kPairs ? 2 * elements : elements; }

  void pack_elements(const uint8_t* from, size_t count, char* to) const {
    if (dot_ == IntegerDot::kUnsigned) return copy_bytes(from, count, reinterpret_cast<uint8_t*>(to));
    pack_integers(dot_, from, count, to);
  }

  // Packs the windows of adjacent pixels of an output row.
  void pack_pixels(const Pixel& pixel, size_t count, char* to) const {
    const size_t taps = c_.kernel[2] * c_.in_channels;
    for (size_t kz = 0; kz < c_.kernel[0]; ++kz) {
      const ptrdiff_t z = input_position(c_, 0, pixel.z, kz);
      for (size_t ky = 0; ky < c_.kernel[1]; ++ky, to += bytes_of(taps)) {
        const ptrdiff_t y = input_position(c_, 1, pixel.y, ky);
        if (is_inside(c_, 0, z) && is_inside(c_, 1, y)) {
          const uint8_t* row = x_ + input_row(c_, pixel.n, z, y);
          merged_ ? pack_runs(row, pixel.x, count, to) : pack_taps(row, pixel.x, count, to);
        } else {
          for (size_t i = 0; i < count; ++i) pack_repeated(dot_, pad_, taps, to + i * row_);
        }
      }
    }
    const size_t padding = padding_of(depth_of(c_));
    for (size_t i = 0; i < count && padding > 0; ++i) pack_repeated(dot_, 0, padding, to + i * row_);
  }

  // Packs the taps of an input row for pixels that start at column `first` of the output.
  void pack_runs(const uint8_t* row, size_t first, size_t count, char* to) const {
    const size_t channels = c_.in_channels, taps = c_.kernel[2];
    ptrdiff_t x = input_position(c_, 2, first);
    for (size_t i = 0; i < count; ++i, x += static_cast<ptrdiff_t>(c_.stride[2]), to += row_) {
      const TapsInside inside(c_, x);
      if (inside.end - inside.begin == taps) {
        pack_elements(row + static_cast<size_t>(x) * channels, taps * channels, to);
        continue;
      }
      char* at = pack_repeated(dot_, pad_, inside.begin * channels, to);
      if (inside.end > inside.begin) {
        const size_t from = static_cast<size_t>(x + static_cast<ptrdiff_t>(inside.begin)) * channels;
        at = pack_integers(dot_, row + from, (inside.end - inside.begin) * channels, at);
      }
      pack_repeated(dot_, pad_, (taps - inside.end) * channels, at);
    }
  }
  void pack_taps(const uint8_t* row, size_t first, size_t count, char* to) const {
    const size_t channels = c_.in_channels;
    for (size_t k = 0; k < c_.kernel[2]; ++k, to += bytes_of(channels)) {
      for (size_t i = 0; i < count; ++i) {
        const ptrdiff_t x = input_position(c_, 2, first + i, k);
        if (is_inside(c_, 2, x)) {
          pack_elements(row + static_cast<size_t>(x) * c_.in_stride, channels, to + i * row_);
        } else {
          pack_repeated(dot_, pad_, channels, to + i * row_);
        }
      }
    }
  }

  const Conv& c_;
  IntegerDot dot_;
  uint8_t pad_;
  const uint8_t* x_;
  size_t row_;
  bool merged_;
};

// Packs the filter of an output channel as a column of a panel, and returns the sum of its elements. Rows of
// B are ordered by tap, then channel. kStep of them are adjacent in a column; a variable would cost two
// divisions per element.
template <size_t kStep>
int32_t pack_filter(const Conv& conv, const int8_t* filter, const ConvWeights& places, int8_t* panel,
                    size_t column) {
  int32_t sum = 0;
  size_t row = 0;
  for (size_t tap = 0; tap < conv.kernel.product(); ++tap) {
    const int8_t* from = filter + tap * places.tap_stride;
    for (size_t i = 0; i < conv.in_channels; ++i, ++row, from += places.in_stride) {
      panel[(row / kStep * kPanelColumns + column) * kStep + row % kStep] = *from;
      sum += *from;
    }
  }
  return sum;
}

}  // namespace

size_t integer_conv_weights_size(const Conv& c) {
  return (CheckedSize(c.groups) * integer_weights_size(depth_of(c), c.out_channels)).value();
}

size_t integer_conv_columns(const Conv& c) { return (CheckedSize(c.groups) * columns_of_group(c)).value(); }

void pack_integer_conv(const IntegerConv& c, const int8_t* filters, const ConvWeights& places, int8_t* packed,
                       int32_t* sums) {
  const Conv& conv = c.conv;
  const size_t depth = depth_of(conv), columns = columns_of_group(conv);
  const size_t panel_bytes = integer_weights_size(depth, kPanelColumns);
  for (size_t g = 0; g < conv.groups; ++g) {
    int8_t* matrix = packed + g * integer_weights_size(depth, conv.out_channels);
    std::fill_n(matrix, integer_weights_size(depth, conv.out_channels), int8_t{0});
    std::fill_n(sums + g * columns, columns, 0);
    for (size_t o = 0; o < conv.out_channels; ++o) {
      const int8_t* filter = filters + g * places.group_stride + o * places.out_stride;
      int8_t* panel = matrix + o / kPanelColumns * panel_bytes;
      sums[g * columns + o] = c.dot == IntegerDot::kPairs
                                  ? pack_filter<2>(conv, filter, places, panel, o % kPanelColumns)
                                  : pack_filter<4>(conv, filter, places, panel, o % kPanelColumns);
    }
  }
}

size_t integer_conv_block(const IntegerConv& c) {
  const size_t row = integer_row_size(c.dot, depth_of(c.conv)), pixels = c.conv.out_pixels();
  const size_t most = std::clamp(kBlockBytes / std::max<size_t>(1, row), kTileRows, kBlockRows);
  // Blocks of equal size: a small last one would read all filters again.
  const size_t blocks = std::max<size_t>(1, (pixels + most - 1) / most);
  return std::max<size_t>(1, (pixels + blocks * kTileRows - 1) / (blocks * kTileRows)) * kTileRows;
}

CheckedSize integer_conv_scratch_size(const IntegerConv& c) {
  return (CheckedSize(integer_conv_block(c)) * integer_row_size(c.dot, depth_of(c.conv)))
      .rounded_up(kAlignment);
}

void conv(const IntegerConv& c, const uint8_t* x, const int8_t* packed, const Output& y,
          const Epilogue& epilogue, char* scratch, Range pixels, Range channels) {
  const Conv& conv = c.conv;
  const size_t depth = depth_of(conv), row = integer_row_size(c.dot, depth), block = integer_conv_block(c);
  const bool pointwise = is_pointwise(conv), in_place = pointwise && reads_rows_in_place(c.dot, depth);
  for (size_t g = 0; g < conv.groups; ++g) {
    const WindowPacker packer(c, x + g * conv.in_channels);
    for (size_t first = pixels.begin; first < pixels.end; first += block) {
      const size_t rows = std::min(block, pixels.end - first), column = g * conv.out_channels;
      IntegerGemm product = {c.dot,
                             depth,
                             scratch,
                             row,
                             packed + g * integer_weights_size(depth, conv.out_channels),
                             epilogue,
                             y.from(first - conv.out_first, column)};
      if (in_place) {
        product.a = reinterpret_cast<const char*>(x) + first * conv.in_stride + g * conv.in_channels;
        product.a_stride = conv.in_stride;
      } else if (pointwise) {
        const uint8_t* from = x + first * conv.in_stride + g * conv.in_channels;
        for (size_t r = 0; r < rows; ++r) {
          char* const end = pack_integers(c.dot, from + r * conv.in_stride, depth, scratch + r * row);
          pack_repeated(c.dot, 0, padding_of(depth), end);
        }
      } else {
        packer.pack(first, rows, scratch);
      }
      Epilogue& e = product.epilogue;
      e.start += g * columns_of_group(conv);
      e.scale += g * columns_of_group(conv);
      e.bias += g * columns_of_group(conv);
      for (const float** numbers : {&e.residual_scale, &e.slopes, &e.inverse, &e.shift}) {
        if (*numbers != nullptr) *numbers += g * columns_of_group(conv);
      }
      e.residual = e.residual.from(first, column);
      gemm(product, rows, channels);
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
