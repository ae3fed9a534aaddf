// SPDX-License-Identifier: Apache-2.0
// Interpolate: resizes an array along some of its axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/interpolate-11.html
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/sort.h"
#include "kernels/mapped_copy.h"
#include "kernels/numbers.h"
#include "kernels/resampler.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::interpolate {

// Maximum size of an axis: the range of i32 indices.
constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max();

class ResampleKernel final : public Kernel {
 public:
  explicit ResampleKernel(kernels::Resampler resampler) : resampler_(std::move(resampler)) {}

  void run(EvalContext& context) override {
    resampler_.run(context.parallel(), context.input(0).memory, context.output(0).memory, context.scratch());
  }

 private:
  kernels::Resampler resampler_;
};

class NearestKernel final : public Kernel {
 public:
  explicit NearestKernel(kernels::MappedCopy copy) : copy_(std::move(copy)) {}
  void run(EvalContext& context) override {
    copy_.gather(context.parallel(), context.input(0).memory, context.output(0).memory, nullptr);
  }

 private:
  kernels::MappedCopy copy_;
};

class Interpolate final : public Op {
 public:
  explicit Interpolate(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ >= 4) {
      visitor.on_enum("mode", rule_.mode,
                      {"nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"});
      visitor.on_enum("shape_calculation_mode", shape_mode_, {"sizes", "scales"});
      visitor.on_enum(
          "coordinate_transformation_mode", rule_.coordinates,
          {"half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"});
      visitor.on_enum("nearest_mode", rule_.nearest,
                      {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"});
      visitor.on("cube_coeff", rule_.cube_coeff);
    } else {
      visitor.on_enum("mode", rule_.mode, {"nearest", "linear", "linear_onnx", "cubic"});
      visitor.on("axes", axes_);
      visitor.on("align_corners", align_corners_);
    }
    visitor.on("antialias", rule_.antialias);
    visitor.on("pads_begin", pads_begin_);
    visitor.on("pads_end", pads_end_);
    for (const Ints* pads : {&pads_begin_, &pads_end_}) {
      for (const int64_t pad : *pads) {
        if (pad < 0 || pad > kMostElements)
          fail(ErrorCode::kInvalidModel, "a pad is ", pad, ", expected 0..", kMostElements);
      }
    }
  }

  // Pads are zeros.
  bool copies_elements() const override { return rule_.mode == kernels::ResizeMode::kNearest && !has_pads(); }

  void infer(InferContext& context) const override {
    if (version_ >= 4) {
      context.expect_inputs(axes_input(), axes_input() + 1);
    } else {
      context.expect_inputs(2);
    }
    const ElementType target_type = context.input_type(target_input());
    if (target_type != ElementType::kDynamic && is_real(target_type) != by_scales()) {
      const std::string_view wanted = by_scales() ? "a floating point type" : "an integer type";
      throw Error(ErrorCode::kInvalidType, cat(by_scales() ? "scales" : "sizes", " has element type ",
                                               target_type, ", expected ", wanted))
          .expected(cat(wanted))
          .actual(cat(target_type))
          .port(cat("input ", target_input()));
    }
    const PartialShape& input = context.input_shape(0);
    const std::optional<Ints> axes = known_axes_of(context);
    const TensorView* target = context.input_value(target_input());
    if (!input.has_rank()) return context.set_output(0, context.input_type(0), {});
    for (const Ints* pads : {&pads_begin_, &pads_end_}) {
      // Lists of pads may be shorter than the rank, and longer if the rest is 0.
      for (size_t i = input.rank(); i < pads->size(); ++i) {
        if ((*pads)[i] == 0) continue;
        fail(ErrorCode::kInvalidShape, "image ", input, " has ", input.rank(), " axes, but pad ", i, " is ",
             (*pads)[i]);
      }
    }
    PartialShape output = padded(input);
    if (!axes) return context.set_output(0, context.input_type(0), PartialShape::of_rank(input.rank()));
    if (rule_.mode >= kernels::ResizeMode::kBilinearPillow && axes->size() != 2) {
      fail(ErrorCode::kInvalidValue, "the Pillow modes resize 2 axes, got ", axes->size());
    }
    if (target != nullptr && target->size() < axes->size()) {
      fail(ErrorCode::kInvalidShape, by_scales() ? "scales" : "sizes", " has ", target->size(),
           " elements for ", axes->size(), " axes");
    }
    const Ints sizes = target != nullptr && !by_scales() ? to_ints(*target) : Ints();
    for (size_t i = 0; i < axes->size(); ++i) {
      Dimension& size = output[static_cast<size_t>((*axes)[i])];
      if (target == nullptr) {
        size = Dimension();
      } else if (by_scales()) {
        size = scaled(size, scale_at(*target, i));
      } else {
        const int64_t wanted = sizes[i];
        if (wanted < 0) fail(ErrorCode::kInvalidValue, "sizes[", i, "] is ", wanted, ", expected 0 or more");
        if (wanted > 0 && size.max == 0) {
          fail(ErrorCode::kInvalidShape, "axis ", (*axes)[i], " of image ", input,
               " is empty and cannot be resized to ", wanted, " elements");
        }
        size = wanted;
      }
      if (size.min > kMostElements) {
        fail(ErrorCode::kInvalidShape, "axis ", (*axes)[i], " of image ", input, " would get ", size.min,
             " elements, at most ", kMostElements, " are supported");
      }
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::optional<ViewOf> view_of(const CompileContext& context, size_t) const override {
    const kernels::ResizeRule rule = rule_for(context);
    const bool same = context.input_shape(0) == context.output_shape(0) && !has_pads();
    return same && !rule.antialias ? std::optional(ViewOf{0, 0}) : std::nullopt;
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    if (rule_.mode == kernels::ResizeMode::kNearest) return compile_nearest(context);
    kernels::Resampler resampler = make_resampler(context);
    context.request_scratch(resampler.scratch_bytes());
    return std::make_unique<ResampleKernel>(std::move(resampler));
  }

  // Sizes and scales belong to the axes in the last input. Without that input, there is one for each axis.
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override {
    const PartialShape& data = shape_of(node.inputs[0]);
    if (version_ < 4 || has_pads() || !has_spatial_axes(data)) return std::nullopt;
    ChannelsLastForm form(node.inputs.size());
    form.take(0);
    const size_t axes_at = axes_input();
    if (node.inputs.size() > axes_at) {
      const std::optional<Ints> axes = constant_ints(node.inputs[axes_at]);
      if (!axes) return std::nullopt;
      form.replace(axes_at, channels_last_axes(*axes, data.rank()));
      return form;
    }
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      if (!is_constant(node.inputs[i])) return std::nullopt;
      const Tensor values = node.inputs[i].node->constant->value();
      if (values.size() != data.rank()) return std::nullopt;
      form.replace(i, permuted(values, order_to_channels_last(data.rank())));
    }
    return form;
  }

 private:
  // A tensor whose element i is element order[i] of `values`.
  static Tensor permuted(const Tensor& values, const Ints& order) {
    if (is_integral(values.type())) {
      const Ints all = to_ints(values.view());
      Ints moved;
      for (const int64_t from : order) moved.push_back(all[static_cast<size_t>(from)]);
      return Tensor::of<int64_t>(values.shape(), moved.data());
    }
    Tensor result(values.type(), values.shape());
    const size_t width = bit_width(values.type()) / 8;
    for (size_t to = 0; to < order.size(); ++to) {
      std::memcpy(result.mutable_data<char>() + to * width,
                  values.data<char>() + static_cast<size_t>(order[to]) * width, width);
    }
    return result;
  }

  enum class ShapeMode { kSizes, kScales };

  bool by_scales() const { return version_ >= 4 && shape_mode_ == ShapeMode::kScales; }
  size_t target_input() const { return version_ == 4 && by_scales() ? 2 : 1; }
  size_t axes_input() const { return version_ == 4 ? 3 : 2; }

  bool has_pads() const {
    const auto is_pad = [](int64_t pad) { return pad != 0; };
    return std::any_of(pads_begin_.begin(), pads_begin_.end(), is_pad) ||
           std::any_of(pads_end_.begin(), pads_end_.end(), is_pad);
  }
  static int64_t pad_at(const Ints& pads, size_t axis) { return axis < pads.size() ? pads[axis] : 0; }
  PartialShape padded(PartialShape shape) const {
    for (size_t axis = 0; axis < shape.rank(); ++axis) {
      shape[axis] = shape[axis] + Dimension(pad_at(pads_begin_, axis) + pad_at(pads_end_, axis));
    }
    return shape;
  }

  static float scale_at(const TensorView& scales, size_t i) {
    float scale = 0.0f;
    kernels::number_loader<float>(scales.type)(scales.memory, i, 1, 1, &scale);
    if (!(scale > 0.0f) || scale > std::numeric_limits<float>::max()) {
      fail(ErrorCode::kInvalidValue, "scales[", i, "] is ", scale, ", expected a number above 0");
    }
    return scale;
  }
  // OpenVINO adds 1e-6 to the scale, so that 10 * 0.7 is 7 despite rounding.
  static Dimension scaled(Dimension size, float scale) {
    const auto times = [&](int64_t bound) {
      if (bound == Dimension::kUnbounded) return bound;
      const float product = std::floor(static_cast<float>(bound) * (scale + 1e-6f));
      return static_cast<int64_t>(std::min(product, 0x1p62f));
    };
    return {times(size.min), times(size.max)};
  }

  std::optional<Ints> known_axes_of(InferContext& context) const {
    const PartialShape& shape = context.input_shape(0);
    if (version_ >= 4 && context.input_count() > axes_input()) {
      const auto axes = known_axes(context, axes_input(), shape);
      if (axes) expect_distinct(*axes);
      return axes;
    }
    if (!shape.has_rank()) return std::nullopt;
    const Ints axes = default_axes(shape.rank());
    expect_distinct(axes);
    return axes;
  }
  Ints default_axes(size_t rank) const {
    if (version_ < 4) return normalize_axes(axes_, rank);
    Ints axes;
    for (size_t axis = 0; axis < rank; ++axis) axes.push_back(static_cast<int64_t>(axis));
    return axes;
  }
  static void expect_distinct(const Ints& axes) {
    for (size_t i = 0; i < axes.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (axes[i] == axes[j]) fail(ErrorCode::kInvalidValue, "axis ", axes[i], " occurs twice");
      }
    }
  }

  // In the order of the inputs.
  Ints axes_of(const CompileContext& context) const {
    const size_t rank = context.input_shape(0).size();
    if (version_ < 4 || context.input_count() <= axes_input()) return default_axes(rank);
    return normalize_axes(*context.constant_ints(axes_input()), rank);
  }

  // All axes of the image, because axes that are not resized may have pads.
  std::vector<kernels::ResizeAxis> resized_axes(const CompileContext& context) const {
    const Shape input = context.input_shape(0), output = context.output_shape(0);
    std::vector<kernels::ResizeAxis> axes(input.size());
    for (size_t axis = 0; axis < input.size(); ++axis) {
      axes[axis].size = input[axis];
      axes[axis].pad_begin = pad_at(pads_begin_, axis);
      axes[axis].pad_end = pad_at(pads_end_, axis);
      axes[axis].result = output[axis];
    }
    const Ints named = axes_of(context);
    for (size_t i = 0; i < named.size(); ++i) {
      kernels::ResizeAxis& axis = axes[static_cast<size_t>(named[i])];
      axis.scale = by_scales() ? scale_at(*context.constant(target_input()), i)
                               : static_cast<float>(axis.result) / static_cast<float>(axis.padded());
    }
    return axes;
  }

  // Expresses version 1 in the terms of version 4. OpenVINO resizes 2-D images with other coordinates than
  // 3-D and 1-D ones.
  kernels::ResizeRule rule_for(const CompileContext& context) const {
    kernels::ResizeRule rule = rule_;
    const Shape shape = context.input_shape(0);
    if (version_ < 4) {
      const bool linear =
          rule.mode == kernels::ResizeMode::kLinear || rule.mode == kernels::ResizeMode::kLinearOnnx;
      if (rule.mode == kernels::ResizeMode::kLinear && shape.size() < 5)
        rule.mode = kernels::ResizeMode::kLinearOnnx;
      Ints axes = axes_of(context);
      sort_few(axes.begin(), axes.end());
      const bool picture = shape.size() == 4 && axes == Ints{2, 3};
      rule.nearest = kernels::NearestMode::kSimple;
      rule.coordinates = align_corners_                      ? kernels::CoordinateMode::kAlignCorners
                         : linear && !has_pads() && !picture ? kernels::CoordinateMode::kHalfPixel
                                                             : kernels::CoordinateMode::kAsymmetric;
    }
    const std::vector<kernels::ResizeAxis> axes = resized_axes(context);
    const bool shrinks =
        std::any_of(axes.begin(), axes.end(), [](const kernels::ResizeAxis& axis) { return axis.scale < 1; });
    rule.antialias = rule.antialias && shrinks && rule.mode == kernels::ResizeMode::kLinear;
    return rule;
  }

  kernels::Resampler make_resampler(const CompileContext& context) const {
    const std::vector<kernels::ResizeAxis> all = resized_axes(context);
    const kernels::ResizeRule rule = rule_for(context);
    Ints axes;
    std::vector<kernels::ResizeAxis> resized;
    for (size_t axis = 0; axis < all.size(); ++axis) {
      const bool blurred = rule.antialias && all[axis].scale != 1.0f;
      if (all[axis].size == all[axis].result && all[axis].size == all[axis].padded() && !blurred) continue;
      axes.push_back(static_cast<int64_t>(axis));
      resized.push_back(all[axis]);
    }
    return kernels::Resampler(rule, context.input_type(0), context.input_shape(0), context.output_shape(0),
                              axes, resized, context.parallel());
  }

  std::unique_ptr<Kernel> compile_nearest(const CompileContext& context) const {
    const kernels::ResizeRule rule = rule_for(context);
    const Ints strides = row_major_strides(context.input_shape(0));
    const std::vector<kernels::ResizeAxis> axes = resized_axes(context);
    std::vector<kernels::AxisMap> maps;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      kernels::AxisMap& map = maps.emplace_back();
      for (const int32_t element : kernels::nearest_elements(rule, axes[axis])) {
        if (element < 0) {
          map.add_nowhere(1);
        } else {
          map.add(1, static_cast<ptrdiff_t>(element * strides[axis]), 0);
        }
      }
    }
    return std::make_unique<NearestKernel>(kernels::MappedCopy(context.input_type(0), std::move(maps)));
  }

  int version_;
  kernels::ResizeRule rule_;
  ShapeMode shape_mode_ = ShapeMode::kSizes;
  Ints pads_begin_, pads_end_;
  // For version 1.
  Ints axes_;
  bool align_corners_ = true;
};

}  // namespace wasmvino::ops::interpolate

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(interpolate) {
  registry.add<interpolate::Interpolate>(
      {"Interpolate", {1}, "image/interpolate-1", {{"image", kNumbers}, {"sizes", kAnyIntegers}}, 3});
  registry.add<interpolate::Interpolate>(
      {"Interpolate",
       {4},
       "image/interpolate-4",
       {{"image", kNumbers}, {"sizes", kAnyIntegers}, {"scales", kFloats}, {"axes", kAnyIntegers}},
       10});
  registry.add<interpolate::Interpolate>(
      {"Interpolate",
       {11},
       "image/interpolate-11",
       {{"image", kNumbers}, {"scales or sizes", kFloats | kAnyIntegers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
