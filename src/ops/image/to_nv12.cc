// SPDX-License-Identifier: Apache-2.0
#include "ops/image/to_nv12.h"

#include <algorithm>

#include "ops/elements/in_f32.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops {
namespace {

template <typename T>
class Converting final : public Kernel {
 public:
  Converting(ColorOrder order, const Shape& pictures)
      : red_(order == ColorOrder::kRgb ? 0 : 2),
        pictures_(static_cast<size_t>(pictures[0])),
        height_(static_cast<size_t>(pictures[1])),
        width_(static_cast<size_t>(pictures[2])) {}

  void run(EvalContext& context) override {
    const size_t pairs = pictures_ * height_ / 2;  // of rows
    if (pairs == 0 || width_ == 0) return;
    const size_t pixels = height_ * width_;
    const bool apart = context.output_count() > 1;
    T* const y = context.output(0).mutable_data<T>();
    T* const uv = apart ? context.output(1).mutable_data<T>() : y + pixels;
    // Distance from one image to the next.
    const size_t y_step = apart ? pixels : pixels + pixels / 2, uv_step = apart ? pixels / 2 : y_step;
    const size_t grain = std::max<size_t>(1, kPixelsPerThread / (2 * width_));
    parallel_for(context.parallel(), pairs, grain, [&](size_t first, size_t last) {
      for (size_t pair = first; pair < last; ++pair) {
        const size_t picture = pair / (height_ / 2), row = pair % (height_ / 2) * 2;
        convert(context.input(0).data<T>() + (picture * pixels + row * width_) * 3,
                y + picture * y_step + row * width_, uv + picture * uv_step + row / 2 * width_);
      }
    });
  }

 private:
  // Converts two rows.
  void convert(const T* pixels, T* y, T* uv) const {
    for (size_t j = 0; j < width_; j += 2, uv += 2) {
      float sums[3] = {0, 0, 0};  // of red, green, blue
      for (const size_t at : {j, j + 1, width_ + j, width_ + j + 1}) {
        const T* pixel = pixels + at * 3;
        const float red = static_cast<float>(pixel[red_]), green = static_cast<float>(pixel[1]),
                    blue = static_cast<float>(pixel[2 - red_]);
        y[at] = clipped<T>(0.257f * red + 0.504f * green + 0.098f * blue + 16.0f);
        sums[0] += red;
        sums[1] += green;
        sums[2] += blue;
      }
      const float red = sums[0] / 4, green = sums[1] / 4, blue = sums[2] / 4;
      uv[0] = clipped<T>(-0.148f * red - 0.291f * green + 0.439f * blue + 128.0f);
      uv[1] = clipped<T>(0.439f * red - 0.368f * green - 0.071f * blue + 128.0f);
    }
  }

  size_t red_;  // index of red in a pixel
  size_t pictures_, height_, width_;
};

Dimension half(Dimension size) {
  const bool bounded = size.max != Dimension::kUnbounded;
  return {size.min / 2 + size.min % 2, bounded ? size.max / 2 : Dimension::kUnbounded};
}

}  // namespace

void ToNv12Op::infer(InferContext& context) const {
  context.expect_inputs(1);
  expect_rank(context, 0, 4, 4, "the picture");
  const ElementType type = context.input_type(0);
  PartialShape picture = context.input_shape(0);
  if (!picture.has_rank()) picture = PartialShape::of_rank(4);
  if (!picture[3].contains(3)) {
    throw Error(ErrorCode::kInvalidShape, cat("the image has shape ", picture, ", expected 3 channels"))
        .expected("3")
        .actual(cat(picture[3]))
        .port("input 0");
  }
  expect_even_sides(picture);
  const Dimension height = picture[1], rows = half(height), columns = half(picture[2]);
  if (single_plane_) {
    context.set_output(0, type, {picture[0], rows * Dimension(3), picture[2], 1});
  } else {
    context.set_output(0, type, {picture[0], height, picture[2], 1});
    context.set_output(1, type, {picture[0], rows, columns, 2});
  }
}

std::unique_ptr<Kernel> ToNv12Op::compile(CompileContext& context) const {
  const Shape pictures = context.input_shape(0);
  if (context.output_type(0) == ElementType::kU8)
    return std::make_unique<Converting<uint8_t>>(order_, pictures);
  return compile_in_f32(
      context, [&](CompileContext&) { return std::make_unique<Converting<float>>(order_, pictures); });
}

}  // namespace wasmvino::ops
