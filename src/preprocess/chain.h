// SPDX-License-Identifier: Apache-2.0
// Operations between an input and the model, or between the model and an output.
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

// What is known of a value without its sizes.
struct Form {
  ElementType type = ElementType::kDynamic;
  size_t rank = 0;
  Layout layout;
  ColorFormat color = ColorFormat::kUndefined;
};

// A value to which operations are appended, one after the other: OpenVINO's steps of pre- and
// post-processing. Each throws Error where the value is none that the step takes.
class Chain {
 public:
  // Nodes are called after `name`. A picture may come in several planes.
  Chain(model::Model& model, const model::Registry& registry, std::string name,
        std::vector<model::Source> planes, Form form)
      : model_(model),
        registry_(registry),
        name_(std::move(name)),
        planes_(std::move(planes)),
        form_(std::move(form)) {}

  const Form& form() const { return form_; }
  // The value; throws Error where it is still in planes.
  model::Source value() const;

  void convert_type(ElementType type);
  // Axes of names that only one of the layouts has are added in front, or dropped.
  void convert_layout(const Layout& layout);
  // Axis i becomes axis order[i] of what it was.
  void transpose(const Ints& order);
  // One value for all, or one for each channel.
  void subtract(const model::Floats& values) { combine("Subtract", "mean", values); }
  void divide(const model::Floats& values) { combine("Divide", "scale", values); }
  // `mode`: of Interpolate.
  void resize(std::string_view mode, int64_t height, int64_t width);
  void convert_color(ColorFormat to);
  void reverse_channels();
  // Along each axis; negative positions count from its end.
  void crop(const Ints& begin, const Ints& end);
  // `mode`: of Pad; `value` for "constant".
  void pad(const Ints& begin, const Ints& end, std::string_view mode, float value);

 private:
  // Appends an operation that reads the value, then these.
  void append(std::string_view type, std::vector<model::Source> others = {},
              const model::AttributeTexts& attributes = {});
  model::Source ints(const Ints& values);
  // Of the value's type.
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
