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
                   std::initializer_list<model::Attribute> attributes) {
  others.insert(others.begin(), value());
  planes_ = {located([&] { return builder_.add(type, others, model::Attributes(attributes)); })};
}

Source Chain::number(Shape shape, std::span<const float> values) {
  Tensor tensor(ElementType::kF32, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.mutable_data<float>());
  const Source constant = builder_.constant(std::move(tensor));
  if (type() == ElementType::kF32) return constant;
  return builder_.add("Convert", {constant}, {{"destination_type", type()}});
}

size_t Chain::axis(std::string_view name, std::string_view step) const {
  const auto found = meaning_.layout.find(name, rank());
  if (!found) {
    fail(ErrorCode::kInvalidArgument, step, " of '", name_, "' needs the axis ", name, ": the layout ",
         to_string(meaning_.layout), " has none. Set the layout with setLayout(), for example 'NHWC'");
  }
  return *found;
}

void Chain::expect_real(std::string_view step) const {
  if (is_real(type())) return;
  throw Error(ErrorCode::kInvalidType,
              cat(step, " of '", name_, "' needs a floating point type, but the value is of type ", type(),
                  ": add convertElementType('f32') before it"))
      .expected("a floating point type")
      .actual(cat(type()));
}

void Chain::convert_type(ElementType wanted) {
  if (wanted != type()) append("Convert", {}, {{"destination_type", wanted}});
}

void Chain::convert_layout(const Layout& layout) {
  if (layout.empty() || meaning_.layout.empty() || layout == meaning_.layout) return;
  if (const std::optional<size_t> axes_wanted = layout.rank(); axes_wanted && *axes_wanted != rank()) {
    const bool grows = *axes_wanted > rank();
    const std::vector<std::string> wanted = layout.names(*axes_wanted),
                                   present = meaning_.layout.names(rank());
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
      fail(ErrorCode::kInvalidArgument, "'", name_, "' has the layout ", to_string(meaning_.layout),
           ", which cannot become ", to_string(layout),
           ": each axis of the shorter one must be in the longer one");
    }
    if (grows) {
      std::iota(axes.begin(), axes.end(), 0);
      append("Unsqueeze", {builder_.list(axes)});
      std::string names = front;
      for (const std::string& each : present) names += cat(",", each);
      meaning_.layout = Layout(cat("[", names, "]"));
    } else {
      append("Squeeze", {builder_.list(axes)});
      meaning_.layout = meaning_.layout.transposed(kept);
    }
  }
  if (const Ints order = order_between(meaning_.layout, layout, rank()); !order.empty())
    append("Transpose", {builder_.list(order)});
  meaning_.layout = layout;
}

void Chain::transpose(const Ints& order) {
  Ints sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Ints axes(rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (sorted != axes) {
    fail(ErrorCode::kInvalidArgument, "convertLayout() of '", name_, "' needs each of the ", rank(),
         " axes exactly once, got ", order);
  }
  append("Transpose", {builder_.list(order)});
  meaning_.layout = meaning_.layout.transposed(order);
}

void Chain::combine(std::string_view type, std::string_view step, const model::Floats& values) {
  expect_real(step);
  Shape shape = {1};
  if (values.size() != 1) {
    const size_t channels = axis("C", step);
    shape = Shape(rank(), 1);
    shape[channels] = static_cast<int64_t>(values.size());
  }
  append(type, {number(shape, {values.begin(), values.end()})});
}

void Chain::resize(std::string_view mode, int64_t height, int64_t width) {
  const Ints axes = {static_cast<int64_t>(axis("H", "resize()")),
                     static_cast<int64_t>(axis("W", "resize()"))};
  append("Interpolate", {builder_.list({height, width}), builder_.list(axes)},
         {{"mode", std::string(mode)},
          {"shape_calculation_mode", "sizes"},
          {"coordinate_transformation_mode", "half_pixel"},
          {"nearest_mode", "round_prefer_floor"},
          {"cube_coeff", -0.75},
          {"antialias", false}});
}

void Chain::reverse_channels() {
  const int64_t channels = static_cast<int64_t>(axis("C", "reverseChannels()"));
  append("Slice",
         {builder_.list({-1}), builder_.list({-kToEnd}), builder_.list({-1}), builder_.list({channels})});
  if (is_color(meaning_.color))
    meaning_.color = meaning_.color == ColorFormat::kRgb ? ColorFormat::kBgr : ColorFormat::kRgb;
}

void Chain::crop(const Ints& begin, const Ints& end) {
  if (begin.size() != rank() || end.size() != rank()) {
    fail(ErrorCode::kInvalidArgument, "crop() of '", name_, "' needs a begin and an end for each of ", rank(),
         " axes, got ", begin, " and ", end);
  }
  append("Slice", {builder_.list(begin), builder_.list(end), builder_.list(Ints(rank(), 1))});
}

void Chain::pad(const Ints& begin, const Ints& end, std::string_view mode, float value) {
  expect_real("pad()");
  if (begin.size() != rank() || end.size() != rank()) {
    fail(ErrorCode::kInvalidArgument, "pad() of '", name_, "' needs a pad before and a pad after each of ",
         rank(), " axes, got ", begin, " and ", end);
  }
  append("Pad", {builder_.list(begin), builder_.list(end), number({}, {&value, 1})},
         {{"pad_mode", std::string(mode)}});
}

void Chain::custom(std::span<const CustomNode> nodes, CustomNode::Input result) {
  std::vector<Source> made = {value()};
  std::vector<size_t> outputs = {1};
  const auto source = [&](CustomNode::Input input) {
    if (input.node >= made.size() || input.port >= outputs[input.node])
      fail(ErrorCode::kInvalidArgument, "custom() of '", name_, "' has no node ", input.node, " with output ",
           input.port);
    return model::Builder::output(made[input.node], input.port);
  };
  for (const CustomNode& node : nodes) {
    if (node.constant) {
      made.push_back(builder_.constant(*node.constant));
      outputs.push_back(1);
      continue;
    }
    std::vector<Source> inputs;
    for (const CustomNode::Input input : node.inputs) inputs.push_back(source(input));
    made.push_back(
        located([&] { return builder_.add_by_texts(node.type, inputs, node.attributes, node.outputs); }));
    outputs.push_back(made.back().node->outputs.size());
  }
  planes_ = {source(result)};
  if (const std::optional<size_t> axes = meaning_.layout.rank(); axes && *axes != rank())
    meaning_.layout = Layout();
}

void Chain::keep_channels(int64_t count) {
  const int64_t channels = static_cast<int64_t>(axis("C", "convertColor()"));
  append("Slice",
         {builder_.list({0}), builder_.list({count}), builder_.list({1}), builder_.list({channels})});
}

void Chain::join_planes(ColorFormat to) {
  const std::vector<Source> planes = planes_;
  planes_ = {planes[0]};
  append(cat(in_nv12(meaning_.color) ? "NV12" : "I420", "to", name(to)), {planes.begin() + 1, planes.end()});
}

// The weighted sum of the channels, rounded for integers.
void Chain::to_gray() {
  const bool rgb = meaning_.color == ColorFormat::kRgb;
  const ElementType before = type();
  const Layout layout = meaning_.layout;
  if (rank() != 4)
    fail(ErrorCode::kInvalidArgument, "convertColor() of '", name_, "' to GRAY needs 4 axes, got ", rank());
  if (!is_real(before)) convert_type(ElementType::kF32);
  for (const std::string_view each : {"N", "H", "W", "C"}) axis(each, "convertColor()");
  convert_layout(Layout("NCHW"));
  const float weights[] = {rgb ? 0.299F : 0.114F, 0.587F, rgb ? 0.114F : 0.299F};
  append("Convolution", {number({1, 3, 1, 1}, weights)},
         {{"strides", Ints{1, 1}},
          {"dilations", Ints{1, 1}},
          {"pads_begin", Ints{0, 0}},
          {"pads_end", Ints{0, 0}},
          {"auto_pad", "explicit"}});
  if (!is_real(before)) append("Round", {}, {{"mode", "half_to_even"}});
  convert_type(before);
  convert_layout(layout);
}

void Chain::convert_color(ColorFormat to) {
  const ColorFormat from = meaning_.color;
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
  meaning_.color = to;
}

}  // namespace wasmvino::preprocess
