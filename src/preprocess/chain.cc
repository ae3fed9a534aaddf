// SPDX-License-Identifier: Apache-2.0
#include "preprocess/chain.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

namespace wasmvino::preprocess {
namespace {

using model::Source;

bool is_color(ColorFormat format) { return format == ColorFormat::kRgb || format == ColorFormat::kBgr; }

bool in_nv12(ColorFormat format) {
  return format == ColorFormat::kNv12SinglePlane || format == ColorFormat::kNv12TwoPlanes;
}

bool in_i420(ColorFormat format) {
  return format == ColorFormat::kI420SinglePlane || format == ColorFormat::kI420ThreePlanes;
}

// End of a Slice that keeps the rest of an axis, whatever its size.
constexpr int64_t kToEnd = std::numeric_limits<int64_t>::max();

}  // namespace

std::string_view name(ColorFormat format) {
  constexpr std::array<std::string_view, 10> kNames = {"undefined",
                                                       "NV12 (single plane)",
                                                       "NV12 (two planes)",
                                                       "I420 (single plane)",
                                                       "I420 (three planes)",
                                                       "RGB",
                                                       "BGR",
                                                       "GRAY",
                                                       "RGBX",
                                                       "BGRX"};
  return kNames[static_cast<size_t>(format)];
}

Source Chain::value() const {
  if (planes_.size() != 1) {
    fail(ErrorCode::kInvalidArgument, "'", name_, "' is an image in ", planes_.size(),
         " planes: add convertColor() to 'RGB' or 'BGR' before other steps");
  }
  return planes_[0];
}

void Chain::append(std::string_view type, std::vector<Source> others,
                   const model::AttributeTexts& attributes) {
  others.insert(others.begin(), value());
  planes_ = {{model_.add(registry_.make_node(type, cat(name_, "/", type, "_", ++appended_), std::move(others),
                                             attributes)),
              0}};
}

Source Chain::ints(const Ints& values) {
  Tensor tensor(ElementType::kI64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutable_data<int64_t>());
  return {model_.add_constant(cat(name_, "/Constant_", ++appended_), std::move(tensor)), 0};
}

Source Chain::number(Shape shape, std::span<const float> values) {
  Tensor tensor(ElementType::kF32, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.mutable_data<float>());
  const Source constant = {model_.add_constant(cat(name_, "/Constant_", ++appended_), std::move(tensor)), 0};
  if (form_.type == ElementType::kF32) return constant;
  auto converted = registry_.make_node("Convert", cat(name_, "/Convert_", ++appended_), {constant},
                                       {{"destination_type", cat(form_.type)}});
  return {model_.add(std::move(converted)), 0};
}

size_t Chain::axis(std::string_view name, std::string_view step) const {
  const auto found = form_.layout.find(name, form_.rank);
  if (!found) {
    fail(ErrorCode::kInvalidArgument, step, " of '", name_, "' needs the axis ", name, ": the layout ",
         to_string(form_.layout), " has none. Set the layout with setLayout(), for example 'NHWC'");
  }
  return *found;
}

void Chain::expect_real(std::string_view step) const {
  if (is_real(form_.type)) return;
  throw Error(ErrorCode::kInvalidType,
              cat(step, " of '", name_, "' needs a floating point type, but the value is of type ",
                  form_.type, ": add convertElementType('f32') before it"))
      .expected("a floating point type")
      .actual(cat(form_.type));
}

void Chain::convert_type(ElementType type) {
  if (type == form_.type) return;
  append("Convert", {}, {{"destination_type", cat(type)}});
  form_.type = type;
}

void Chain::convert_layout(const Layout& layout) {
  if (layout.empty() || form_.layout.empty() || layout == form_.layout) return;
  if (const std::optional<size_t> rank = layout.rank(); rank && *rank != form_.rank) {
    const bool grows = *rank > form_.rank;
    const std::vector<std::string> wanted = layout.names(*rank), present = form_.layout.names(form_.rank);
    const std::vector<std::string>&more = grows ? wanted : present, &less = grows ? present : wanted;
    Ints axes;
    Ints kept;
    std::string front;
    for (size_t i = 0; i < more.size(); ++i) {
      const bool in_both = more[i] != "?" && std::find(less.begin(), less.end(), more[i]) != less.end();
      (in_both ? kept : axes).push_back(static_cast<int64_t>(i));
      if (!in_both) front += cat(front.empty() ? "" : ",", more[i]);
    }
    if (kept.size() != less.size()) {
      fail(ErrorCode::kInvalidArgument, "'", name_, "' has the layout ", to_string(form_.layout),
           ", which cannot become ", to_string(layout),
           ": each axis of the shorter one must be in the longer one");
    }
    if (grows) {
      std::iota(axes.begin(), axes.end(), 0);
      append("Unsqueeze", {ints(axes)});
      std::string names = front;
      for (const std::string& each : present) names += cat(",", each);
      form_.layout = Layout(cat("[", names, "]"));
    } else {
      append("Squeeze", {ints(axes)});
      form_.layout = form_.layout.transposed(kept);
    }
    form_.rank = *rank;
  }
  if (const Ints order = order_between(form_.layout, layout, form_.rank); !order.empty())
    append("Transpose", {ints(order)});
  form_.layout = layout;
}

void Chain::transpose(const Ints& order) {
  Ints sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Ints axes(form_.rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (sorted != axes) {
    fail(ErrorCode::kInvalidArgument, "convertLayout() of '", name_, "' needs each of the ", form_.rank,
         " axes exactly once, got ", order);
  }
  append("Transpose", {ints(order)});
  form_.layout = form_.layout.transposed(order);
}

void Chain::combine(std::string_view type, std::string_view step, const model::Floats& values) {
  expect_real(step);
  Shape shape = {1};
  if (values.size() != 1) {
    const size_t channels = axis("C", step);
    shape = Shape(form_.rank, 1);
    shape[channels] = static_cast<int64_t>(values.size());
  }
  append(type, {number(shape, {values.begin(), values.end()})});
}

void Chain::resize(std::string_view mode, int64_t height, int64_t width) {
  const Ints axes = {static_cast<int64_t>(axis("H", "resize()")),
                     static_cast<int64_t>(axis("W", "resize()"))};
  append("Interpolate", {ints({height, width}), ints(axes)},
         {{"mode", std::string(mode)},
          {"shape_calculation_mode", "sizes"},
          {"coordinate_transformation_mode", "half_pixel"},
          {"nearest_mode", "round_prefer_floor"},
          {"cube_coeff", "-0.75"},
          {"antialias", "false"}});
}

void Chain::reverse_channels() {
  const int64_t channels = static_cast<int64_t>(axis("C", "reverseChannels()"));
  append("Slice", {ints({-1}), ints({-kToEnd}), ints({-1}), ints({channels})});
  if (is_color(form_.color))
    form_.color = form_.color == ColorFormat::kRgb ? ColorFormat::kBgr : ColorFormat::kRgb;
}

void Chain::crop(const Ints& begin, const Ints& end) {
  if (begin.size() != form_.rank || end.size() != form_.rank) {
    fail(ErrorCode::kInvalidArgument, "crop() of '", name_, "' needs a begin and an end for each of ",
         form_.rank, " axes, got ", begin, " and ", end);
  }
  append("Slice", {ints(begin), ints(end), ints(Ints(form_.rank, 1))});
}

void Chain::pad(const Ints& begin, const Ints& end, std::string_view mode, float value) {
  expect_real("pad()");
  if (begin.size() != form_.rank || end.size() != form_.rank) {
    fail(ErrorCode::kInvalidArgument, "pad() of '", name_, "' needs a pad before and a pad after each of ",
         form_.rank, " axes, got ", begin, " and ", end);
  }
  append("Pad", {ints(begin), ints(end), number({}, {&value, 1})}, {{"pad_mode", std::string(mode)}});
}

void Chain::keep_channels(int64_t count) {
  const int64_t channels = static_cast<int64_t>(axis("C", "convertColor()"));
  append("Slice", {ints({0}), ints({count}), ints({1}), ints({channels})});
}

void Chain::join_planes(ColorFormat to) {
  const std::vector<Source> planes = planes_;
  planes_ = {planes[0]};
  append(cat(in_nv12(form_.color) ? "NV12" : "I420", "to", name(to)), {planes.begin() + 1, planes.end()});
}

// The weighted sum of the channels, rounded for integers.
void Chain::to_gray() {
  const bool rgb = form_.color == ColorFormat::kRgb;
  const ElementType type = form_.type;
  const Layout layout = form_.layout;
  if (form_.rank != 4)
    fail(ErrorCode::kInvalidArgument, "convertColor() of '", name_, "' to GRAY needs 4 axes, got ",
         form_.rank);
  if (!is_real(type)) convert_type(ElementType::kF32);
  for (const std::string_view each : {"N", "H", "W", "C"}) axis(each, "convertColor()");
  convert_layout(Layout("NCHW"));
  const float weights[] = {rgb ? 0.299F : 0.114F, 0.587F, rgb ? 0.114F : 0.299F};
  append("Convolution", {number({1, 3, 1, 1}, weights)},
         {{"strides", "1,1"},
          {"dilations", "1,1"},
          {"pads_begin", "0,0"},
          {"pads_end", "0,0"},
          {"auto_pad", "explicit"}});
  if (!is_real(type)) append("Round", {}, {{"mode", "half_to_even"}});
  convert_type(type);
  convert_layout(layout);
}

void Chain::convert_color(ColorFormat to) {
  const ColorFormat from = form_.color;
  if (from == to) return;
  const bool with_fourth = from == ColorFormat::kRgbx || from == ColorFormat::kBgrx;
  if (is_color(to) && (in_nv12(from) || in_i420(from))) {
    join_planes(to);
  } else if (is_color(to) && with_fourth) {
    keep_channels(3);
    if ((from == ColorFormat::kRgbx) != (to == ColorFormat::kRgb)) reverse_channels();
  } else if (is_color(to) && is_color(from)) {
    reverse_channels();
  } else if (to == ColorFormat::kGray && is_color(from)) {
    to_gray();
  } else {
    throw Error(ErrorCode::kInvalidArgument, cat("'", name_, "' has the color format ", name(from),
                                                 ", which cannot be converted to ", name(to),
                                                 ". Set its format with setColorFormat(). NV12, I420, RGBX "
                                                 "and BGRX convert to RGB or BGR; RGB and "
                                                 "BGR convert to each other or to GRAY"))
        .expected("NV12, I420, RGB, BGR, RGBX or BGRX")
        .actual(std::string(name(from)));
  }
  form_.color = to;
}

}  // namespace wasmvino::preprocess
