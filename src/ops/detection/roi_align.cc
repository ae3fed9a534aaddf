// SPDX-License-Identifier: Apache-2.0
// ROIAlign: resamples regions of feature maps to a fixed size, with evenly spaced samples in each bin.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/roi-align-9.html
#include "kernels/roi_align.h"

#include "core/dispatch.h"
#include "model/registry.h"
#include "ops/detection/regions.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::roi_align {

class F32Kernel final : public Kernel {
 public:
  F32Kernel(size_t batch, size_t count, const kernels::RoiAlign& align, ElementType index_type)
      : batch_(batch), count_(count), align_(align), wide_indices_(index_type == ElementType::kI64) {}

  void run(EvalContext& context) override {
    const float* data = context.input(0).data<float>();
    const float* rois = context.input(1).data<float>();
    float* y = context.output(0).mutable_data<float>();
    const size_t size = align_.channels * align_.rows * align_.columns;
    const size_t picture_size = align_.channels * align_.height * align_.width;
    parallel_for(context.parallel(), count_, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const int64_t picture =
            wide_indices_ ? context.input(2).data<int64_t>()[i] : context.input(2).data<int32_t>()[i];
        expect_picture(picture, batch_, i);
        kernels::align_region(align_, data + static_cast<size_t>(picture) * picture_size, rois + 4 * i,
                              y + i * size);
      }
    });
  }

 private:
  size_t batch_, count_;
  kernels::RoiAlign align_;
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
    expect_samples("sampling_ratio", samples_, 0);
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
                    cat("batch_indices has ", indices[0], " elements, but rois has ", output[0], " rows"))
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
                            kernels::RoiAlign align;
                            align.channels = static_cast<size_t>(data[1]);
                            align.height = static_cast<size_t>(data[2]);
                            align.width = static_cast<size_t>(data[3]);
                            align.rows = static_cast<size_t>(rows_);
                            align.columns = static_cast<size_t>(columns_);
                            align.samples = samples_;
                            align.scale = scale_;
                            align.mode = mode_;
                            align.aligned = aligned_;
                            return std::make_unique<F32Kernel>(static_cast<size_t>(data[0]),
                                                               static_cast<size_t>(inner.output_shape(0)[0]),
                                                               align, inner.input_type(2));
                          },
                          {.as_i64 = 4});
  }

 private:
  int since_;
  int64_t rows_ = 0, columns_ = 0, samples_ = 0;
  float scale_ = 1;
  kernels::RoiMode mode_ = kernels::RoiMode::kAvg;
  kernels::RoiAligned aligned_ = kernels::RoiAligned::kAsymmetric;
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
