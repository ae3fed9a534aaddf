// SPDX-License-Identifier: Apache-2.0
// PSROIPooling: position-sensitive pooling of regions, with each bin taken from its own channels.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/psroi-pooling-1.html
#include <algorithm>
#include <cmath>

#include "kernels/region_samples.h"
#include "model/registry.h"
#include "ops/detection/regions.h"
#include "ops/elements/in_f32.h"

namespace wasmvino::ops::psroi_pooling {

enum class Mode { kAverage, kBilinear };

struct Problem {
  size_t batch, channels, height, width;  // of the feature maps
  size_t count, out_channels, group;      // of the output: group x group bins
  size_t bins_x, bins_y;
  float scale;
  Mode mode;
};

class F32Kernel final : public Kernel {
 public:
  explicit F32Kernel(const Problem& problem) : p_(problem) {}

  void run(EvalContext& context) override {
    const float* data = context.input(0).data<float>();
    const float* rois = context.input(1).data<float>();
    float* y = context.output(0).mutable_data<float>();
    const size_t size = p_.out_channels * p_.group * p_.group;
    // As in OpenVINO, image index -1 ends the list.
    size_t regions = 0;
    while (regions < p_.count && rois[5 * regions] != -1) ++regions;
    std::fill(y + regions * size, y + p_.count * size, 0.0f);
    parallel_for(context.parallel(), regions, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const float* roi = rois + 5 * i;
        const size_t picture = picture_at(roi[0], p_.batch, i);
        const float* maps = data + picture * p_.channels * p_.height * p_.width;
        for (size_t k = 0; k < size; ++k) {
          const size_t channel = k / p_.group / p_.group, row = k / p_.group % p_.group,
                       column = k % p_.group;
          y[i * size + k] = p_.mode == Mode::kAverage
                                ? average(maps + k * p_.height * p_.width, roi, row, column)
                                : read(maps, roi, channel, row, column);
        }
      }
    });
  }

 private:
  // Elements [begin, end) of a bin along an axis of `size` elements.
  struct Bin {
    size_t begin, end;
    Bin(const Problem& p, float from, float to, size_t index, size_t size) {
      const float first = std::round(from) * p.scale, last = (std::round(to) + 1) * p.scale;
      // A region without extent still has bins.
      const float step = std::max(last - first, 0.1f) / static_cast<float>(p.group);
      const float i = static_cast<float>(index);
      begin = kernels::clamp_to_axis(std::floor(first + i * step), size);
      end = kernels::clamp_to_axis(std::ceil(first + (i + 1) * step), size);
    }
  };

  float average(const float* plane, const float* roi, size_t row, size_t column) const {
    const Bin vertical(p_, roi[2], roi[4], row, p_.height), horizontal(p_, roi[1], roi[3], column, p_.width);
    if (vertical.begin >= vertical.end || horizontal.begin >= horizontal.end) return 0;
    float sum = 0;
    for (size_t h = vertical.begin; h < vertical.end; ++h) {
      for (size_t w = horizontal.begin; w < horizontal.end; ++w) sum += plane[h * p_.width + w];
    }
    return sum / static_cast<float>((vertical.end - vertical.begin) * (horizontal.end - horizontal.begin));
  }

  // The position that output `index` reads in part `part` of `parts` of a side, on an axis of `size`
  // elements.
  float position(float from, float to, size_t part, size_t parts, size_t index, size_t size) const {
    const float last = static_cast<float>(size - 1),
                length = (to - from) * p_.scale / static_cast<float>(parts);
    const float begin = from * p_.scale + static_cast<float>(part) * length;
    if (p_.group == 1) return (begin + begin + length) * last / 2;
    return static_cast<float>(index) * (length * last / static_cast<float>(p_.group - 1)) + begin * last;
  }

  float read(const float* maps, const float* roi, size_t channel, size_t row, size_t column) const {
    float sum = 0;
    for (size_t by = 0; by < p_.bins_y; ++by) {
      const float in_y = position(roi[2], roi[4], by, p_.bins_y, row, p_.height);
      for (size_t bx = 0; bx < p_.bins_x; ++bx) {
        const float in_x = position(roi[1], roi[3], bx, p_.bins_x, column, p_.width);
        const bool inside = in_y >= 0 && in_y <= static_cast<float>(p_.height - 1) && in_x >= 0 &&
                            in_x <= static_cast<float>(p_.width - 1);
        if (!inside) continue;
        const size_t plane = (by * p_.bins_x + bx) * p_.out_channels + channel;
        sum += kernels::sample_at(in_y, in_x, p_.height, p_.width).read(maps + plane * p_.height * p_.width);
      }
    }
    return sum / static_cast<float>(p_.bins_x * p_.bins_y);
  }

  Problem p_;
};

class PSROIPooling final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    for (const std::string_view name : {"output_dim", "spatial_scale"}) visitor.require(name);
    visitor.on("output_dim", out_channels_);
    visitor.on("group_size", group_);
    visitor.on("spatial_scale", scale_);
    visitor.on("spatial_bins_x", bins_x_);
    visitor.on("spatial_bins_y", bins_y_);
    visitor.on_enum("mode", mode_, {"average", "bilinear"});
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_at_least_one("output_dim", out_channels_);
    expect_at_least_one("group_size", group_);
    expect_at_least_one("spatial_bins_x", bins_x_);
    expect_at_least_one("spatial_bins_y", bins_y_);
    const PartialShape output = infer_regions(context, 5, out_channels_, group_, group_);
    const PartialShape& data = context.input_shape(0);
    const bool average = mode_ == Mode::kAverage;
    const Dimension bins = Dimension(average ? group_ : bins_x_) * (average ? group_ : bins_y_);
    const int64_t wanted = (bins * out_channels_).size();
    if (data.has_rank() && !data[1].contains(wanted)) {
      throw Error(ErrorCode::kInvalidShape, cat("data ", data, " has ", data[1], " channels, expected ",
                                                wanted, ": ", out_channels_, " of output_dim for each bin"))
          .expected(cat(wanted, " channels"))
          .actual(cat(data[1], " channels"))
          .port("data");
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [this](CompileContext& inner) -> std::unique_ptr<Kernel> {
      const Shape data = inner.input_shape(0);
      const Problem problem = {static_cast<size_t>(data[0]),
                               static_cast<size_t>(data[1]),
                               static_cast<size_t>(data[2]),
                               static_cast<size_t>(data[3]),
                               static_cast<size_t>(inner.output_shape(0)[0]),
                               static_cast<size_t>(out_channels_),
                               static_cast<size_t>(group_),
                               static_cast<size_t>(bins_x_),
                               static_cast<size_t>(bins_y_),
                               scale_,
                               mode_};
      return std::make_unique<F32Kernel>(problem);
    });
  }

 private:
  int64_t out_channels_ = 0, group_ = 1, bins_x_ = 1, bins_y_ = 1;
  float scale_ = 1;
  Mode mode_ = Mode::kAverage;
};

}  // namespace wasmvino::ops::psroi_pooling

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(psroi_pooling) {
  registry.add<psroi_pooling::PSROIPooling>(
      {"PSROIPooling", {1}, "detection/psroi-pooling-1", {{"data", kFloats}, {"rois", kFloats}}});
}
}  // namespace wasmvino::ops
