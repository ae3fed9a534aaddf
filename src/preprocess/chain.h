// SPDX-License-Identifier: Apache-2.0
// Appends operations between an input and the model, or between the model and an output.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/builder.h"
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

// What a value means.
struct Meaning {
  Layout layout;
  ColorFormat color = ColorFormat::kUndefined;
};

// An operation of a custom step.
struct CustomNode {
  // Output `port` of node `node`. Node 0 is the value before the step.
  struct Input {
    size_t node = 0, port = 0;
  };
  std::string type;
  std::vector<Input> inputs;
  model::AttributeTexts attributes;
  size_t outputs = 1;
  std::optional<Tensor> constant;  // then it is a constant, and has nothing else
};

// A value to which operations are appended one after the other: OpenVINO's steps of pre- and postprocessing.
// Each step throws Error if it cannot process the value.
class Chain {
 public:
  // Nodes are named after `name`. An image may consist of several planes.
  Chain(model::Builder& builder, std::string name, std::vector<model::Source> planes, Meaning meaning)
      : builder_(builder), name_(std::move(name)), planes_(std::move(planes)), meaning_(std::move(meaning)) {
    builder.begin(name_, 0);
  }

  ColorFormat color() const { return meaning_.color; }
  // Errors of operations that are appended from now on name this step: "mean()".
  void begin(std::string_view step) { step_ = step; }
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
  // `nodes` are numbered from 1. The value becomes `result`.
  void custom(std::span<const CustomNode> nodes, CustomNode::Input result);

 private:
  ElementType type() const { return builder_.type(value()); }
  size_t rank() const { return builder_.rank(value()); }
  // Appends an operation whose inputs are the value and `others`.
  void append(std::string_view type, std::vector<model::Source> others = {},
              std::initializer_list<model::Attribute> attributes = {});
  // The source that `add` returns. Errors name the step.
  template <typename Add>
  model::Source located(const Add& add) const {
    try {
      return add();
    } catch (Error& error) {
      error.within(cat(step_, " of '", name_, "'"));
      throw;
    }
  }
  // A constant of the value's type.
  model::Source number(Shape shape, std::span<const float> values);
  void combine(std::string_view type, std::string_view step, const model::Floats& values);
  size_t axis(std::string_view name, std::string_view step) const;
  void expect_real(std::string_view step) const;
  void keep_channels(int64_t count);
  void to_gray();
  void join_planes(ColorFormat to);

  model::Builder& builder_;
  std::string name_, step_;
  std::vector<model::Source> planes_;
  Meaning meaning_;
};

}  // namespace wasmvino::preprocess
