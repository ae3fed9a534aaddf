// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_mvn.h"

#include <algorithm>
#include <cmath>

#include "core/work.h"
#include "kernels/integer_elementwise.h"
#include "kernels/integer_mean.h"
#include "ops/inputs/axes.h"
#include "ops/internal/channel_units.h"
#include "ops/normalization/mvn.h"
#include "ops/quantised_data/requantization.h"

namespace wasmvino::ops {
namespace {

// Elements of a row that are rescaled together.
constexpr size_t kBlock = 256;
// Rows of 16 bytes whose moments are added together: they stay in L1, and their sums are below 2^31.
constexpr size_t kRows = 256;

class IntegerMvnKernel final : public Kernel {
 public:
  IntegerMvnKernel(const IntegerMvn::Parts& parts, const Shape& shape, SharedQuantization data)
      : parts_(parts), data_(std::move(data)) {
    const size_t end = shape.size() - (parts.to_last ? 0 : 1);
    outer_ = product(shape, 0, parts.begin);
    count_ = product(shape, parts.begin, end);
    channels_ = product(shape, end, shape.size());
    bounds_ = *requantized_bounds({}, parts.output.get());
    const Quantization* const output = parts.output.get();
    const bool varies =
        !parts.to_last && (parts.gamma || parts.beta || (output != nullptr && output->from_channels()));
    for (size_t c = 0; c < (varies ? channels_ : 1); ++c) {
      const float inverse = output != nullptr ? output->inverse_of(c) : 1;
      factor_.push_back((parts.gamma ? (*parts.gamma)[c] : 1) * inverse);
      addend_.push_back((parts.beta ? (*parts.beta)[c] * inverse : 0) +
                        (output != nullptr ? output->shift_of(c) : 0));
    }
  }

  void run(EvalContext& context) override {
    for_each_unit(context.parallel(), outer_, channels_, count_, [&](size_t i, kernels::Range channels) {
      compute(context, i * count_ * channels_, channels.begin, channels.size());
    });
  }

  std::string method() const override { return "sums of u8"; }

 private:
  // A level q of a group is (q - center) * scale.
  struct Group {
    float center, scale;
  };

  Group group_of(int64_t sum, int64_t squares, size_t channel) const {
    const auto n = static_cast<double>(count_), s = static_cast<double>(sum);
    const double unit = data_->scale_of(channel);
    const double center = s / n;
    const double differences = static_cast<double>(squares) - center * (2 * s - n * center);
    double scale = unit;
    if (parts_.normalize_variance) {
      const double variance = std::max(0.0, differences) * unit * unit / n;
      scale /= parts_.eps_outside_root ? std::sqrt(variance) + parts_.eps : std::sqrt(variance + parts_.eps);
    }
    // If levels differ at all, the sum of the squares is at least 1/2. If not, the result is 0.
    if (differences < 0.25) scale = 0;
    return {static_cast<float>(center), static_cast<float>(scale)};
  }

  // Computes the group that begins at element `first`, or `width` groups of channels.
  void compute(EvalContext& context, size_t first, size_t channel, size_t width) const {
    const uint8_t* const x = context.input(0).data<uint8_t>() + first;
    const bool row = parts_.to_last;
    const size_t stride = row ? kernels::kMeanChannels : channels_;
    const size_t rows = row ? (count_ + stride - 1) / stride : count_;
    int64_t sums[kUnitChannels] = {}, squares[kUnitChannels] = {};
    for (size_t r = 0; r < rows; r += kRows) {
      count_work(kRows * width);
      for (size_t c = 0; c < width; c += kernels::kMeanChannels) {
        kernels::add_moments(x + r * stride + channel + c, stride, std::min(kRows, rows - r),
                             x + count_ * channels_, sums + c, squares + c);
      }
    }
    float scale[kBlock], offset[kBlock];
    if (!row) {
      for (size_t c = 0; c < width; ++c) {
        const size_t column = channel + c;
        set_linear(group_of(sums[c], squares[c], column), column % factor_.size(), scale[c], offset[c]);
      }
      for (size_t i = 0; i < count_; ++i) {
        rescale(context, first + i * channels_ + channel, scale, offset, width);
        count_work(width);
      }
      return;
    }
    for (size_t i = 1; i < kernels::kMeanChannels; ++i) {
      sums[0] += sums[i];
      squares[0] += squares[i];
    }
    const size_t block = std::min(kBlock, count_);
    set_linear(group_of(sums[0], squares[0], 0), 0, scale[0], offset[0]);
    std::fill_n(scale, block, scale[0]);
    std::fill_n(offset, block, offset[0]);
    for (size_t i = 0; i < count_; i += block) {
      rescale(context, first + i, scale, offset, std::min(block, count_ - i));
      count_work(block);
    }
  }

  // Each level of a group becomes level * scale + offset.
  void set_linear(const Group& group, size_t column, float& scale, float& offset) const {
    scale = group.scale * factor_[column];
    offset = addend_[column] - group.center * scale;
  }

  void rescale(EvalContext& context, size_t at, const float* scale, const float* offset, size_t n) const {
    const uint8_t* const x = context.input(0).data<uint8_t>() + at;
    if (parts_.output) {
      kernels::rescale(x, scale, offset, bounds_, context.output(0).mutable_data<uint8_t>() + at, n);
    } else {
      kernels::rescale(x, scale, offset, bounds_, context.output(0).mutable_data<float>() + at, n);
    }
  }

  IntegerMvn::Parts parts_;
  SharedQuantization data_;
  size_t outer_, count_, channels_;
  kernels::Bounds bounds_;
  std::vector<float> factor_, addend_;  // by column of the last axis, or one for all
};

}  // namespace

std::optional<IntegerMvn::Parts> IntegerMvn::parts_of(const Node& node) {
  const auto* mvn = op_cast<mvn::MVN>(node.op.get());
  if (mvn == nullptr || !shape_of(node.inputs[0]).has_rank()) return std::nullopt;
  const size_t rank = shape_of(node.inputs[0]).rank();
  const std::optional<Ints> axes =
      node.version >= 6 ? constant_ints(node.inputs[1]) : std::optional(mvn->attribute_axes(rank));
  const auto range = axes ? adjacent_axes(*axes, rank) : std::nullopt;
  if (!range || range->end + 1 < rank) return std::nullopt;
  Parts parts;
  parts.begin = range->begin;
  parts.to_last = range->end == rank;
  parts.normalize_variance = mvn->attributes().normalize_variance;
  parts.eps_outside_root = mvn->attributes().eps_mode == mvn::EpsMode::kOutsideSqrt;
  parts.eps = mvn->attributes().eps;
  return parts;
}

void IntegerMvn::infer(InferContext& context) const {
  set_result(context, context.input_shape(0), parts_.output);
}

std::unique_ptr<Kernel> IntegerMvn::compile(CompileContext& context) const {
  return std::make_unique<IntegerMvnKernel>(parts_, context.input_shape(0), context.input(0).quantization);
}

}  // namespace wasmvino::ops
