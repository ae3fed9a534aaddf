// SPDX-License-Identifier: Apache-2.0
// GroupNormalization: (x - mean) / standard deviation for each group of channels, then * scale + bias for
// each channel.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/normalization/group-normalization-12.html
#include <cmath>

#include "kernels/normalize.h"
#include "kernels/unary.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::group_normalization {

constexpr size_t kGrain = size_t{1} << 14;

class GroupNormKernel final : public Kernel {
 public:
  GroupNormKernel(const Shape& shape, size_t groups, double epsilon)
      : batch_(static_cast<size_t>(shape[0])),
        groups_(groups),
        channels_(static_cast<size_t>(shape[1]) / groups),
        spatial_(product(shape, 2, shape.size())),
        epsilon_(epsilon) {}

  void run(EvalContext& context) override {
    const float* data = context.input(0).data<float>();
    const float* scale = context.input(1).data<float>();
    const float* bias = context.input(2).data<float>();
    float* result = context.output(0).mutable_data<float>();
    const size_t count = channels_ * spatial_;
    parallel_for(context.parallel(), batch_ * groups_, kGrain / std::max<size_t>(1, count),
                 [&](size_t begin, size_t end) {
                   for (size_t group = begin; group < end; ++group) {
                     const size_t first = group % groups_ * channels_;
                     normalize(data + group * count, scale + first, bias + first, result + group * count);
                   }
                 });
  }

 private:
  void normalize(const float* x, const float* scale, const float* bias, float* y) const {
    const size_t count = channels_ * spatial_;
    const kernels::Moments moments = kernels::moments(x, count);
    const double mean = static_cast<double>(moments.mean);
    const double deviation = std::sqrt(static_cast<double>(moments.variance) + epsilon_);
    for (size_t c = 0; c < channels_; ++c) {
      const double factor = static_cast<double>(scale[c]) / deviation;
      const double shift = static_cast<double>(bias[c]) - mean * factor;
      kernels::apply_unary({kernels::Unary::kAffine, static_cast<float>(factor), static_cast<float>(shift)},
                           x + c * spatial_, y + c * spatial_, spatial_);
    }
  }

  size_t batch_, groups_;
  size_t channels_;  // per group
  size_t spatial_;
  double epsilon_;
};

class GroupNormalization final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("num_groups");
    visitor.on("num_groups", num_groups_);
    visitor.on("epsilon", epsilon_);
    if (num_groups_ < 1)
      fail(ErrorCode::kInvalidModel, "attribute 'num_groups' is ", num_groups_, ", expected 1 or more");
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    expect_rank(context, 0, 2, static_cast<size_t>(-1), "data");
    PartialShape shape = context.input_shape(0);
    Dimension channels = shape.has_rank() ? shape[1] : Dimension();
    const std::string_view names[] = {"data", "scale", "bias"};
    for (size_t i = 1; i < 3; ++i) {
      expect_rank(context, i, 1, 1, names[i]);
      channels = expect_size(context, i, names[i], 0, channels, "axis 1 of data");
    }
    if (channels.is_static() && channels.size() % num_groups_ != 0) {
      throw Error(ErrorCode::kInvalidShape,
                  cat("data ", shape, " has ", channels, " channels, expected a multiple of num_groups, ",
                      num_groups_))
          .port("input 0")
          .actual(to_string(channels));
    }
    if (shape.has_rank()) shape[1] = channels;
    context.set_output(0, context.input_type(0), shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context,
                          [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
                            return std::make_unique<GroupNormKernel>(
                                inner.input_shape(0), static_cast<size_t>(num_groups_), epsilon_);
                          },
                          {.as_f32 = 6});
  }

  bool can_overwrite(const CompileContext&, size_t input, size_t) const override { return input == 0; }

 private:
  int64_t num_groups_ = 0;
  double epsilon_ = 0;
};

}  // namespace wasmvino::ops::group_normalization

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(group_normalization) {
  registry.add<group_normalization::GroupNormalization>(
      {"GroupNormalization",
       {12},
       "normalization/group-normalization-12",
       {{"data", kFloats}, {"scale", kNumbers}, {"bias", kNumbers}}});
}
}  // namespace wasmvino::ops
