// SPDX-License-Identifier: Apache-2.0
// Appends operations between an input and the model, or between the model and an output.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/registry.h"
#include "preprocess/layout.h"

namespace wasmvino::preprocess {

// In the order of their names in recipes.
enum class ColorFormat {
  kUndefined,
  kNv12SinglePlane,
  kNv12TwoPlanes,
  kI420SinglePlane,
  kI420ThreePlanes,
  kRgb,
  kBgr,
  kGray,
  kRgbx,
  kBgrx,
};
std::string_view name(ColorFormat format);

// What is known about a value apart from its sizes.
struct Form {
  ElementType type = ElementType::kDynamic;
  size_t rank = 0;
  Layout layout;
  ColorFormat color = ColorFormat::kUndefined;
};

// A value to which operations are appended one after the other: OpenVINO's steps of pre- and postprocessing.
// Each step throws Error if it cannot process the value.
class Chain {
 public:
  // Nodes are named after `name`. An image may consist of several planes.
  Chain(model::Model& model, const model::Registry& registry, std::string name,
        std::vector<model::Source> planes, Form form)
      : model_(model),
        registry_(registry),
        name_(std::move(name)),
        planes_(std::move(planes)),
        form_(std::move(form)) {}

  const Form& form() const { return form_; }
  // The value. Throws Error if it still consists of planes.
  model::Source value() const;

  void convert_type(ElementType type);
  // Named axes that only one of the layouts has are added at the front, or dropped.
  void convert_layout(const Layout& layout);
  // Axis i of the result is axis order[i] of the value.
  void transpose(const Ints& order);
  // One value for all channels, or one per channel.
  void subtract(const model::Floats& values) { combine("Subtract", "mean", values); }
  void divide(const model::Floats& values) { combine("Divide", "scale", values); }
  // `mode` is that of Interpolate.
  void resize(std::string_view mode, int64_t height, int64_t width);
  void convert_color(ColorFormat to);
  void reverse_channels();
  // Along each axis. Negative positions count from its end.
  void crop(const Ints& begin, const Ints& end);
  // `mode` is that of Pad. `value` is used by "constant".
  void pad(const Ints& begin, const Ints& end, std::string_view mode, float value);

 private:
  // Appends an operation whose inputs are the value and `others`.
  void append(std::string_view type, std::vector<model::Source> others = {},
              const model::AttributeTexts& attributes = {});
  model::Source ints(const Ints& values);
  // A constant of the value's type.
  model::Source number(Shape shape, std::span<const float> values);
  void combine(std::string_view type, std::string_view step, const model::Floats& values);
  size_t axis(std::string_view name, std::string_view step) const;
  void expect_real(std::string_view step) const;
  void keep_channels(int64_t count);
  void to_gray();
  void join_planes(ColorFormat to);

  model::Model& model_;
  const model::Registry& registry_;
  std::string name_;
  std::vector<model::Source> planes_;
  Form form_;
  size_t appended_ = 0;
};

}  // namespace wasmvino::preprocess
