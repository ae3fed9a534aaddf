// SPDX-License-Identifier: Apache-2.0
// ExperimentalDetectronROIFeatureExtractor: for each region, takes the level of a feature pyramid that fits
// the region's size, and resamples the region to a fixed size.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/experimental-detectron-roi-feature-extractor-6.html
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/work.h"
#include "kernels/region_samples.h"
#include "model/registry.h"
#include "ops/detection/regions.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::experimental_detectron_roi_feature_extractor {

struct Options {
  int64_t size = 0;
  int64_t samples = 0;  // along each side of a bin; 0: as many as elements
  Ints scales;          // image size divided by the size of each level
  bool aligned = false;
};

class FeatureKernel final : public Kernel {
 public:
  FeatureKernel(const CompileContext& context, const Options& options)
      : options_(options), regions_(static_cast<size_t>(context.input_shape(0)[0])) {
    for (size_t i = 1; i < context.input_count(); ++i) {
      const Shape shape = context.input_shape(i);
      channels_ = static_cast<size_t>(shape[1]);
      levels_.push_back({static_cast<size_t>(shape[2]), static_cast<size_t>(shape[3])});
    }
  }

  void run(EvalContext& context) override {
    const float* rois = context.input(0).data<float>();
    float* features = context.output(0).mutable_data<float>();
    const size_t size = channels_ * bins();
    parallel_for(context.parallel(), regions_, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const float* roi = rois + 4 * i;
        float* to = features + i * size;
        std::fill_n(to, size, 0.0f);
        const float area = (roi[2] - roi[0]) * (roi[3] - roi[1]);
        if (!(area > 0)) continue;
        const size_t level = level_of(area);
        pool(context.input(1 + level).data<float>(), level, roi, to);
      }
    });
    if (context.output_count() > 1) std::copy_n(rois, 4 * regions_, context.output(1).mutable_data<float>());
  }

 private:
  struct Level {
    size_t height, width;
  };

  size_t bins() const { return static_cast<size_t>(options_.size * options_.size); }

  // A region of 224 x 224 belongs to level 2, one with half its sides to level 1.
  size_t level_of(float area) const {
    const float level = std::floor(std::log2(std::sqrt(area) / 224.0f + 1e-6f) + 2.0f);
    return static_cast<size_t>(std::clamp(level, 0.0f, static_cast<float>(levels_.size() - 1)));
  }

  // One axis of a region.
  struct Side {
    float begin, step;
    int64_t samples;  // per bin
    float at(int64_t i) const { return begin + step * (static_cast<float>(i) + 0.5f); }
    // The samples of `bins` bins that may be inside a map of `size` elements, or within one element around
    // it.
    kernels::SampleRange range(int64_t bins, size_t size) const {
      return kernels::samples_between(begin, step, bins * samples, -2, static_cast<float>(size + 1));
    }
  };
  Side side(float from, float to, float scale) const {
    const float offset = options_.aligned ? 0.5f : 0.0f;
    const float begin = from * scale - offset;
    const float bin = std::max(to * scale - offset - begin, 1.0f) / static_cast<float>(options_.size);
    const int64_t samples = kernels::samples_of_bin(options_.samples, bin);
    return {begin, bin / static_cast<float>(samples), samples};
  }

  void pool(const float* maps, size_t level, const float* roi, float* output) const {
    const float scale = 1.0f / static_cast<float>(options_.scales[level]);
    const Side across = side(roi[0], roi[2], scale), down = side(roi[1], roi[3], scale);
    const float share = 1.0f / static_cast<float>(across.samples * down.samples);
    const kernels::SampleRange rows = down.range(options_.size, levels_[level].height),
                               columns = across.range(options_.size, levels_[level].width);
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      for (int64_t j = columns.begin; j < columns.end; ++j) {
        float* bin = output + i / down.samples * options_.size + j / across.samples;
        add(maps, levels_[level], down.at(i), across.at(j), share, bin);
        count_work(channels_);
      }
    }
  }

  // Adds a sample to the bin of every channel. Samples more than one element outside the image are 0.
  void add(const float* maps, const Level& level, float y, float x, float share, float* bin) const {
    const float height = static_cast<float>(level.height), width = static_cast<float>(level.width);
    if (!(y >= -1 && y <= height && x >= -1 && x <= width)) return;
    const kernels::Sample sample = kernels::sample_at(
        std::clamp(y, 0.0f, height - 1), std::clamp(x, 0.0f, width - 1), level.height, level.width);
    for (size_t channel = 0; channel < channels_; ++channel) {
      bin[channel * bins()] += sample.read(maps + channel * level.height * level.width) * share;
    }
  }

  Options options_;
  size_t regions_, channels_ = 0;
  std::vector<Level> levels_;
};

class ExperimentalDetectronROIFeatureExtractor final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("output_size", options_.size);
    visitor.on("sampling_ratio", options_.samples);
    visitor.on("pyramid_scales", options_.scales);
    visitor.on("aligned", options_.aligned);
    if (options_.size < 1) {
      fail(ErrorCode::kInvalidModel, "attribute 'output_size' is ", options_.size, ", expected 1 or more");
    }
    for (const int64_t scale : options_.scales) {
      if (scale < 1)
        fail(ErrorCode::kInvalidModel, "attribute 'pyramid_scales' contains ", scale, ", expected 1 or more");
    }
  }

  void infer(InferContext& context) const override {
    // As in OpenVINO, scales of further levels are left over.
    context.expect_inputs(2, 1 + std::max<size_t>(1, options_.scales.size()));
    if (options_.scales.empty()) {
      fail(ErrorCode::kInvalidModel,
           "attribute 'pyramid_scales' is empty, expected a scale for each feature map");
    }
    expect_samples("sampling_ratio", options_.samples, 0);
    expect_rank(context, 0, 2, 2, "rois");
    expect_size(context, 0, "rois", 1, 4, "that of a box");
    ElementType type = context.input_type(0);
    Dimension channels;
    for (size_t i = 1; i < context.input_count(); ++i) {
      const std::string name = cat("feature map ", i - 1);
      if (type == ElementType::kDynamic) type = context.input_type(i);
      expect_maps(context, i, name);
      expect_size(context, i, name, 0, 1, "for one image it");
      channels = expect_size(context, i, name, 1, channels, "the number of channels");
    }
    const PartialShape& rois = context.input_shape(0);
    const Dimension regions = rois.has_rank() ? rois[0] : Dimension();
    context.set_output(0, type, {regions, channels, options_.size, options_.size});
    if (context.output_count() > 1) context.set_output(1, type, {regions, 4});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      return std::make_unique<FeatureKernel>(inner, options_);
    });
  }

 private:
  Options options_;
};

}  // namespace wasmvino::ops::experimental_detectron_roi_feature_extractor

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(experimental_detectron_roi_feature_extractor) {
  registry.add<experimental_detectron_roi_feature_extractor::ExperimentalDetectronROIFeatureExtractor>(
      {"ExperimentalDetectronROIFeatureExtractor",
       {6},
       "detection/experimental-detectron-roi-feature-extractor-6",
       {{"rois", kFloats}, {"feature map", kFloats, 0, true}}});
}
}  // namespace wasmvino::ops
