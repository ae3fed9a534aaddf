// SPDX-License-Identifier: Apache-2.0
// Operators that sample images, and those that choose boxes.
#include <limits>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

struct Resizing {
  std::string mode = "nearest", coordinates = "half_pixel", nearest = "round_prefer_floor";
  double cube_coeff = -0.75;
};

// Resizes by scales or to sizes, which are lists for all axes or for `axes`.
void resize_with(Context& c, const Resizing& how, Source lists, bool by_scales, Ints axes) {
  const Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  const Ints all = axes_from(c, x, 0);
  if (axes.empty()) axes = all;
  for (int64_t& axis : axes) axis = c.axis(axis, rank);
  // Axes that keep their size take no part.
  if (const auto& known = c.b().info(lists).constant; known != nullptr) {
    const auto values = to_doubles(known->value().view());
    if (values.size() != axes.size())
      fail(ErrorCode::kInvalidModel, "resizes ", axes.size(), " axes by ", values.size(), " numbers");
    Ints changed, places;
    for (size_t i = 0; i < axes.size(); ++i) {
      const Dimension size = c.b().shape(x)[static_cast<size_t>(axes[i])];
      const bool same =
          by_scales ? values[i] == 1 : size.is_static() && values[i] == static_cast<double>(size.size());
      if (same) continue;
      changed.push_back(axes[i]);
      places.push_back(static_cast<int64_t>(i));
    }
    if (changed.empty()) return c.give(x);
    lists = c.b().add("Gather", {lists, c.b().list(places), c.b().scalar(int64_t{0})});
    axes = changed;
  }
  c.give(c.b().add("Interpolate", {x, lists, c.b().list(axes)},
                   {{"mode", how.mode},
                    {"shape_calculation_mode", by_scales ? "scales" : "sizes"},
                    {"coordinate_transformation_mode", how.coordinates},
                    {"nearest_mode", how.nearest},
                    {"cube_coeff", how.cube_coeff}}));
}

Resizing resizing_of(Context& c) {
  Resizing how;
  const std::string mode = c.word("mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "bilinear" && mode != "cubic")
    fail(ErrorCode::kUnsupported, "resizes in the unknown mode '", mode, "'");
  how.mode = mode == "linear" || mode == "bilinear" ? "linear_onnx" : mode;
  return how;
}

// Until opset 10, corners of pixels are aligned and the nearest one is the one before.
Resizing legacy_resizing(Context& c) {
  Resizing how = resizing_of(c);
  how.coordinates = "asymmetric";
  how.nearest = "floor";
  return how;
}
void upsample_by_attribute(Context& c) {
  const model::Floats scales = c.reals("scales");
  Tensor tensor(ElementType::kF32, {static_cast<int64_t>(scales.size())});
  std::copy(scales.begin(), scales.end(), tensor.mutable_data<float>());
  resize_with(c, legacy_resizing(c), c.b().constant(std::move(tensor)), true, {});
}
void upsample(Context& c) { resize_with(c, legacy_resizing(c), c.input(1), true, {}); }

// Whether an input is there and has elements.
bool is_given(Context& c, size_t i) {
  if (!c.has_input(i)) return false;
  const PartialShape& shape = c.b().shape(c.input(i));
  return !shape.is_static() || element_count(shape.to_shape()) > 0;
}

// A list, which may be empty.
Source list_or_empty(Context& c, size_t i, ElementType type) {
  return is_given(c, i) ? convert(c.b(), c.input(i), type) : c.b().constant(Tensor(type, {0}));
}

void resize(Context& c) {
  Resizing how = resizing_of(c);
  how.coordinates = c.word("coordinate_transformation_mode", "half_pixel");
  how.nearest = c.word("nearest_mode", "round_prefer_floor");
  how.cube_coeff = c.real("cubic_coeff_a", -0.75);
  const bool by_scales = is_given(c, 2);
  if (!by_scales && !is_given(c, 3)) fail(ErrorCode::kInvalidModel, "has neither scales nor sizes");
  const std::string policy = c.word("keep_aspect_ratio_policy", "stretch");
  const bool exact = c.flag("antialias") || c.flag("exclude_outside") || policy != "stretch" ||
                     how.coordinates == "tf_crop_and_resize" || how.coordinates == "half_pixel_symmetric" ||
                     (how.mode == "linear_onnx" && c.b().rank(c.input(0)) > 5);
  if (!exact) return resize_with(c, how, c.input(by_scales ? 2 : 3), by_scales, c.ints("axes"));
  c.give(c.b().add_of("ai.onnx", "Resize",
                      {c.input(0), list_or_empty(c, 2, ElementType::kF32),
                       list_or_empty(c, 3, ElementType::kI64), list_or_empty(c, 1, ElementType::kF32)},
                      {{"mode", how.mode == "linear_onnx" ? "linear" : how.mode},
                       {"coordinate_transformation_mode", how.coordinates},
                       {"nearest_mode", how.nearest},
                       {"keep_aspect_ratio_policy", policy},
                       {"antialias", c.flag("antialias")},
                       {"exclude_outside", c.flag("exclude_outside")},
                       {"cubic_coeff_a", how.cube_coeff},
                       {"extrapolation_value", c.real("extrapolation_value", 0)},
                       {"axes", c.ints("axes")}}));
}

void grid_sample(Context& c) {
  std::string mode = c.word("mode", "linear");
  if (mode == "bilinear") mode = "linear";
  if (mode == "bicubic") mode = "cubic";
  const std::string padding = c.word("padding_mode", "zeros");
  const bool aligned = c.flag("align_corners");
  const PartialShape& shape = c.b().shape(c.input(0));
  if (shape.has_rank() && shape.rank() != 4) {
    return c.give(c.b().add_of("ai.onnx", "GridSampleNd", {c.input(0), c.input(1)},
                               {{"mode", mode}, {"padding_mode", padding}, {"align_corners", aligned}}));
  }
  if (mode != "nearest") mode = "bi" + mode;
  c.give(c.b().add("GridSample", {c.input(0), c.input(1)},
                   {{"mode", mode}, {"padding_mode", padding}, {"align_corners", aligned}}));
}

void align_regions(Context& c, const char* otherwise) {
  const std::string mode = c.word("mode", "avg");
  const std::string aligned = c.word("coordinate_transformation_mode", otherwise);
  c.give(c.b().add("ROIAlign", {c.input(0), c.input(1), convert(c.b(), c.input(2), ElementType::kI32)},
                   {{"pooled_h", c.count("output_height", 1)},
                    {"pooled_w", c.count("output_width", 1)},
                    {"sampling_ratio", c.integer("sampling_ratio", 0)},
                    {"spatial_scale", c.real("spatial_scale", 1)},
                    {"mode", mode},
                    {"aligned_mode", aligned == "half_pixel" ? "half_pixel_for_nn" : "asymmetric"}}));
}
void roi_align(Context& c) { align_regions(c, "half_pixel"); }
void legacy_roi_align(Context& c) { align_regions(c, "output_half_pixel"); }

void non_max_suppression(Context& c) {
  model::Builder& b = c.b();
  const auto number = [&](size_t i, double otherwise) {
    return c.has_input(i) ? reshape(b, c.input(i), Ints()) : b.scalar(otherwise, ElementType::kF32);
  };
  const Source most = c.has_input(2) ? index_scalar(c, c.input(2)) : b.scalar(int64_t{0});
  c.give(b.add("NonMaxSuppression",
               {c.input(0), c.input(1), most, number(3, 0),
                number(4, -static_cast<double>(std::numeric_limits<float>::max()))},
               {{"box_encoding", c.flag("center_point_box") ? "center" : "corner"},
                {"sort_result_descending", false},
                {"output_type", ElementType::kI64}},
               3));
}

constexpr Entry kEntries[] = {
    {"GridSample", kAllOpsets, grid_sample, "GridSample GridSampleNd"},
    {"NonMaxSuppression", kAllOpsets, non_max_suppression, "NonMaxSuppression"},
    {"Resize", until(10), upsample, "Interpolate"},
    {"Resize", since(11), resize, "Interpolate Resize"},
    {"RoiAlign", until(15), legacy_roi_align, "ROIAlign"},
    {"RoiAlign", since(16), roi_align, "ROIAlign"},
    {"Upsample", until(8), upsample_by_attribute, "Interpolate"},
    {"Upsample", since(9), upsample, "Interpolate"},
};

}  // namespace

std::span<const Entry> images() { return kEntries; }

}  // namespace wasmvino::onnx
