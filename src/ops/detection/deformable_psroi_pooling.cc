// SPDX-License-Identifier: Apache-2.0
// DeformablePSROIPooling: pools regions of feature maps, with each bin taken from its own channel and moved
// by predicted offsets.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/deformable-psroi-pooling-1.html
#include <algorithm>
#include <cmath>

#include "core/work.h"
#include "kernels/region_samples.h"
#include "model/registry.h"
#include "ops/detection/regions.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::deformable_psroi_pooling {

struct Options {
  int64_t output_dim = 0, group_size = 1, part_size = 1;
  int64_t bins_x = 1, bins_y = 1;  // sub-bins of a bin, with one sample each
  float spatial_scale = 1, trans_std = 1;
};

class DeformableKernel final : public Kernel {
 public:
  DeformableKernel(const Shape& maps, const Options& options)
      : batch_(static_cast<size_t>(maps[0])),
        channels_(maps[1]),
        height_(maps[2]),
        width_(maps[3]),
        options_(options) {}

  void run(EvalContext& context) override {
    const float* maps = context.input(0).data<float>();
    const float* rois = context.input(1).data<float>();
    float* output = context.output(0).mutable_data<float>();
    const int64_t bins = options_.group_size * options_.group_size, each = options_.output_dim * bins;
    const auto count = static_cast<size_t>(context.output(0).shape[0]);
    // A negative image index ends the list.
    size_t regions = 0;
    while (regions < count && rois[5 * regions] >= 0) ++regions;
    std::fill(output + static_cast<int64_t>(regions) * each, output + static_cast<int64_t>(count) * each,
              0.0f);
    parallel_for(context.parallel(), regions, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const float* roi = rois + 5 * i;
        float* to = output + static_cast<int64_t>(i) * each;
        const auto picture = static_cast<int64_t>(picture_at(roi[0], batch_, i));
        const Region region = locate(roi);
        for (int64_t bin = 0; bin < each; ++bin) {
          const Offset offset = offset_at(context, i, bin / bins, bin % bins);
          to[bin] = sample(maps + (picture * channels_ + bin) * height_ * width_, region, bin % bins, offset);
        }
      }
    });
  }

 private:
  struct Region {
    float x, y, width, height;
  };
  struct Offset {
    float x, y;  // as fractions of the region
  };

  Region locate(const float* roi) const {
    const auto scaled = [&](float value) { return value * options_.spatial_scale - 0.5f; };
    const float x = scaled(std::round(roi[1])), y = scaled(std::round(roi[2]));
    return {x, y, std::max(scaled(std::round(roi[3]) + 1) - x, 0.1f),
            std::max(scaled(std::round(roi[4]) + 1) - y, 0.1f)};
  }

  // Input 2 has pairs of maps [part_size, part_size], one pair per group of output channels.
  Offset offset_at(const EvalContext& context, size_t region, int64_t channel, int64_t bin) const {
    if (context.input_count() < 3) return {0, 0};
    const Shape& shape = context.input(2).shape;
    const int64_t groups = shape[1] / 2, parts = options_.part_size;
    const int64_t group = channel / (options_.output_dim / groups);
    const int64_t row = bin / options_.group_size * parts / options_.group_size;
    const int64_t column = bin % options_.group_size * parts / options_.group_size;
    const float* map = context.input(2).data<float>() +
                       (static_cast<int64_t>(region) * groups + group) * 2 * parts * parts + row * parts +
                       column;
    return {map[0] * options_.trans_std, map[parts * parts] * options_.trans_std};
  }

  float sample(const float* map, const Region& region, int64_t bin, const Offset& offset) const {
    const float groups = static_cast<float>(options_.group_size);
    const float bin_width = region.width / groups, bin_height = region.height / groups;
    const float left =
        region.x + static_cast<float>(bin % options_.group_size) * bin_width + offset.x * region.width;
    const float top =
        region.y + static_cast<float>(bin / options_.group_size) * bin_height + offset.y * region.height;
    const float height = static_cast<float>(height_), width = static_cast<float>(width_);
    float sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < options_.bins_y; ++i) {
      count_work(static_cast<size_t>(options_.bins_x));
      const float y = top + static_cast<float>(i) * (bin_height / static_cast<float>(options_.bins_y));
      if (!(y >= -0.5f && y <= height - 0.5f)) continue;
      for (int64_t j = 0; j < options_.bins_x; ++j) {
        const float x = left + static_cast<float>(j) * (bin_width / static_cast<float>(options_.bins_x));
        if (!(x >= -0.5f && x <= width - 0.5f)) continue;
        sum += kernels::sample_at(std::clamp(y, 0.0f, height - 1), std::clamp(x, 0.0f, width - 1),
                                  static_cast<size_t>(height_), static_cast<size_t>(width_))
                   .read(map);
        ++count;
      }
    }
    return count == 0 ? 0.0f : sum / static_cast<float>(count);
  }

  size_t batch_;
  int64_t channels_, height_, width_;
  Options options_;
};

class DeformablePSROIPooling final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("output_dim", options_.output_dim);
    visitor.on("spatial_scale", options_.spatial_scale);
    visitor.on("group_size", options_.group_size);
    int mode = 0;
    visitor.on_choice("mode", mode, {"bilinear_deformable"});
    visitor.on("spatial_bins_x", options_.bins_x);
    visitor.on("spatial_bins_y", options_.bins_y);
    visitor.on("trans_std", options_.trans_std);
    visitor.on("part_size", options_.part_size);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2, 3);
    expect_at_least_one("output_dim", options_.output_dim);
    expect_at_least_one("group_size", options_.group_size);
    expect_samples("spatial_bins_x", options_.bins_x, 1);
    expect_samples("spatial_bins_y", options_.bins_y, 1);
    expect_at_least_one("part_size", options_.part_size);
    PartialShape output =
        infer_regions(context, 5, options_.output_dim, options_.group_size, options_.group_size);
    const int64_t channels = options_.output_dim * options_.group_size * options_.group_size;
    expect_size(context, 0, "feature maps", 1, channels, "output_dim * group_size * group_size");
    if (context.input_count() == 3) {
      expect_rank(context, 2, 4, 4, "offsets");
      output[0] = expect_size(context, 2, "offsets", 0, output[0], "axis 0 of rois");
      expect_size(context, 2, "offsets", 2, options_.part_size, "part_size");
      expect_size(context, 2, "offsets", 3, options_.part_size, "part_size");
      const PartialShape& offsets = context.input_shape(2);
      if (offsets.has_rank() && offsets[1].is_static() &&
          (offsets[1].size() < 2 || offsets[1].size() % 2 != 0 ||
           options_.output_dim % (offsets[1].size() / 2) != 0)) {
        fail(ErrorCode::kInvalidShape, "axis 1 of offsets ", offsets,
             " is not 2 times a divisor of output_dim, ", options_.output_dim);
      }
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context,
                          [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
                            return std::make_unique<DeformableKernel>(inner.input_shape(0), options_);
                          },
                          {.as_f32 = 7});
  }

 private:
  Options options_;
};

}  // namespace wasmvino::ops::deformable_psroi_pooling

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(deformable_psroi_pooling) {
  registry.add<deformable_psroi_pooling::DeformablePSROIPooling>(
      {"DeformablePSROIPooling",
       {1},
       "detection/deformable-psroi-pooling-1",
       {{"data", kNumbers}, {"rois", kNumbers}, {"offsets", kNumbers}}});
}
}  // namespace wasmvino::ops
