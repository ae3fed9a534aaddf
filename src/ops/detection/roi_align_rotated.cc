// SPDX-License-Identifier: Apache-2.0
// ROIAlignRotated: resamples rotated regions of feature maps to a fixed size, with evenly spaced samples in
// each bin.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/roi-align-rotated-15.html
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/work.h"
#include "kernels/region_samples.h"
#include "model/registry.h"
#include "ops/detection/regions.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops::roi_align_rotated {

struct Options {
  int64_t rows = 0, columns = 0;  // of the output
  int64_t samples = 0;            // along each side of a bin; 0: as many as elements
  float scale = 1;
  bool clockwise = false;
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class RotatedKernel final : public Kernel {
 public:
  RotatedKernel(const Shape& maps, const Options& options)
      : batch_(static_cast<size_t>(maps[0])),
        channels_(static_cast<size_t>(maps[1])),
        height_(static_cast<size_t>(maps[2])),
        width_(static_cast<size_t>(maps[3])),
        options_(options) {}

  void run(EvalContext& context) override {
    const float* maps = context.input(0).data<float>();
    const float* rois = context.input(1).data<float>();
    float* output = context.output(0).mutable_data<float>();
    const size_t size = channels_ * bins();
    const auto count = static_cast<size_t>(context.output(0).shape[0]);
    parallel_for(context.parallel(), count, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const int64_t picture = load_integer(context.input(2), i);
        expect_picture(picture, batch_, i);
        pool(maps + static_cast<size_t>(picture) * channels_ * height_ * width_, rois + 5 * i,
             output + i * size);
      }
    });
  }

 private:
  size_t bins() const { return static_cast<size_t>(options_.rows * options_.columns); }

  // A region is [center_x, center_y, width, height, angle in radians]; its center is shifted by half a pixel.
  void pool(const float* maps, const float* roi, float* output) const {
    const float center_x = roi[0] * options_.scale - 0.5f, center_y = roi[1] * options_.scale - 0.5f;
    const float width = roi[2] * options_.scale, height = roi[3] * options_.scale;
    const float angle = options_.clockwise ? -roi[4] : roi[4];
    const float cosine = std::cos(angle), sine = std::sin(angle);
    const float bin_width = width / static_cast<float>(options_.columns);
    const float bin_height = height / static_cast<float>(options_.rows);
    const int64_t across = kernels::samples_of_bin(options_.samples, bin_width),
                  down = kernels::samples_of_bin(options_.samples, bin_height);
    const float step_x = bin_width / static_cast<float>(across),
                step_y = bin_height / static_cast<float>(down);
    const float share = 1.0f / static_cast<float>(across * down);
    std::fill_n(output, channels_ * bins(), 0.0f);

    // Rotates the corners of the maps, extended by two elements, into the region's coordinates.
    float low_x = kInfinity, high_x = -kInfinity, low_y = kInfinity, high_y = -kInfinity;
    for (const float top : {-2.0f, static_cast<float>(height_ + 1)}) {
      for (const float left : {-2.0f, static_cast<float>(width_ + 1)}) {
        const float y = (top - center_y) * cosine + (left - center_x) * sine;
        const float x = (left - center_x) * cosine - (top - center_y) * sine;
        low_y = std::min(low_y, y), high_y = std::max(high_y, y);
        low_x = std::min(low_x, x), high_x = std::max(high_x, x);
      }
    }
    const kernels::SampleRange rows = kernels::samples_between(-height / 2, step_y, options_.rows * down,
                                                               low_y, high_y),
                               columns = kernels::samples_between(-width / 2, step_x,
                                                                  options_.columns * across, low_x, high_x);
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      const float y = (static_cast<float>(i) + 0.5f) * step_y - height / 2;
      for (int64_t j = columns.begin; j < columns.end; ++j) {
        const float x = (static_cast<float>(j) + 0.5f) * step_x - width / 2;
        float* bin = output + i / down * options_.columns + j / across;
        add(maps, y * cosine - x * sine + center_y, y * sine + x * cosine + center_x, share, bin);
        count_work(channels_);
      }
    }
  }

  // Adds a sample to the bin of every channel. Samples more than one element outside the image are 0.
  void add(const float* maps, float y, float x, float share, float* bin) const {
    const float height = static_cast<float>(height_), width = static_cast<float>(width_);
    if (!(y >= -1 && y <= height && x >= -1 && x <= width)) return;
    const kernels::Sample sample =
        kernels::sample_at(std::clamp(y, 0.0f, height - 1), std::clamp(x, 0.0f, width - 1), height_, width_);
    for (size_t channel = 0; channel < channels_; ++channel) {
      bin[channel * bins()] += sample.read(maps + channel * height_ * width_) * share;
    }
  }

  size_t batch_, channels_, height_, width_;
  Options options_;
};

class ROIAlignRotated final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("pooled_h", options_.rows);
    visitor.on("pooled_w", options_.columns);
    visitor.on("sampling_ratio", options_.samples);
    visitor.on("spatial_scale", options_.scale);
    visitor.on("clockwise_mode", options_.clockwise);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    expect_at_least_one("pooled_h", options_.rows);
    expect_at_least_one("pooled_w", options_.columns);
    expect_samples("sampling_ratio", options_.samples, 0);
    expect_rank(context, 2, 1, 1, "batch_indices");
    const PartialShape& maps = context.input_shape(0);
    const Dimension channels = maps.has_rank() && maps.rank() == 4 ? maps[1] : Dimension();
    PartialShape output = infer_regions(context, 5, channels, options_.rows, options_.columns);
    output[0] = expect_size(context, 2, "batch_indices", 0, output[0], "axis 0 of rois");
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      return std::make_unique<RotatedKernel>(inner.input_shape(0), options_);
    });
  }

 private:
  Options options_;
};

}  // namespace wasmvino::ops::roi_align_rotated

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(roi_align_rotated) {
  registry.add<roi_align_rotated::ROIAlignRotated>(
      {"ROIAlignRotated",
       {15},
       "detection/roi-align-rotated-15",
       {{"data", kFloats}, {"rois", kFloats, 0}, {"batch_indices", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
