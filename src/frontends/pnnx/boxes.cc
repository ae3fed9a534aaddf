// SPDX-License-Identifier: Apache-2.0
// torchvision's operators on boxes: regions resampled, overlapping boxes removed. As calls of custom
// operators, their arguments are arg_0, arg_1 ...
#include <limits>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

struct Regions {
  int64_t height = 0, width = 0, samples = 0;
  double scale = 1;
  bool aligned = false;
};

// Each row of boxes has the index of its image, then two corners.
void give_roi_align(Context& c, const Regions& r) {
  const Source boxes = c.input(1);
  const Source image = convert(c, select(c, boxes, 1, 0), ElementType::kI64);
  c.give(c.b().add("ROIAlign", {c.input(0), slice(c, boxes, 1, 1, 5), image},
                   {{"pooled_h", r.height},
                    {"pooled_w", r.width},
                    {"sampling_ratio", r.samples < 0 ? int64_t{0} : r.samples},
                    {"spatial_scale", r.scale},
                    {"mode", "avg"},
                    {"aligned_mode", r.aligned ? "half_pixel_for_nn" : "asymmetric"}}));
}

void roi_align(Context& c) {
  const Ints size = c.ints("output_size", 2);
  give_roi_align(c, {size[0], size[1], c.integer("sampling_ratio", -1), c.real("spatial_scale"),
                     c.flag("aligned", false)});
}

void roi_align_call(Context& c) {
  give_roi_align(c, {c.integer("arg_3"), c.integer("arg_4"), c.integer("arg_5", -1), c.real("arg_2"),
                     c.flag("arg_6", false)});
}

// The second output, the places of the maxima, serves training.
void roi_pool_call(Context& c) {
  c.give_first(c.b().add("ROIPooling", {c.input(0), c.input(1)},
                         {{"pooled_h", c.integer("arg_3")},
                          {"pooled_w", c.integer("arg_4")},
                          {"spatial_scale", c.real("arg_2")},
                          {"method", "max"}}));
}

// The indices of the boxes that stay, best first.
void nms_call(Context& c) {
  const Source boxes = c.input(0), scores = c.input(1);
  const std::vector<Source> inputs = {
      unsqueeze(c, boxes, 0), c.b().add("Unsqueeze", {scores, c.b().list({0, 1})}), length_of(c, boxes, 0),
      c.b().scalar(c.real("arg_2"), ElementType::kF32),
      c.b().scalar(std::numeric_limits<float>::lowest(), ElementType::kF32)};
  const Source kept = c.b().add(
      "NonMaxSuppression", inputs,
      {{"box_encoding", "corner"}, {"sort_result_descending", true}, {"output_type", ElementType::kI64}}, 3);
  c.give(select(c, kept, 1, 2));
}

constexpr Entry kEntries[] = {
    {"torchvision.ops.RoIAlign", roi_align, "ROIAlign"},
    {"pnnx.custom_op.torchvision.roi_align", roi_align_call, "ROIAlign"},
    {"pnnx.custom_op.torchvision.roi_pool", roi_pool_call, "ROIPooling"},
    {"pnnx.custom_op.torchvision.nms", nms_call, "NonMaxSuppression"},
};

}  // namespace

std::span<const Entry> boxes() { return kEntries; }

}  // namespace wasmvino::pnnx
