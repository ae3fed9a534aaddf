// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/batch_norm_inference.h"

#include <cmath>

#include "kernels/unary.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::batch_norm_inference {

constexpr size_t kGrain = size_t{1} << 15;

constexpr std::string_view kNames1[] = {"gamma", "beta", "data", "mean", "variance"};
constexpr std::string_view kNames5[] = {"data", "gamma", "beta", "mean", "variance"};

class BatchNormKernel final : public Kernel {
 public:
  BatchNormKernel(const Inputs& inputs, const Shape& shape, double epsilon)
      : inputs_(inputs),
        batch_(static_cast<size_t>(shape[0])),
        channels_(static_cast<size_t>(shape[1])),
        spatial_(product(shape, 2, shape.size())),
        epsilon_(epsilon) {}

  CheckedSize scratch_bytes() const { return CheckedSize(channels_) * (2 * sizeof(float)); }

  void run(EvalContext& context) override {
    // y = x scale + shift
    float* const scale = static_cast<float*>(context.scratch());
    float* const shift = scale + channels_;
    for (size_t c = 0; c < channels_; ++c) {
      const auto value = [&](size_t input) {
        return static_cast<double>(context.input(input).data<float>()[c]);
      };
      const double factor = value(inputs_.gamma) / std::sqrt(value(inputs_.variance) + epsilon_);
      scale[c] = static_cast<float>(factor);
      shift[c] = static_cast<float>(value(inputs_.beta) - value(inputs_.mean) * factor);
    }
    const float* x = context.input(inputs_.data).data<float>();
    float* y = context.output(0).mutable_data<float>();
    if (spatial_ == 1) {
      parallel_for(context.parallel(), batch_, kGrain / channels_, [&](size_t begin, size_t end) {
        for (size_t row = begin; row < end; ++row) {
          for (size_t c = 0; c < channels_; ++c) {
            y[row * channels_ + c] = x[row * channels_ + c] * scale[c] + shift[c];
          }
        }
      });
      return;
    }
    parallel_for(context.parallel(), batch_ * channels_, kGrain / std::max<size_t>(1, spatial_),
                 [&](size_t begin, size_t end) {
                   for (size_t plane = begin; plane < end; ++plane) {
                     const size_t c = plane % channels_;
                     kernels::apply_unary({kernels::Unary::kAffine, scale[c], shift[c]}, x + plane * spatial_,
                                          y + plane * spatial_, spatial_);
                   }
                 });
  }

 private:
  Inputs inputs_;
  size_t batch_, channels_, spatial_;
  double epsilon_;
};

BatchNormInference::BatchNormInference(int version)
    : inputs_(version >= 5 ? Inputs{1, 2, 0, 3, 4} : Inputs{0, 1, 2, 3, 4}),
      names_(version >= 5 ? kNames5 : kNames1) {}

void BatchNormInference::visit_attributes(AttributeVisitor& visitor) {
  visitor.on("epsilon", attributes_.epsilon);
  if (attributes_.epsilon < 0)
    fail(ErrorCode::kInvalidModel, "attribute 'epsilon' is ", attributes_.epsilon, ", expected 0 or more");
}

void BatchNormInference::infer(InferContext& context) const {
  context.expect_inputs(5);
  const size_t data = inputs_.data;
  expect_rank(context, data, 2, static_cast<size_t>(-1), "data");
  PartialShape shape = context.input_shape(data);
  Dimension channels = shape.has_rank() ? shape[1] : Dimension();
  ElementType type = context.input_type(data);
  for (size_t i = 0; i < 5; ++i) {
    if (i == data) continue;
    if (type == ElementType::kDynamic) type = context.input_type(i);
    expect_rank(context, i, 1, 1, names_[i]);
    channels = expect_size(context, i, names_[i], 0, channels, "axis 1 of data");
  }
  if (shape.has_rank()) shape[1] = channels;
  context.set_output(0, type, shape);
}

std::unique_ptr<Kernel> BatchNormInference::compile(CompileContext& context) const {
  return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
    auto kernel =
        std::make_unique<BatchNormKernel>(inputs_, inner.input_shape(inputs_.data), attributes_.epsilon);
    inner.request_scratch(kernel->scratch_bytes());
    return kernel;
  });
}

bool BatchNormInference::can_overwrite(const CompileContext&, size_t input, size_t) const {
  return input == inputs_.data;
}

}  // namespace wasmvino::ops::batch_norm_inference

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(batch_norm_inference) {
  registry.add<batch_norm_inference::BatchNormInference>({"BatchNormInference",
                                                          {1},
                                                          "normalization/batch-norm-inference-1",
                                                          {{"gamma", kFloats},
                                                           {"beta", kFloats, 0},
                                                           {"data", kFloats, 0},
                                                           {"mean", kFloats, 0},
                                                           {"variance", kFloats, 0}},
                                                          4});
  registry.add<batch_norm_inference::BatchNormInference>({"BatchNormInference",
                                                          {5},
                                                          "normalization/batch-norm-inference-5",
                                                          {{"data", kFloats},
                                                           {"gamma", kFloats, 0},
                                                           {"beta", kFloats, 0},
                                                           {"mean", kFloats, 0},
                                                           {"variance", kFloats, 0}}});
}
}  // namespace wasmvino::ops
