// SPDX-License-Identifier: Apache-2.0
// PriorBox: boxes of given sizes and aspect ratios at every point of a grid.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/prior-box-8.html
#include <algorithm>
#include <cmath>

#include "core/work.h"
#include "model/registry.h"
#include "ops/detection/prior_boxes.h"

namespace wasmvino::ops::prior_box {

// A grid point has density² boxes. More than 4096 of them exceed the needs of any detector; with this limit,
// the number of boxes cannot overflow.
constexpr float kMostDensity = 64;

class PriorBox final : public Op {
 public:
  explicit PriorBox(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("min_size", min_size_);
    visitor.on("max_size", max_size_);
    visitor.on("aspect_ratio", aspect_ratio_);
    visitor.on("density", density_);
    visitor.on("fixed_ratio", fixed_ratio_);
    visitor.on("fixed_size", fixed_size_);
    visitor.on("clip", clip_);
    visitor.on("flip", flip_);
    visitor.on("step", step_);
    visitor.on("offset", offset_);
    visitor.on("variance", variance_);
    visitor.on("scale_all_sizes", scale_all_sizes_);
    if (version_ >= 8) visitor.on("min_max_aspect_ratios_order", max_before_ratios_);
    check_variance(variance_);
    if (!fixed_size_.empty() && density_.size() != fixed_size_.size()) {
      fail(ErrorCode::kInvalidModel, "attribute 'density' has ", density_.size(),
           " elements, but 'fixed_size' has ", fixed_size_.size());
    }
    for (const float density : density_) {
      // Every grid point has one box for each of density² places.
      if (!(density >= 1 && density <= kMostDensity)) {
        fail(ErrorCode::kInvalidModel, "attribute 'density' contains ", density, ", expected 1 to ",
             kMostDensity);
      }
    }
    ratios_ = other_ratios();
  }

  void infer(InferContext& context) const override { infer_prior_boxes(context, priors_per_point()); }

  void evaluate(EvalContext& context) const override {
    const PriorGrid grid = read_prior_grid(context);
    Emitter emitter(context.output(0).mutable_data<float>(), grid.points() * priors_per_point(), grid, clip_);
    const float height = static_cast<float>(grid.height),
                image_height = static_cast<float>(grid.image_height);
    float step = step_, unit = 1.0f;
    if (!scale_all_sizes_) {
      // As in MXNet, sizes and steps are relative to the height of the image.
      step = step == -1.0f ? image_height / height : step * image_height;
      unit = image_height;
    }
    const float step_x = static_cast<float>(grid.image_width) / static_cast<float>(grid.width);
    const float step_y = image_height / height;
    for (int64_t h = 0; h < grid.height; ++h) {
      for (int64_t w = 0; w < grid.width; ++w) {
        const float column = static_cast<float>(w), row = static_cast<float>(h);
        count_work(4 + min_size_.size() * (ratios_.size() + 2));
        emitter.x = step == 0 ? (column + 0.5f) * step_x : (offset_ + column) * step;
        emitter.y = step == 0 ? (row + 0.5f) * step_y : (offset_ + row) * step;
        emit_fixed(emitter);
        emit_sizes(emitter, unit);
      }
    }
    emitter.finish();
    fill_variance(variance_, context.output(0).mutable_data<float>() + 4 * emitter.size(), emitter.size());
  }

 private:
  // Writes boxes around a point.
  class Emitter {
   public:
    Emitter(float* to, size_t boxes, const PriorGrid& grid, bool clip)
        : to_(to),
          boxes_(boxes),
          per_width_(1.0f / static_cast<float>(grid.image_width)),
          per_height_(1.0f / static_cast<float>(grid.image_height)),
          clip_(clip) {}

    float x = 0, y = 0;
    size_t size() const { return boxes_; }

    void add(float dx, float dy, float half_width, float half_height, bool clip) {
      if (next_ == boxes_) return;
      float* box = to_ + 4 * next_++;
      box[0] = (x + dx - half_width) * per_width_;
      box[1] = (y + dy - half_height) * per_height_;
      box[2] = (x + dx + half_width) * per_width_;
      box[3] = (y + dy + half_height) * per_height_;
      if (!clip && !clip_) return;
      for (size_t i = 0; i < 4; ++i) box[i] = std::clamp(box[i], 0.0f, 1.0f);
    }
    void finish() { std::fill(to_ + 4 * next_, to_ + 4 * boxes_, 0.0f); }

   private:
    float* to_;
    size_t boxes_, next_ = 0;
    float per_width_, per_height_;
    bool clip_;
  };

  static bool is_one(float ratio) { return std::fabs(ratio - 1.0f) < 1e-6f; }

  // Aspect ratios other than 1, each once, with their inverses if `flip` is set.
  Floats other_ratios() const {
    Floats ratios;
    for (const float ratio : aspect_ratio_) {
      const auto equals = [&](float other) { return std::fabs(ratio - other) < 1e-6f; };
      if (is_one(ratio) || std::any_of(ratios.begin(), ratios.end(), equals)) continue;
      ratios.push_back(ratio);
      if (flip_) ratios.push_back(1.0f / ratio);
    }
    return ratios;
  }

  size_t priors_per_point() const {
    const size_t ratios = ratios_.size() + 1;
    size_t count =
        scale_all_sizes_ ? ratios * min_size_.size() + max_size_.size() : ratios + min_size_.size() - 1;
    if (!fixed_size_.empty()) count = ratios * fixed_size_.size();
    for (const float density : density_) {
      const auto side = static_cast<size_t>(density);
      count += (fixed_ratio_.empty() ? ratios : fixed_ratio_.size()) * (side * side - 1);
    }
    return count;
  }

  void emit_fixed(Emitter& emitter) const {
    for (size_t i = 0; i < fixed_size_.size(); ++i) {
      if (fixed_ratio_.empty()) {
        emit_dense(emitter, i, 1.0f);
        for (const float ratio : ratios_) emit_dense(emitter, i, ratio);
      } else {
        for (const float ratio : fixed_ratio_) emit_dense(emitter, i, ratio);
      }
    }
  }

  // Emits density^2 boxes of one fixed size and ratio, spread over a square of that size.
  void emit_dense(Emitter& emitter, size_t i, float ratio) const {
    const auto side = static_cast<int64_t>(density_[i]);
    const auto size = static_cast<int64_t>(fixed_size_[i]);
    const auto shift = static_cast<int64_t>(fixed_size_[i] / static_cast<float>(side));
    const float root = std::sqrt(ratio);
    const auto place = [&](int64_t k) {
      return static_cast<float>(-(size / 2)) + static_cast<float>(shift) / 2 + static_cast<float>(k * shift);
    };
    count_work(static_cast<size_t>(side * side));
    for (int64_t row = 0; row < side; ++row) {
      for (int64_t column = 0; column < side; ++column) {
        emitter.add(place(column), place(row), fixed_size_[i] * 0.5f * root, fixed_size_[i] * 0.5f / root,
                    true);
      }
    }
  }

  void emit_sizes(Emitter& emitter, float unit) const {
    for (size_t i = 0; i < min_size_.size(); ++i) {
      const float size = min_size_[i] * unit;
      const auto emit_max = [&] {
        if (!scale_all_sizes_ || i >= max_size_.size()) return;
        const float half = std::sqrt(size * max_size_[i]) * 0.5f;
        emitter.add(0, 0, half, half, false);
      };
      emitter.add(0, 0, size * 0.5f, size * 0.5f, false);
      if (max_before_ratios_) emit_max();
      if (scale_all_sizes_ || i + 1 == min_size_.size()) {
        const float base = scale_all_sizes_ ? size : min_size_[0] * unit;
        for (const float ratio : ratios_) {
          const float root = std::sqrt(ratio);
          emitter.add(0, 0, base * 0.5f * root, base * 0.5f / root, false);
        }
      }
      if (!max_before_ratios_) emit_max();
    }
  }

  int version_;
  Floats min_size_, max_size_, aspect_ratio_, density_, fixed_ratio_, fixed_size_, variance_;
  Floats ratios_;
  bool clip_ = false, flip_ = false, scale_all_sizes_ = true, max_before_ratios_ = true;
  float step_ = 0, offset_ = 0;
};

}  // namespace wasmvino::ops::prior_box

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(prior_box) {
  registry.add<prior_box::PriorBox>({"PriorBox",
                                     {1, 8},
                                     "detection/prior-box-8",
                                     {{"output_size", kAnyIntegers}, {"image_size", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
