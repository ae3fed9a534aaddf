// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/windows.h"

#include <algorithm>

#include "ops/inputs/inputs.h"

namespace wasmvino::ops {
namespace {

// A tensor has fewer than 2^31 elements in 32-bit builds. With this limit, the size of an axis, its pads and
// one stride together fit 32 bits, and products with sizes fit 64 bits.
constexpr int64_t kLargest = 0x1fffffff;

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Applied to the minimum and the maximum of dimensions that may be dynamic.
int64_t count(const WindowAttributes& attributes, size_t axis, int64_t in, int64_t kernel,
              Rounding rounding) {
  const Pads pads = attributes.pads(axis, in, kernel);
  const int64_t stride = attributes.stride(axis), padded = in + pads.begin + pads.end;
  const int64_t room = padded - attributes.extent(axis, kernel);
  if (room < 0) return 0;
  if (rounding == Rounding::kFloor) return room / stride + 1;
  int64_t windows = divide_up(room, stride) + 1;
  if (rounding == Rounding::kCeilTorch && (windows - 1) * stride >= in + pads.begin) --windows;
  return windows;
}

}  // namespace

void expect_window_values(const Ints& values, size_t axes, int64_t least, std::string_view what) {
  if (values.empty()) return;
  expect_length(values, axes, what);
  for (const int64_t value : values) {
    if (value >= least && value <= kLargest) continue;
    throw Error(ErrorCode::kInvalidValue,
                cat(what, " is ", to_string(values), ", expected values from ", least, " to ", kLargest))
        .expected(cat(least, " to ", kLargest))
        .actual(to_string(values))
        .port(cat(what));
  }
}

void WindowAttributes::visit(AttributeVisitor& visitor, bool dilated) {
  visitor.on("strides", strides);
  if (dilated) visitor.on("dilations", dilations);
  visitor.on("pads_begin", pads_begin);
  visitor.on("pads_end", pads_end);
  visitor.on_enum("auto_pad", auto_pad, {"explicit", "same_upper", "same_lower", "valid"});
}

void WindowAttributes::expect_axes(size_t axes) const {
  expect_window_values(strides, axes, 1, "strides");
  expect_window_values(dilations, axes, 1, "dilations");
  if (auto_pad != AutoPad::kExplicit) return;
  expect_window_values(pads_begin, axes, 0, "pads_begin");
  expect_window_values(pads_end, axes, 0, "pads_end");
}

Pads WindowAttributes::share(int64_t total) const {
  const int64_t half = std::max<int64_t>(total, 0) / 2, rest = std::max<int64_t>(total, 0) - half;
  return auto_pad == AutoPad::kSameUpper ? Pads{half, rest} : Pads{rest, half};
}

Pads WindowAttributes::pads(size_t axis, int64_t in, int64_t kernel) const {
  if (auto_pad == AutoPad::kValid) return {};
  if (is_same()) {
    return share((divide_up(in, stride(axis)) - 1) * stride(axis) + extent(axis, kernel) - in);
  }
  return {pads_begin.empty() ? 0 : pads_begin[axis], pads_end.empty() ? 0 : pads_end[axis]};
}

Dimension window_count(const WindowAttributes& attributes, size_t axis, Dimension in, Dimension kernel,
                       Rounding rounding) {
  if (in.is_static() && kernel.is_static()) {
    // The pads of SAME are as wide as the window.
    if (attributes.is_same() && attributes.extent(axis, kernel.size()) > kLargest) {
      throw Error(ErrorCode::kInvalidShape, cat("the window of spatial axis ", axis, " has ",
                                                attributes.extent(axis, kernel.size()), " elements"))
          .expected(cat("at most ", kLargest, " with auto_pad=same_upper or same_lower"))
          .actual(cat(attributes.extent(axis, kernel.size())));
    }
    const int64_t windows = count(attributes, axis, in.size(), kernel.size(), rounding);
    if (windows > 0 && kernel.size() > 0) return windows;
    const Pads pads = attributes.pads(axis, in.size(), kernel.size());
    const int64_t extent = attributes.extent(axis, kernel.size());
    throw Error(ErrorCode::kInvalidShape,
                cat("spatial axis ", axis, " has ", in, " elements and ", pads.begin, " + ", pads.end,
                    " of padding, less than a window of ", extent))
        .expected(cat("windows of 1 to ", in.size() + pads.begin + pads.end))
        .actual(cat(extent));
  }
  // More elements hold more windows, and longer windows are fewer. Padding that depends on the size does not
  // change that.
  Dimension result;
  const int64_t longest = kernel.max == Dimension::kUnbounded ? 0 : kernel.max;
  if (longest > 0) result.min = std::max<int64_t>(0, count(attributes, axis, in.min, longest, rounding));
  if (in.max != Dimension::kUnbounded) {
    result.max = count(attributes, axis, in.max, std::max<int64_t>(1, kernel.min), rounding);
  }
  return result;
}

size_t spatial_axes(const PartialShape& shape, std::string_view what) {
  if (shape.rank() >= 3 && shape.rank() <= 5) return shape.rank() - 2;
  throw Error(ErrorCode::kInvalidShape,
              cat(what, " has shape ", shape, ", expected [batch, channels, 1 to 3 spatial axes]"))
      .expected("rank 3 to 5")
      .actual(cat(shape))
      .port(cat(what));
}

}  // namespace wasmvino::ops
