// SPDX-License-Identifier: Apache-2.0
// ROIAlign: regions of feature maps brought to one size by samples that lie evenly in each bin.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/roi-align-9.html
#include <algorithm>
#include <cmath>

#include "model/registry.h"
#include "ops/common/dispatch.h"
#include "ops/common/in_f32.h"
#include "ops/common/inputs.h"
#include "ops/common/regions.h"

namespace wasmvino::ops::roi_align {

enum class Mode { kAvg, kMax };
enum class Aligned { kAsymmetric, kHalfPixelForNn, kHalfPixel };

struct Problem {
  size_t batch, channels, height, width;  // of the feature maps
  size_t count, rows, columns;            // of the output
  int64_t samples;                        // along each side of a bin; 0: as many as elements
  float scale;
  Mode mode;
  Aligned aligned;
};

class F32Kernel final : public Kernel {
 public:
  F32Kernel(const Problem& problem, ElementType index_type)
      : p_(problem), wide_indices_(index_type == ElementType::kI64) {}

  void run(EvalContext& context) override {
    const float* data = context.input(0).data<float>();
    const float* rois = context.input(1).data<float>();
    float* y = context.output(0).mutable_data<float>();
    const size_t size = p_.channels * p_.rows * p_.columns;
    parallel_for(context.parallel(), p_.count, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const int64_t picture =
            wide_indices_ ? context.input(2).data<int64_t>()[i] : context.input(2).data<int32_t>()[i];
        expect_picture(picture, p_.batch, i);
        const float* maps = data + static_cast<size_t>(picture) * p_.channels * p_.height * p_.width;
        compute(maps, rois + 4 * i, y + i * size);
      }
    });
  }

 private:
  // One axis of a region.
  struct Side {
    float begin, bin, step;
    int64_t samples;

    Side(const Problem& p, float from, float to, size_t bins) {
      const float before = p.aligned == Aligned::kHalfPixel ? 0.5f : 0.0f;
      const float after = p.aligned == Aligned::kAsymmetric ? 0.0f : -0.5f;
      begin = (from + before) * p.scale + after;
      float length = (to + before) * p.scale + after - begin;
      if (p.aligned == Aligned::kAsymmetric) length = std::max(length, 1.0f);
      bin = length / static_cast<float>(bins);
      samples = samples_of_bin(p.samples, bin);
      step = bin / static_cast<float>(samples);
    }
    float at(size_t index, int64_t sample) const {
      return begin + static_cast<float>(index) * bin + step * (static_cast<float>(sample) + 0.5f);
    }
    // The samples of a bin that may lie in a picture of `size` elements, or one element around it.
    SampleRange range(size_t index, size_t size) const {
      return samples_between(begin + static_cast<float>(index) * bin, step, samples, -2,
                             static_cast<float>(size + 1));
    }
  };

  void compute(const float* maps, const float* roi, float* y) const {
    const Side vertical(p_, roi[1], roi[3], p_.rows), horizontal(p_, roi[0], roi[2], p_.columns);
    std::fill_n(y, p_.channels * p_.rows * p_.columns, 0.0f);
    const float share = 1.0f / static_cast<float>(vertical.samples * horizontal.samples);
    for (size_t row = 0; row < p_.rows; ++row) {
      const SampleRange down = vertical.range(row, p_.height);
      for (size_t column = 0; column < p_.columns; ++column) {
        const SampleRange across = horizontal.range(column, p_.width);
        float* bin = y + row * p_.columns + column;
        for (int64_t i = down.begin; i < down.end; ++i) {
          for (int64_t j = across.begin; j < across.end; ++j) {
            add(maps, vertical.at(row, i), horizontal.at(column, j), share, bin);
          }
        }
      }
    }
  }

  // Adds a sample to the bin of every channel. Outside the picture and one element around it a sample is 0.
  void add(const float* maps, float y, float x, float share, float* bin) const {
    const bool inside =
        y >= -1 && y <= static_cast<float>(p_.height) && x >= -1 && x <= static_cast<float>(p_.width);
    if (!inside) return;  // a maximum begins with 0 too
    const Sample sample =
        sample_at(std::clamp(y, 0.0f, static_cast<float>(p_.height - 1)),
                  std::clamp(x, 0.0f, static_cast<float>(p_.width - 1)), p_.height, p_.width);
    for (size_t channel = 0; channel < p_.channels; ++channel) {
      const float value = sample.read(maps + channel * p_.height * p_.width);
      float& to = bin[channel * p_.rows * p_.columns];
      to = p_.mode == Mode::kAvg ? to + value * share : std::max(to, value);
    }
  }

  Problem p_;
  bool wide_indices_;
};

class ROIAlign final : public Op {
 public:
  explicit ROIAlign(int since) : since_(since) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("pooled_h", rows_);
    visitor.on("pooled_w", columns_);
    visitor.on("sampling_ratio", samples_);
    visitor.on("spatial_scale", scale_);
    visitor.require("mode");
    visitor.on_enum("mode", mode_, {"avg", "max"});
    if (since_ >= 9)
      visitor.on_enum("aligned_mode", aligned_, {"asymmetric", "half_pixel_for_nn", "half_pixel"});
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    expect_at_least_one("pooled_h", rows_);
    expect_at_least_one("pooled_w", columns_);
    if (samples_ < 0) {
      throw Error(ErrorCode::kInvalidValue, cat("sampling_ratio is ", samples_, ", expected 0 or more"))
          .expected("0 or more")
          .actual(cat(samples_));
    }
    const ElementType index_type = context.input_type(2);
    if (index_type != ElementType::kDynamic) with_index(index_type, []<typename T>() {});
    expect_rank(context, 2, 1, 1, "batch_indices");
    const PartialShape& data = context.input_shape(0);
    const PartialShape& indices = context.input_shape(2);
    const Dimension channels = data.has_rank() && data.rank() == 4 ? data[1] : Dimension();
    PartialShape output = infer_regions(context, 4, channels, rows_, columns_);
    if (indices.has_rank()) {
      const std::optional<Dimension> count = output[0].merge(indices[0]);
      if (!count) {
        throw Error(ErrorCode::kInvalidShape,
                    cat("batch_indices has ", indices[0], " elements, rois ", output[0], " rows"))
            .expected(to_string(output[0]))
            .actual(to_string(indices[0]))
            .port("batch_indices");
      }
      output[0] = *count;
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context,
                          [this](CompileContext& inner) -> std::unique_ptr<Kernel> {
                            const Shape data = inner.input_shape(0);
                            const Problem problem = {static_cast<size_t>(data[0]),
                                                     static_cast<size_t>(data[1]),
                                                     static_cast<size_t>(data[2]),
                                                     static_cast<size_t>(data[3]),
                                                     static_cast<size_t>(inner.output_shape(0)[0]),
                                                     static_cast<size_t>(rows_),
                                                     static_cast<size_t>(columns_),
                                                     samples_,
                                                     scale_,
                                                     mode_,
                                                     aligned_};
                            return std::make_unique<F32Kernel>(problem, inner.input_type(2));
                          },
                          {.as_i64 = 4});
  }

 private:
  int since_;
  int64_t rows_ = 0, columns_ = 0, samples_ = 0;
  float scale_ = 1;
  Mode mode_ = Mode::kAvg;
  Aligned aligned_ = Aligned::kAsymmetric;
};

}  // namespace wasmvino::ops::roi_align

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(roi_align) {
  registry.add<roi_align::ROIAlign>({"ROIAlign",
                                     {3, 9},
                                     "detection/roi-align-9",
                                     {{"data", kFloats}, {"rois", kFloats, 0}, {"batch_indices", kIndices}}});
}
}  // namespace wasmvino::ops
