// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_mean.h"

#include <algorithm>
#include <cmath>

#include "kernels/integer_mean.h"
#include "ops/inputs/axes.h"
#include "ops/internal/channel_units.h"
#include "ops/internal/channels_last_pooling.h"
#include "ops/internal/integer_max_pool.h"
#include "ops/pooling/pooling_problem.h"
#include "ops/quantised_data/requantization.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::ops {
namespace {

// One window per index of the axes before the reduced ones. All axes after them are channels.
PoolProblem make_mean(const Shape& data, const AxisRange& axes) {
  PoolProblem problem;
  problem.kind = Pooling::kAverage;
  kernels::Conv& c = problem.conv;
  c.batch = product(data, 0, axes.begin);
  c.in[2] = c.kernel[2] = product(data, axes.begin, axes.end);
  c.groups = c.in_stride = c.out_stride = product(data, axes.end, data.size());
  return problem;
}

class MeanKernel final : public Kernel {
 public:
  MeanKernel(const PoolProblem& problem, const Quantization& data, const SharedQuantization& output)
      : kind_(problem.kind), conv_(problem.conv), is_u8_(output != nullptr) {
    const size_t channels = conv_.groups;
    const size_t padded = CheckedSize(channels).rounded_up(kernels::kMeanChannels).value();
    zero_.resize(padded);
    scale_.resize(padded);
    bias_.resize(padded);
    const size_t data_channels = data.scale.size(), output_channels = is_u8_ ? output->channels() : 1;
    for (size_t c = 0; c < channels; ++c) {
      const size_t in = c % data_channels, out = c % output_channels;
      zero_[c] = static_cast<int32_t>(std::lround(data.zero_of(in)));
      const double inverse = is_u8_ ? output->inverse_of(out) : 1, scale = data.scale_of(in) * inverse;
      // Corrects for the rounding of the data's zero point.
      const double correction = (zero_[c] - static_cast<double>(data.zero_of(in))) * scale;
      scale_[c] = static_cast<float>(scale);
      bias_[c] = static_cast<float>(correction + (is_u8_ ? output->shift_of(out) : 0));
    }
    bounds_ = *requantized_bounds({}, output.get());
  }

  void run(EvalContext& context) override {
    const uint8_t* x = context.input(0).data<uint8_t>();
    kernels::Output y = {nullptr, nullptr, conv_.out_stride};
    if (is_u8_) {
      y.u8 = context.output(0).mutable_data<uint8_t>();
    } else {
      y.f32 = context.output(0).mutable_data<float>();
    }
    const kernels::MeanSteps steps = {zero_.data(), scale_.data(), bias_.data(), bounds_};
    for_each_unit(context.parallel(), conv_.out_pixels(), conv_.groups, conv_.kernel.product(),
                  [&](size_t pixel, kernels::Range channels) {
                    kernels::mean_pool(kind_, conv_, steps, x, y, {pixel, pixel + 1}, channels);
                  });
  }

  std::string method() const override { return "sums of u8"; }

 private:
  Pooling kind_;
  kernels::Conv conv_;
  bool is_u8_;
  std::vector<int32_t> zero_;
  std::vector<float> scale_, bias_;
  kernels::Bounds bounds_;
};

}  // namespace

bool IntegerMean::takes(const Node& node) {
  if (const auto* pool = op_cast<ChannelsLastPooling>(node.op.get())) {
    if (pool->kind() == Pooling::kMaximum || !IntegerMaxPool::takes(pool->attributes())) return false;
    if (pool->edge_layouts()->in != Layout::kChannelsLast ||
        pool->edge_layouts()->out != Layout::kChannelsLast)
      return false;
    size_t taps = 1;
    for (const int64_t size : pool->attributes().kernel)
      taps = saturating_product(taps, static_cast<size_t>(size));
    return taps <= kernels::kMostMeanTaps;
  }
  const auto* reduction = op_cast<ReduceOp>(node.op.get());
  const PartialShape& data = reduction != nullptr ? shape_of(node.inputs[0]) : PartialShape();
  if (reduction == nullptr || reduction->reduction() != Reduction::kMean || !data.has_rank()) return false;
  const std::optional<Ints> axes = constant_ints(node.inputs[1]);
  const auto range = axes ? adjacent_axes(*axes, data.rank()) : std::nullopt;
  if (!range || range->end == data.rank()) return false;
  size_t taps = 1;
  for (size_t axis = range->begin; axis < range->end; ++axis) {
    if (!data[axis].is_static()) return false;
    taps = saturating_product(taps, static_cast<size_t>(data[axis].size()));
  }
  return taps > 0 && taps <= kernels::kMostMeanTaps;
}

void IntegerMean::infer(InferContext& context) const {
  std::vector<const ValueInfo*> inputs;
  for (size_t i = 0; i < context.input_count(); ++i) inputs.push_back(&context.input(i));
  ValueInfo mean;
  InferContext of_mean(context.node(), inputs, {&mean, 1});
  parts_.mean->infer(of_mean);
  set_result(context, mean.shape, parts_.output);
}

std::unique_ptr<Kernel> IntegerMean::compile(CompileContext& context) const {
  const Shape data = context.input_shape(0);
  PoolProblem problem;
  if (const auto* pool = op_cast<ChannelsLastPooling>(parts_.mean.get())) {
    problem = make_pooling(pool->kind(), data, context.output_shape(0), pool->attributes(),
                           Layout::kChannelsLast, Layout::kChannelsLast);
  } else {
    problem = make_mean(data, *adjacent_axes(*context.constant_ints(1), data.size()));
    context.consume(1);
  }
  return std::make_unique<MeanKernel>(problem, *context.input(0).quantization, parts_.output);
}

}  // namespace wasmvino::ops
