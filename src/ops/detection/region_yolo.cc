// SPDX-License-Identifier: Apache-2.0
// RegionYolo: computes coordinates, confidences and class scores of regions from the output of a YOLO
// network.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/region-yolo-1.html
#include <algorithm>

#include "kernels/softmax.h"
#include "kernels/unary.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::region_yolo {

constexpr size_t kColumns = 64;

struct Options {
  int64_t coords = 4, classes = 0, regions = 0;
  bool softmax = true;
  // Per region: the box, its confidence and the classes.
  Dimension numbers() const { return Dimension(coords) + 1 + classes; }
  Dimension channels() const { return numbers() * regions; }
};

class RegionKernel final : public Kernel {
 public:
  RegionKernel(const Shape& shape, const Options& options)
      : batch_(static_cast<size_t>(shape[0])),
        channels_(static_cast<size_t>(shape[1])),
        area_(product(shape, 2, 4)),
        options_(options) {}

  void run(EvalContext& context) override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).mutable_data<float>();
    const size_t each = static_cast<size_t>(options_.channels().size()) * area_;
    // With softmax, the output has all channels of the input, otherwise only those of the regions.
    const size_t kept = options_.softmax ? channels_ * area_ : each;
    const auto regions = static_cast<size_t>(options_.regions);
    for (size_t image = 0; image < batch_; ++image, x += channels_ * area_, y += kept) {
      std::copy(x + each, x + kept, y + each);
      parallel_for(context.parallel(), regions, 1, [&](size_t begin, size_t end) {
        for (size_t r = begin; r < end; ++r) region(x + r * (each / regions), y + r * (each / regions));
      });
    }
  }

 private:
  void region(const float* x, float* y) const {
    const auto coords = static_cast<size_t>(options_.coords), classes = static_cast<size_t>(options_.classes);
    const kernels::UnaryFunction sigmoid = {kernels::Unary::kSigmoid};
    const size_t centers = std::min<size_t>(coords, 2) * area_, first = coords * area_;
    kernels::apply_unary(sigmoid, x, y, centers);
    std::copy(x + centers, x + first, y + centers);
    kernels::apply_unary(sigmoid, x + first, y + first, (options_.softmax ? 1 : 1 + classes) * area_);
    if (!options_.softmax || classes == 0) return;
    float scratch[2 * kColumns];
    for (size_t j = 0; j < area_; j += kColumns) {
      const size_t place = first + area_ + j;
      kernels::softmax_columns(x + place, y + place, classes, area_, std::min(kColumns, area_ - j), false,
                               scratch);
    }
  }

  size_t batch_, channels_, area_;
  Options options_;
};

class RegionYolo final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("anchors", anchors_);
    visitor.on("axis", axis_);
    visitor.on("coords", options_.coords);
    visitor.on("classes", options_.classes);
    visitor.on("end_axis", end_axis_);
    visitor.on("num", num_);
    visitor.on("do_softmax", options_.softmax);
    visitor.on("mask", mask_);
    for (const int64_t value : {options_.coords, options_.classes, num_}) {
      if (value < 0) {
        fail(ErrorCode::kInvalidModel, "one of the attributes 'coords', 'classes', 'num' is ", value,
             ", expected 0 or more");
      }
    }
    options_.regions = options_.softmax ? num_ : static_cast<int64_t>(mask_.size());
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    expect_rank(context, 0, 4, 4, "data");
    const PartialShape& shape = context.input_shape(0);
    if (shape.has_rank() && shape[1].max < options_.channels().size()) {
      fail(ErrorCode::kInvalidShape, "data ", shape, " has too few channels for ", options_.regions,
           " regions of ", options_.numbers());
    }
    context.set_output(0, context.input_type(0), options_.softmax ? flattened(shape) : predicted(shape));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      return std::make_unique<RegionKernel>(inner.input_shape(0), options_);
    });
  }

 private:
  PartialShape flattened(const PartialShape& shape) const {
    if (!shape.has_rank()) return {};
    const size_t first = normalize_axis(axis_, 4), last = normalize_axis(end_axis_, 4, "end_axis");
    if (first > last)
      fail(ErrorCode::kInvalidModel, "attribute 'axis' is ", axis_, ", after 'end_axis', which is ",
           end_axis_);
    PartialShape result = PartialShape::of_rank(0);
    for (size_t axis = 0; axis < first; ++axis) result.push_back(shape[axis]);
    Dimension flat = 1;
    for (size_t axis = first; axis <= last; ++axis) flat = flat * shape[axis];
    result.push_back(flat);
    for (size_t axis = last + 1; axis < 4; ++axis) result.push_back(shape[axis]);
    return result;
  }
  PartialShape predicted(PartialShape shape) const {
    if (!shape.has_rank()) shape = PartialShape::of_rank(4);
    shape[1] = options_.channels();
    return shape;
  }

  Options options_;
  int64_t axis_ = 1, end_axis_ = 3, num_ = 0;
  Ints mask_;
  // Not used here; users of the output need it.
  Floats anchors_;
};

}  // namespace wasmvino::ops::region_yolo

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(region_yolo) {
  registry.add<region_yolo::RegionYolo>({"RegionYolo", {1}, "detection/region-yolo-1", {{"data", kFloats}}});
}
}  // namespace wasmvino::ops
