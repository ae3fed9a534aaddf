// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_conv.h"

#include <algorithm>

#include "core/work.h"
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
constexpr size_t rounded_up(size_t size) { return (size + kIntegerStep - 1) / kIntegerStep * kIntegerStep; }

// Bytes of packed elements of A: a size_t or a CheckedSize.
template <typename Size>
Size bytes_of(IntegerDot dot, Size elements) {
  return dot == IntegerDot::kPairs ? elements * 2 : elements;
}

// Whether the windows are read in place, from rows with padding. Narrow pictures would give tiles with few
// rows, and windows in parts could not be multiplied eight elements at a time.
bool reads_in_place(const IntegerConv& c) {
  const Conv& v = c.conv;
  return !multiplies_eight(c.dot, v.kernel.product() * v.in_channels) && v.groups == 1 && v.kernel[0] == 1 &&
         v.in[0] == 1 && v.out[0] == 1 && v.pads[0] == 0 && v.kernel.product() > 1 && v.dilation[1] == 1 &&
         v.dilation[2] == 1 && v.in_stride == v.in_channels && v.kernel[2] * v.in_channels >= 3 &&
         v.out[2] >= 2 * kTileRows && v.stride[1] <= v.kernel[1] && v.stride[2] <= v.kernel[2];
}
// If windows are read in place, each of their rows is padded with weights of 0.
size_t depth_of(const IntegerConv& c) {
  const size_t row = c.conv.kernel[2] * c.conv.in_channels;
  return c.conv.kernel[0] * c.conv.kernel[1] * (reads_in_place(c) ? rounded_up(row) : row);
}

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
      : c_(c.conv),
        dot_(c.dot),
        pad_(c.pad),
        x_(x),
        depth_(depth_of(c)),
        row_(integer_row_size(dot_, depth_of(c))) {
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
  void pack_elements(const uint8_t* from, size_t count, char* to) const {
    if (dot_ == IntegerDot::kUnsigned) return copy_bytes(from, count, reinterpret_cast<uint8_t*>(to));
    pack_integers(dot_, from, count, to);
  }

  // Packs the windows of adjacent pixels of an output row.
  void pack_pixels(const Pixel& pixel, size_t count, char* to) const {
    const size_t taps = c_.kernel[2] * c_.in_channels;
    for (size_t kz = 0; kz < c_.kernel[0]; ++kz) {
      const ptrdiff_t z = input_position(c_, 0, pixel.z, kz);
      for (size_t ky = 0; ky < c_.kernel[1]; ++ky, to += bytes_of(dot_, taps)) {
        const ptrdiff_t y = input_position(c_, 1, pixel.y, ky);
        if (is_inside(c_, 0, z) && is_inside(c_, 1, y)) {
          const uint8_t* row = x_ + input_row(c_, pixel.n, z, y);
          merged_ ? pack_runs(row, pixel.x, count, to) : pack_taps(row, pixel.x, count, to);
        } else {
          for (size_t i = 0; i < count; ++i) pack_repeated(dot_, pad_, taps, to + i * row_);
        }
      }
    }
    const size_t padding = padding_of(depth_);
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
    for (size_t k = 0; k < c_.kernel[2]; ++k, to += bytes_of(dot_, channels)) {
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
  size_t depth_, row_;
  bool merged_;
};

// Input rows of a block of output pixels, with their padding. Each row of a window is adjacent in memory.
// Copying whole windows, 3x3 with 16 -> 16 channels at 128x128 took 741 us instead of 508.
class PaddedRows {
 public:
  // Bytes of a row.
  static CheckedSize row_bytes(const IntegerConv& c) {
    const Conv& v = c.conv;
    return bytes_of(c.dot, (CheckedSize(v.out[2] - 1) * v.stride[2] + v.kernel[2]) * v.in_channels);
  }
  // Number of output rows whose input rows stay in L2.
  static size_t rows_of_block(const IntegerConv& c) {
    const Conv& v = c.conv;
    const size_t in_rows = std::max(v.kernel[1], kBlockBytes / row_bytes(c).value());
    return std::min((in_rows - v.kernel[1]) / v.stride[1] + 1, v.out[1]);
  }
  static CheckedSize bytes(const IntegerConv& c) {
    const Conv& v = c.conv;
    // The last row is read up to its padding, whose weights are 0.
    return row_bytes(c) * (CheckedSize(rows_of_block(c) - 1) * v.stride[1] + v.kernel[1]) +
           bytes_of(c.dot, kIntegerStep);
  }

  PaddedRows(const IntegerConv& c, char* scratch)
      : c_(c), scratch_(scratch), row_(row_bytes(c).value()), elements_(row_ / bytes_of(c.dot, size_t{1})) {}

  // Copies the input rows for `count` output rows of picture `n`, starting at row `y`.
  void copy(const uint8_t* x, size_t n, size_t y, size_t count) const {
    const Conv& c = c_.conv;
    const size_t rows = (count - 1) * c.stride[1] + c.kernel[1];
    const size_t left = std::min(c.pads[2] * c.in_channels, elements_);
    const size_t inside = std::min(c.in[2] * c.in_channels, elements_ - left);
    char* to = scratch_;
    for (size_t i = 0; i < rows; ++i) {
      count_work(elements_);
      const size_t iy = y * c.stride[1] + i - c.pads[1];
      if (iy >= c.in[1]) {  // negative values wrap to large ones
        to = pack_repeated(c_.dot, c_.pad, elements_, to);
        continue;
      }
      to = pack_repeated(c_.dot, c_.pad, left, to);
      to = pack_integers(c_.dot, x + (n * c.in[1] + iy) * c.in[2] * c.in_channels, inside, to);
      to = pack_repeated(c_.dot, c_.pad, elements_ - left - inside, to);
    }
  }

  // Sets the rows of A that are the windows of output pixels from (y, x) on. `y` counts from the first row
  // that was copied.
  void place(size_t y, size_t x, IntegerGemm& product) const {
    const Conv& c = c_.conv;
    product.a_stride = bytes_of(c_.dot, c.stride[2] * c.in_channels);
    product.a = scratch_ + y * c.stride[1] * row_ + x * product.a_stride;
    product.parts = c.kernel[1];
    product.skip = row_ - integer_row_size(c_.dot, c.kernel[2] * c.in_channels);
  }

 private:
  const IntegerConv& c_;
  char* scratch_;
  size_t row_, elements_;  // bytes and elements of a row
};

// Packs the filter of an output channel as a column of a panel, and returns the sum of its elements. Rows of
// B are ordered by tap, then channel. kStep of them are adjacent in a column; a variable would cost two
// divisions per element.
template <size_t kStep>
int32_t pack_filter(const IntegerConv& c, const int8_t* filter, const ConvWeights& places, int8_t* panel,
                    size_t column) {
  const Conv& conv = c.conv;
  const bool in_place = reads_in_place(c);
  int32_t sum = 0;
  size_t row = 0;
  for (size_t tap = 0; tap < conv.kernel.product(); ++tap) {
    if (in_place && tap % conv.kernel[2] == 0) row = rounded_up(row);
    const int8_t* from = filter + tap * places.tap_stride;
    for (size_t i = 0; i < conv.in_channels; ++i, ++row, from += places.in_stride) {
      panel[(row / kStep * kPanelColumns + column) * kStep + row % kStep] = *from;
      sum += *from;
    }
  }
  return sum;
}

// conv() for padded rows.
void conv_in_place(const IntegerConv& c, const uint8_t* x, const int8_t* packed, const Output& y,
                   const Epilogue& epilogue, char* scratch, Range pixels, Range channels) {
  const Conv& conv = c.conv;
  const PaddedRows padded(c, scratch);
  const size_t width = conv.out[2], height = conv.out[1], block = PaddedRows::rows_of_block(c);
  IntegerGemm product = {c.dot, depth_of(c), scratch, 0, packed, epilogue, y};
  for (size_t pixel = pixels.begin; pixel < pixels.end;) {
    const size_t first = pixel / width, n = first / height;
    const size_t last = std::min({first + block, (n + 1) * height, (pixels.end - 1) / width + 1});
    padded.copy(x, n, first % height, last - first);
    for (size_t row = first; row < last; ++row) {
      const size_t end = std::min((row + 1) * width, pixels.end);
      padded.place(row - first, pixel - row * width, product);
      product.c = y.from(pixel, 0);
      product.epilogue.residual = epilogue.residual.from(pixel, 0);
      gemm(product, end - pixel, channels);
      pixel = end;
    }
  }
}

}  // namespace

bool integer_conv_reads_in_place(const IntegerConv& c) { return reads_in_place(c); }

size_t integer_conv_weights_size(const IntegerConv& c) {
  return (CheckedSize(c.conv.groups) * integer_weights_size(depth_of(c), c.conv.out_channels)).value();
}

size_t integer_conv_columns(const Conv& c) { return (CheckedSize(c.groups) * columns_of_group(c)).value(); }

void pack_integer_conv(const IntegerConv& c, const int8_t* filters, const ConvWeights& places, int8_t* packed,
                       int32_t* sums) {
  const Conv& conv = c.conv;
  const size_t depth = depth_of(c), columns = columns_of_group(conv);
  const size_t panel_bytes = integer_weights_size(depth, kPanelColumns);
  for (size_t g = 0; g < conv.groups; ++g) {
    int8_t* matrix = packed + g * integer_weights_size(depth, conv.out_channels);
    std::fill_n(matrix, integer_weights_size(depth, conv.out_channels), int8_t{0});
    std::fill_n(sums + g * columns, columns, 0);
    for (size_t o = 0; o < conv.out_channels; ++o) {
      count_work(depth);
      const int8_t* filter = filters + g * places.group_stride + o * places.out_stride;
      int8_t* panel = matrix + o / kPanelColumns * panel_bytes;
      sums[g * columns + o] = c.dot == IntegerDot::kPairs
                                  ? pack_filter<2>(c, filter, places, panel, o % kPanelColumns)
                                  : pack_filter<4>(c, filter, places, panel, o % kPanelColumns);
    }
  }
}

size_t integer_conv_block(const IntegerConv& c) {
  const size_t row = integer_row_size(c.dot, depth_of(c)), pixels = c.conv.out_pixels();
  const size_t most = std::clamp(kBlockBytes / std::max<size_t>(1, row), kTileRows, kBlockRows);
  // Blocks of equal size: a small last one would read all filters again.
  const size_t blocks = std::max<size_t>(1, (pixels + most - 1) / most);
  return std::max<size_t>(1, (pixels + blocks * kTileRows - 1) / (blocks * kTileRows)) * kTileRows;
}

CheckedSize integer_conv_scratch_size(const IntegerConv& c) {
  if (reads_in_place(c)) return PaddedRows::bytes(c).rounded_up(kAlignment);
  return (CheckedSize(integer_conv_block(c)) * integer_row_size(c.dot, depth_of(c))).rounded_up(kAlignment);
}

void conv(const IntegerConv& c, const uint8_t* x, const int8_t* packed, const Output& y,
          const Epilogue& epilogue, char* scratch, Range pixels, Range channels) {
  const Conv& conv = c.conv;
  if (reads_in_place(c)) return conv_in_place(c, x, packed, y, epilogue, scratch, pixels, channels);
  const size_t depth = depth_of(c), row = integer_row_size(c.dot, depth), block = integer_conv_block(c);
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
                             y.from(first, column)};
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
