// SPDX-License-Identifier: Apache-2.0
#include "ops/image/yuv.h"

#include <algorithm>

#include "ops/elements/in_f32.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops {
namespace {

// Adjacent pixels of a row share U and V, which are `step` elements apart.
template <typename T>
void convert_row(const T* y, const T* u, const T* v, size_t step, size_t width, ColorOrder order, T* pixels) {
  const size_t red_at = order == ColorOrder::kRgb ? 0 : 2;
  for (size_t i = 0; i < width; i += 2, u += step, v += step) {
    const float blue_difference = static_cast<float>(*u) - 128.0f;
    const float red_difference = static_cast<float>(*v) - 128.0f;
    for (size_t k = i; k < i + 2; ++k, pixels += 3) {
      const float light = 1.164f * (static_cast<float>(y[k]) - 16.0f);
      pixels[red_at] = clipped<T>(light + 1.596f * red_difference);
      // With this order of operations, u8 results equal those of OpenVINO's CPU plugin.
      pixels[1] = clipped<T>(light - 0.391f * blue_difference - 0.813f * red_difference);
      pixels[2 - red_at] = clipped<T>(light + 2.018f * blue_difference);
    }
  }
}

template <typename T>
class Converting final : public Kernel {
 public:
  Converting(YuvFormat format, ColorOrder order) : format_(format), order_(order) {}

  void run(EvalContext& context) override {
    const Shape& shape = context.output(0).shape;
    const size_t height = static_cast<size_t>(shape[1]);
    const size_t width = static_cast<size_t>(shape[2]);
    const size_t rows = static_cast<size_t>(shape[0]) * height;
    if (rows == 0 || width == 0) return;
    const size_t grain = std::max<size_t>(1, kPixelsPerThread / width);
    parallel_for(context.parallel(), rows, grain, [&](size_t first, size_t last) {
      for (size_t row = first; row < last; ++row) convert(context, row / height, row % height, height, width);
    });
  }

 private:
  void convert(EvalContext& context, size_t picture, size_t row, size_t height, size_t width) const {
    const bool is_nv12 = format_ == YuvFormat::kNv12;
    const size_t pixels = height * width;
    const size_t row_of_pairs = row / 2 * width;  // elements of U and V together
    const T* y = context.input(0).data<T>();
    const T* u;
    const T* v;
    if (context.input_count() == 1) {
      y += picture * (pixels + pixels / 2);
      u = y + pixels + (is_nv12 ? row_of_pairs : row_of_pairs / 2);
      v = is_nv12 ? u + 1 : u + pixels / 4;
    } else {
      y += picture * pixels;
      const size_t pairs = picture * (pixels / 2) + row_of_pairs;
      u = context.input(1).data<T>() + (is_nv12 ? pairs : pairs / 2);
      v = is_nv12 ? u + 1 : context.input(2).data<T>() + pairs / 2;
    }
    convert_row(y + row * width, u, v, is_nv12 ? 2 : 1, width, order_,
                context.output(0).mutable_data<T>() + (picture * height + row) * width * 3);
  }

  YuvFormat format_;
  ColorOrder order_;
};

void expect_channels(const PartialShape& shape, int64_t channels, std::string_view name) {
  if (shape[3].contains(channels)) return;
  throw Error(ErrorCode::kInvalidShape, cat(name, " has shape ", shape, ", expected ", channels,
                                            channels == 1 ? " channel" : " channels"))
      .expected(cat(channels))
      .actual(cat(shape[3]))
      .port(std::string(name));
}

}  // namespace

void expect_even_sides(const PartialShape& picture) {
  for (const size_t axis : {1, 2}) {
    if (picture[axis].is_static() && picture[axis].size() % 2 != 0) {
      fail(ErrorCode::kInvalidShape, "the image has ", axis == 1 ? "height " : "width ", picture[axis],
           ", expected an even number");
    }
  }
}

void YuvOp::infer(InferContext& context) const {
  const bool is_nv12 = format_ == YuvFormat::kNv12;
  const size_t planes = is_nv12 ? 2 : 3;
  if (context.input_count() != 1) context.expect_inputs(planes);
  static constexpr std::string_view kNv12Names[] = {"Y", "UV"};
  static constexpr std::string_view kI420Names[] = {"Y", "U", "V"};
  const std::string_view* const names = is_nv12 ? kNv12Names : kI420Names;
  ElementType type = context.input_type(0);
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (i > 0) type = context.common_type(0, i);
    expect_rank(context, i, 4, 4, names[i]);
  }
  PartialShape output = context.input_shape(0);
  if (!output.has_rank()) output = PartialShape::of_rank(4);
  expect_channels(output, 1, names[0]);
  output[3] = 3;
  if (context.input_count() == 1) {
    if (output[1].is_static() && output[1].size() % 3 != 0) {
      fail(ErrorCode::kInvalidShape, "the planes have shape ", context.input_shape(0),
           ", whose height is not divisible by 3");
    }
    output[1] = output[1].is_static() ? Dimension(output[1].size() / 3 * 2) : Dimension();
  }
  for (size_t i = 1; i < context.input_count(); ++i) {
    const PartialShape& shape = context.input_shape(i);
    if (!shape.has_rank()) continue;
    expect_channels(shape, is_nv12 ? 2 : 1, names[i]);
    const PartialShape whole = {shape[0], shape[1] * Dimension(2), shape[2] * Dimension(2), 3};
    const auto merged = output.merge(whole);
    if (!merged) {
      fail(ErrorCode::kInvalidShape, names[i], " has shape ", shape,
           ", expected half the height and width of Y ", context.input_shape(0));
    }
    output = *merged;
  }
  expect_even_sides(output);
  context.set_output(0, type, output);
}

std::unique_ptr<Kernel> YuvOp::compile(CompileContext& context) const {
  if (context.output_type(0) == ElementType::kU8) {
    return std::make_unique<Converting<uint8_t>>(format_, order_);
  }
  return compile_in_f32(
      context, [this](CompileContext&) { return std::make_unique<Converting<float>>(format_, order_); });
}

}  // namespace wasmvino::ops
