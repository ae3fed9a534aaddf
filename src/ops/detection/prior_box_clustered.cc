// SPDX-License-Identifier: Apache-2.0
// PriorBoxClustered: boxes of given sizes at every point of a grid.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/prior-box-clustered-1.html
#include <algorithm>

#include "core/work.h"
#include "model/registry.h"
#include "ops/detection/prior_boxes.h"

namespace wasmvino::ops::prior_box_clustered {

class PriorBoxClustered final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("width", widths_);
    visitor.on("height", heights_);
    visitor.on("clip", clip_);
    visitor.on("step", step_);
    visitor.on("step_w", step_width_);
    visitor.on("step_h", step_height_);
    visitor.on("offset", offset_);
    visitor.on("variance", variance_);
    check_variance(variance_);
    if (widths_.size() != heights_.size()) {
      fail(ErrorCode::kInvalidModel, "attribute 'width' has ", widths_.size(), " elements, but 'height' has ",
           heights_.size());
    }
  }

  void infer(InferContext& context) const override { infer_prior_boxes(context, widths_.size()); }

  void evaluate(EvalContext& context) const override {
    const PriorGrid grid = read_prior_grid(context);
    const float image_width = static_cast<float>(grid.image_width);
    const float image_height = static_cast<float>(grid.image_height);
    float step_width = step_width_ == 0 ? step_ : step_width_;
    float step_height = step_height_ == 0 ? step_ : step_height_;
    if (step_width == 0 && step_height == 0) {
      step_width = image_width / static_cast<float>(grid.width);
      step_height = image_height / static_cast<float>(grid.height);
    }
    float* to = context.output(0).mutable_data<float>();
    for (int64_t h = 0; h < grid.height; ++h) {
      for (int64_t w = 0; w < grid.width; ++w) {
        count_work(widths_.size());
        const float x = (static_cast<float>(w) + offset_) * step_width;
        const float y = (static_cast<float>(h) + offset_) * step_height;
        for (size_t i = 0; i < widths_.size(); ++i, to += 4) {
          to[0] = (x - widths_[i] / 2) / image_width;
          to[1] = (y - heights_[i] / 2) / image_height;
          to[2] = (x + widths_[i] / 2) / image_width;
          to[3] = (y + heights_[i] / 2) / image_height;
          if (clip_) std::for_each(to, to + 4, [](float& value) { value = std::clamp(value, 0.0f, 1.0f); });
        }
      }
    }
    fill_variance(variance_, to, grid.points() * widths_.size());
  }

 private:
  Floats widths_ = {1.0f}, heights_ = {1.0f}, variance_;
  bool clip_ = true;
  float step_ = 0, step_width_ = 0, step_height_ = 0, offset_ = 0;
};

}  // namespace wasmvino::ops::prior_box_clustered

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(prior_box_clustered) {
  registry.add<prior_box_clustered::PriorBoxClustered>(
      {"PriorBoxClustered",
       {1},
       "detection/prior-box-clustered-1",
       {{"output_size", kAnyIntegers}, {"image_size", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
