// SPDX-License-Identifier: Apache-2.0
// DeformableConvolution: a convolution whose taps are displaced from their positions in the window by
// offsets, which are an input.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/deformable-convolution-8.html
#include <algorithm>
#include <cmath>

#include "core/work.h"
#include "kernels/blend.h"
#include "kernels/conv.h"
#include "model/registry.h"
#include "ops/convolution/channels_last.h"
#include "ops/convolution/convolution_problem.h"
#include "ops/convolution/filter_recipes.h"
#include "ops/convolution/quantised_filters.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::deformable_convolution {

using kernels::Conv;
using kernels::Range;

// Output pixels whose windows are sampled before they are multiplied.
constexpr size_t kBlockPixels = 24;

struct Problem {
  Conv conv;
  size_t offset_groups = 1;
  bool interpolates_pads = false;
  size_t taps() const { return conv.kernel.product(); }
};

// Samples windows into rows [group][tap][channel] and multiplies them by the weights.
class Computation final : public ComputationByPixels {
 public:
  explicit Computation(const Problem& problem) : p_(problem) {}

  // Sets the tensors for the next run: offsets [N, offset_groups * taps * 2, H, W], and mask [N,
  // offset_groups * taps, H, W] or nullptr.
  void bind(const float* offsets, const float* mask) {
    offsets_ = offsets;
    mask_ = mask;
  }

  size_t step(const Conv&) const override { return kBlockPixels; }
  // Memory for the rows and for the weight blocks that are dequantised for them.
  CheckedSize scratch_bytes(const Conv& c) const override {
    return (CheckedSize(kBlockPixels) * row_size(c) + kernels::block_scratch_size(kBlockPixels)) *
           sizeof(float);
  }

  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void* scratch, Range units, Range) const override {
    float* rows = static_cast<float*>(scratch);
    const size_t depth = p_.taps() * c.in_channels;
    for (size_t first = units.begin; first < units.end; first += kBlockPixels) {
      const size_t count = std::min(kBlockPixels, units.end - first);
      for (size_t i = 0; i < count; ++i) sample(c, x, first + i, rows + i * row_size(c));
      kernels::Gemm gemm{count, c.out_channels, depth,        nullptr, row_size(c),
                         1,     nullptr,        c.out_stride, epilogue};
      for (size_t g = 0; g < c.groups; ++g) {
        gemm.a = rows + g * depth;
        gemm.c = y + (first - c.out_first) * c.out_stride + g * c.out_channels;
        const Range all_rows = {0, count}, all_columns = {0, c.out_channels};
        if (packed.quantised != nullptr) {
          kernels::gemm(gemm, packed.quantised[g], rows + kBlockPixels * row_size(c), all_rows, all_columns);
        } else {
          const float* matrix = packed.f32 + g * kernels::packed_b_size(depth, c.out_channels);
          kernels::gemm(gemm, matrix, all_rows, all_columns);
        }
      }
    }
  }

 private:
  size_t row_size(const Conv& c) const { return c.groups * p_.taps() * c.in_channels; }

  void sample(const Conv& c, const float* x, size_t pixel, float* row) const {
    const size_t plane = c.out.product(), n = pixel / plane, at = pixel % plane, taps = p_.taps();
    const size_t channels = c.groups * c.in_channels, of_offsets = channels / p_.offset_groups;
    const ptrdiff_t y0 =
        static_cast<ptrdiff_t>(at / c.out[2] * c.stride[1]) - static_cast<ptrdiff_t>(c.pads[1]);
    const ptrdiff_t x0 =
        static_cast<ptrdiff_t>(at % c.out[2] * c.stride[2]) - static_cast<ptrdiff_t>(c.pads[2]);
    const float* picture = x + n * c.in.product() * c.in_stride;
    count_work(taps * (channels + p_.offset_groups));
    for (size_t d = 0; d < p_.offset_groups; ++d) {
      for (size_t tap = 0; tap < taps; ++tap) {
        const size_t place = (n * p_.offset_groups + d) * taps + tap;
        const float* offset = offsets_ + 2 * place * plane + at;
        const ptrdiff_t down = static_cast<ptrdiff_t>(tap / c.kernel[2] * c.dilation[1]);
        const ptrdiff_t right = static_cast<ptrdiff_t>(tap % c.kernel[2] * c.dilation[2]);
        const float weight = mask_ == nullptr ? 1.0f : mask_[place * plane + at];
        kernels::Corners corners;
        const bool inside = find(c, picture, static_cast<float>(y0 + down) + offset[0],
                                 static_cast<float>(x0 + right) + offset[plane], weight, corners);
        // The channels of these offsets, divided where a group of the convolution ends.
        for (size_t channel = d * of_offsets; channel < (d + 1) * of_offsets;) {
          const size_t group = channel / c.in_channels;
          const size_t count = std::min((d + 1) * of_offsets, (group + 1) * c.in_channels) - channel;
          float* to = row + (group * taps + tap) * c.in_channels + channel % c.in_channels;
          if (inside) {
            kernels::Corners here = corners;
            for (const float*& corner : here.rows) corner += channel;
            kernels::blend(here, to, count);
          } else {
            std::fill_n(to, count, 0.0f);
          }
          channel += count;
        }
      }
    }
  }

  // Finds the four pixels around (y, x) and their weights. Returns false if the position counts as outside.
  bool find(const Conv& c, const float* picture, float y, float x, float weight,
            kernels::Corners& corners) const {
    const float height = static_cast<float>(c.in[1]), width = static_cast<float>(c.in[2]);
    const float least = p_.interpolates_pads ? -1.0f : 0.0f;
    const bool after = p_.interpolates_pads ? y > least && x > least : y >= least && x >= least;
    if (!after || !(y < height) || !(x < width)) return false;
    const float top = std::floor(y), left = std::floor(x);
    const float dy = y - top, dx = x - left;
    const float wy[2] = {1 - dy, dy}, wx[2] = {1 - dx, dx};
    for (size_t i = 0; i < 4; ++i) {
      ptrdiff_t row = static_cast<ptrdiff_t>(top) + static_cast<ptrdiff_t>(i / 2);
      ptrdiff_t column = static_cast<ptrdiff_t>(left) + static_cast<ptrdiff_t>(i % 2);
      const ptrdiff_t last_row = static_cast<ptrdiff_t>(c.in[1]) - 1,
                      last_column = static_cast<ptrdiff_t>(c.in[2]) - 1;
      corners.weights[i] = wy[i / 2] * wx[i % 2] * weight;
      if (p_.interpolates_pads && (row < 0 || column < 0 || row > last_row || column > last_column)) {
        corners.weights[i] = 0;
      }
      row = std::clamp<ptrdiff_t>(row, 0, last_row);
      column = std::clamp<ptrdiff_t>(column, 0, last_column);
      corners.rows[i] =
          picture + static_cast<size_t>(row * static_cast<ptrdiff_t>(c.in[2]) + column) * c.in_stride;
    }
    return true;
  }

  Problem p_;
  const float* offsets_ = nullptr;
  const float* mask_ = nullptr;
};

class F32Kernel final : public Kernel {
 public:
  F32Kernel(CompileContext& context, const ConvolutionProblem& convolution, const Problem& problem)
      : how_(problem),
        runner_(context, problem.conv, Layout::kChannelsFirst, Layout::kChannelsFirst, how_,
                saturating_product(problem.conv.out_pixels(), problem.conv.groups, problem.conv.out_channels,
                                   problem.taps())),
        weights_(convolution.weights),
        conv_(problem.conv),
        packed_offset_(runner_.scratch_bytes().value()) {
    if (const QuantisedConstant* filters = quantised_input(context, 2)) {
      quantised_ = context.shared<QuantisedMatrices>(2, cat("quantised ", conv_.groups), [&] {
        return filters->pack(filter_recipe(*filters, conv_, weights_, false));
      });
      context.consume(2);
      context.request_scratch(CheckedSize(packed_offset_));
    } else if (const TensorView* filters = context.constant(2)) {
      const std::string key = cat(context.node().type, " ", conv_.groups);
      packed_ = context.shared<Tensor>(2, key, [&] {
        const Shape size = {static_cast<int64_t>(kernels::packed_conv_size(conv_))};
        auto packed = std::make_shared<Tensor>(ElementType::kF32, size);
        pack(filters->data<float>(), packed->mutable_data<float>());
        return packed;
      });
      context.consume(2);
      context.request_scratch(CheckedSize(packed_offset_));
    } else {
      context.request_scratch(packed_offset_ + CheckedSize(kernels::packed_conv_size(conv_)) * sizeof(float));
    }
  }

  void run(EvalContext& context) override {
    char* scratch = static_cast<char*>(context.scratch());
    kernels::PackedConv packed;
    if (quantised_ != nullptr) {
      packed = quantised_->matrices();
    } else if (packed_ != nullptr) {
      packed = packed_->data<float>();
    } else {
      float* to = reinterpret_cast<float*>(scratch + packed_offset_);
      pack(context.input(2).data<float>(), to);
      packed = to;
    }
    how_.bind(context.input(1).data<float>(),
              context.input_count() > 3 ? context.input(3).data<float>() : nullptr);
    runner_.run(context, packed, {}, scratch);
  }

 private:
  void pack(const float* filters, float* packed) const {
    kernels::ConvWeights weights = weights_;
    weights.data = filters;
    kernels::pack_conv(conv_, weights, packed);
  }

  Computation how_;
  ChannelsLastRunner runner_;
  kernels::ConvWeights weights_;
  Conv conv_;
  std::shared_ptr<const Tensor> packed_;
  std::shared_ptr<const QuantisedMatrices> quantised_;
  size_t packed_offset_;  // in the scratch memory, for filters known only during the run
};

void expect_axis(const PartialShape& shape, std::string_view what, size_t axis, Dimension wanted) {
  if (shape[axis].compatible(wanted)) return;
  throw Error(ErrorCode::kInvalidShape,
              cat("axis ", axis, " of ", what, " ", shape, " is ", shape[axis], ", expected ", wanted))
      .expected(to_string(wanted))
      .actual(to_string(shape[axis]))
      .port(cat(what));
}

class DeformableConvolution final : public Op {
 public:
  explicit DeformableConvolution(int since) : since_(since) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    attributes_.visit(visitor, true);
    visitor.on("group", groups_);
    visitor.on("deformable_group", offset_groups_);
    if (since_ >= 8) visitor.on("bilinear_interpolation_pad", interpolates_pads_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3, since_ >= 8 ? 4 : 3);
    const ElementType type = context.common_type(0, 2);
    constexpr std::string_view kNames[] = {"data", "offsets", "filters", "mask"};
    for (size_t i = 0; i < context.input_count(); ++i) expect_rank(context, i, 4, 4, kNames[i]);
    expect_positive("group", groups_);
    expect_positive("deformable_group", offset_groups_);
    attributes_.expect_axes(2);

    const PartialShape& data = context.input_shape(0);
    const PartialShape& offsets = context.input_shape(1);
    const PartialShape& filters = context.input_shape(2);
    PartialShape output = PartialShape::of_rank(4);
    if (filters.has_rank()) {
      expect_multiple("filters", filters, 0, "group", groups_);
      output[1] = filters[0];
    }
    if (data.has_rank()) {
      output[0] = data[0];
      expect_multiple("data", data, 1, "group", groups_);
      expect_multiple("data", data, 1, "deformable_group", offset_groups_);
      if (filters.has_rank()) expect_axis(data, "data", 1, filters[1] * Dimension(groups_));
    }
    if (data.has_rank() && filters.has_rank()) {
      for (size_t i = 0; i < 2; ++i)
        output[2 + i] = window_count(attributes_, i, data[2 + i], filters[2 + i]);
    }
    const Dimension taps =
        filters.has_rank() ? filters[2] * filters[3] * Dimension(offset_groups_) : Dimension();
    narrow(offsets, "offsets", taps * Dimension(2), output);
    if (context.input_count() > 3) narrow(context.input_shape(3), "mask", taps, output);
    context.set_output(0, type, output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(
        context,
        [this](CompileContext& inner) -> std::unique_ptr<Kernel> {
          const Shape filters = inner.input_shape(2);
          ConvolutionProblem convolution = make_convolution(inner.input_shape(0), filters,
                                                            inner.output_shape(0), {{}, attributes_, {}}, {});
          Conv& c = convolution.conv;
          c.groups = static_cast<size_t>(groups_);
          c.out_channels /= c.groups;
          c.in_stride = c.groups * c.in_channels;
          c.out_stride = c.groups * c.out_channels;
          convolution.weights.group_stride = c.out_channels * c.in_channels * c.kernel.product();
          const Problem problem = {c, static_cast<size_t>(offset_groups_), interpolates_pads_};
          return std::make_unique<F32Kernel>(inner, convolution, problem);
        },
        {.as_f32 = 15});
  }

  InputRange quantised_inputs(const Node&) const override { return {2, 3}; }

 private:
  static void expect_positive(std::string_view name, int64_t value) {
    if (value >= 1) return;
    throw Error(ErrorCode::kInvalidValue, cat(name, " is ", value, ", expected 1 or more"))
        .expected("1 or more")
        .actual(cat(value));
  }

  static void expect_multiple(std::string_view what, const PartialShape& shape, size_t axis,
                              std::string_view name, int64_t groups) {
    if (!shape[axis].is_static() || shape[axis].size() % groups == 0) return;
    throw Error(ErrorCode::kInvalidShape,
                cat("axis ", axis, " of ", what, " ", shape, " is not a multiple of ", name, " ", groups))
        .expected(cat("a multiple of ", groups))
        .actual(to_string(shape[axis]))
        .port(cat(what));
  }

  // Checks a tensor [N, channels, H, W] with values for every output pixel. Its sizes replace dynamic
  // dimensions of the output.
  static void narrow(const PartialShape& shape, std::string_view what, Dimension channels,
                     PartialShape& output) {
    if (!shape.has_rank()) return;
    expect_axis(shape, what, 1, channels);
    for (const size_t axis : {0, 2, 3}) {
      expect_axis(shape, what, axis, output[axis]);
      output[axis] = *output[axis].merge(shape[axis]);
    }
  }

  int since_;
  WindowAttributes attributes_;
  int64_t groups_ = 1, offset_groups_ = 1;
  bool interpolates_pads_ = false;
};

}  // namespace wasmvino::ops::deformable_convolution

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(deformable_convolution) {
  registry.add<deformable_convolution::DeformableConvolution>(
      {"DeformableConvolution",
       {1, 8},
       "convolution/deformable-convolution-8",
       {{"data", kNumbers}, {"offsets", kNumbers, 0}, {"filters", kNumbers, 0}, {"mask", kNumbers}}});
}
}  // namespace wasmvino::ops
