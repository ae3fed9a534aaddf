// SPDX-License-Identifier: Apache-2.0
// ExperimentalDetectronPriorGridGenerator: the same boxes around every point of a grid.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/experimental-detectron-prior-grid-generator-6.html
#include <algorithm>

#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::experimental_detectron_prior_grid_generator {

// Grain: numbers in about 10 µs of work.
constexpr size_t kGrain = size_t{1} << 14;

struct Grid {
  size_t height, width, priors;
  float step_x, step_y;
};

class GridKernel final : public Kernel {
 public:
  explicit GridKernel(const Grid& grid) : grid_(grid) {}

  void run(EvalContext& context) override {
    const float* priors = context.input(0).data<float>();
    const size_t each = 4 * grid_.priors;
    parallel_for(context.parallel(), grid_.height * grid_.width, kGrain / std::max<size_t>(1, each),
                 [&](size_t begin, size_t end) {
                   float* to = context.output(0).mutable_data<float>() + begin * each;
                   for (size_t place = begin; place < end; ++place) {
                     const float x = grid_.step_x * (static_cast<float>(place % grid_.width) + 0.5f);
                     const float y = grid_.step_y * (static_cast<float>(place / grid_.width) + 0.5f);
                     for (size_t i = 0; i < each; ++i) *to++ = priors[i] + (i % 2 == 0 ? x : y);
                   }
                 });
  }

 private:
  Grid grid_;
};

class ExperimentalDetectronPriorGridGenerator final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("flatten", flatten_);
    visitor.on("h", height_);
    visitor.on("w", width_);
    visitor.on("stride_x", stride_x_);
    visitor.on("stride_y", stride_y_);
    if (height_ < 0 || width_ < 0) {
      fail(ErrorCode::kInvalidModel, "attributes 'h' and 'w' are ", height_, " and ", width_,
           ", expected 0 or more");
    }
  }

  // Only the shapes of the inputs feature_map and im_data matter.
  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    expect_rank(context, 0, 2, 2, "priors");
    expect_rank(context, 1, 4, 4, "feature_map");
    expect_rank(context, 2, 4, 4, "im_data");
    expect_size(context, 0, "priors", 1, 4, "that of a box");
    const PartialShape &priors = context.input_shape(0), &map = context.input_shape(1);
    const Dimension count = priors.has_rank() ? priors[0] : Dimension();
    Dimension height = height_, width = width_;
    if (height_ == 0) height = map.has_rank() ? map[2] : Dimension();
    if (width_ == 0) width = map.has_rank() ? map[3] : Dimension();
    context.set_output(
        0, context.input_type(0),
        flatten_ ? PartialShape{height * width * count, 4} : PartialShape{height, width, count, 4});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      const Shape map = inner.input_shape(1), image = inner.input_shape(2);
      Grid grid{};
      grid.height = static_cast<size_t>(height_ == 0 ? map[2] : height_);
      grid.width = static_cast<size_t>(width_ == 0 ? map[3] : width_);
      grid.priors = static_cast<size_t>(inner.input_shape(0)[0]);
      grid.step_x =
          stride_x_ != 0 ? stride_x_ : static_cast<float>(image[3]) / static_cast<float>(grid.width);
      grid.step_y =
          stride_y_ != 0 ? stride_y_ : static_cast<float>(image[2]) / static_cast<float>(grid.height);
      return std::make_unique<GridKernel>(grid);
    });
  }

 private:
  bool flatten_ = true;
  int64_t height_ = 0, width_ = 0;
  float stride_x_ = 0, stride_y_ = 0;
};

}  // namespace wasmvino::ops::experimental_detectron_prior_grid_generator

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(experimental_detectron_prior_grid_generator) {
  registry.add<experimental_detectron_prior_grid_generator::ExperimentalDetectronPriorGridGenerator>(
      {"ExperimentalDetectronPriorGridGenerator",
       {6},
       "detection/experimental-detectron-prior-grid-generator-6",
       {{"priors", kFloats}, {"feature_map", kFloats, 0}, {"im_data", kFloats, 0}}});
}
}  // namespace wasmvino::ops
