// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_convolution.h"

#include <algorithm>
#include <cmath>

#include "kernels/integer_conv.h"
#include "ops/common/compressed_filters.h"
#include "ops/common/convolution_policy.h"
#include "ops/common/requantization.h"
#include "ops/internal/fused_convolution.h"

namespace wasmvino::ops {
namespace {

using kernels::Conv;
using kernels::IntegerDot;
using kernels::Range;

// Operations that a thread does in some 10 µs.
constexpr size_t kOperationGrain = size_t{1} << 19;
// Pixels for which a part is worth reading the filters.
constexpr size_t kLeastPixels = 128;
// Pixels of a unit of work: whole tiles of any form.
constexpr size_t kUnitPixels = 12;
constexpr size_t kAlignment = 64;

// Elements whose stored values are looked at together.
constexpr size_t kChunk = 1024;

// Filters without their zero points; nothing where one does not fit s8.
std::optional<std::vector<int8_t>> integers_of(const CompressedFilters& filters, const FilterForm& form) {
  const CompressedFilters::Parts& parts = filters.parts();
  const Tensor raw = parts.stored->value();
  const TensorView& stored = raw.view();
  const FilterChannels outputs(filters.shape(), form, false);
  const auto shift = static_cast<float>(shift_of(stored.type));
  std::vector<int8_t> integers(element_count(filters.shape()));
  const bool in_order = parts.places == StoredAxes{{static_cast<int64_t>(integers.size())}, {1}};
  float values[kChunk];
  for (size_t first = 0; first < integers.size(); first += kChunk) {
    const size_t count = std::min(kChunk, integers.size() - first);
    if (in_order) {
      load_stored(stored, first, count, values);
    } else {
      for (size_t i = 0; i < count; ++i) load_stored(stored, place_of(parts.places, first + i), 1, values + i);
    }
    for (size_t i = 0; i < count; ++i) {
      float value = values[i];
      if (!parts.zero_points.empty()) {
        value += shift - static_cast<float>(parts.zero_points[outputs.of(first + i)]);
      }
      if (value < -128 || value > 127) return std::nullopt;
      integers[first + i] = static_cast<int8_t>(value);
    }
  }
  return integers;
}

// Whether types and zero points alone tell that all fit.
bool surely_fits(const CompressedFilters::Parts& parts) {
  const ElementType type = parts.stored->type();
  if (bit_width(type) < 8) return true;
  if (parts.zero_points.empty()) return type == ElementType::kI8;
  return std::all_of(parts.zero_points.begin(), parts.zero_points.end(), [](uint8_t zero) { return zero == 128; });
}

bool is_depthwise_filter(const Shape& filters, const FilterForm& form) {
  return form.grouped && filters[0] > 1 && filters[1] == 1 && filters[2] == 1;
}

// Filters packed for one form of the inner product, and their sums.
struct PackedIntegers {
  Tensor values;
  std::vector<int32_t> sums;
};

class IntegerConvolutionKernel final : public Kernel {
 public:
  IntegerConvolutionKernel(CompileContext& context, const IntegerConvolution::Parts& parts)
      : parts_(parts), parallel_(context.parallel().threads()) {
    const ConvolutionProblem problem = make_convolution(context.input_shape(0), context.input_shape(1),
                                                        context.output_shape(0), parts.spec, parts.fusion);
    conv_ = {problem.conv, kernels::integer_dot(), 0};
    depthwise_ = is_depthwise(problem.conv);
    if (!depthwise_) conv_.pad = static_cast<uint8_t>(std::lround(parts.data.zero_of(0)));
    packed_ = context.shared<PackedIntegers>(
        1, cat("integers ", static_cast<int>(conv_.dot), depthwise_ ? " depthwise " : " ", problem.conv.groups),
        [&] { return pack(problem); });
    context.consume(1);
    make_epilogue(context);
    cut();
    context.request_scratch(CheckedSize(threads_) * thread_bytes());
  }

  void run(EvalContext& context) override {
    char* scratch = static_cast<char*>(context.scratch());
    parallel_for(context.parallel(), units_, grain_, [&](size_t begin, size_t end, size_t thread) {
      char* memory = scratch + thread * thread_bytes();
      if (by_channels_) {
        const size_t panel = kernels::kPanelColumns;
        compute(context, {0, conv_.conv.out_pixels()},
                {begin * panel, std::min(end * panel, conv_.conv.out_channels)}, memory);
      } else {
        compute(context, {begin * unit_, std::min(end * unit_, conv_.conv.out_pixels())},
                {0, conv_.conv.out_channels}, memory);
      }
    });
  }

 private:
  std::shared_ptr<PackedIntegers> pack(const ConvolutionProblem& problem) const {
    const auto integers = integers_of(*parts_.fusion.filters, parts_.spec.form);
    auto packed = std::make_shared<PackedIntegers>();
    const Conv& c = conv_.conv;
    const size_t bytes =
        depthwise_ ? kernels::integer_depthwise_weights_size(c) : kernels::integer_conv_weights_size(c);
    packed->values = Tensor(ElementType::kI8, {static_cast<int64_t>(bytes)});
    packed->sums.resize(depthwise_ ? padded_channels() : kernels::integer_conv_columns(c));
    auto* values = packed->values.mutable_data<int8_t>();
    if (depthwise_) {
      kernels::pack_integer_depthwise(conv_, integers->data(), problem.weights, values, packed->sums.data());
    } else {
      kernels::pack_integer_conv(conv_, integers->data(), problem.weights, values, packed->sums.data());
    }
    return packed;
  }

  size_t padded_channels() const {
    return (CheckedSize(conv_.conv.groups).rounded_up(kernels::kIntegerChannels)).value();
  }

  // Where output channel o stands in the epilogue's arrays.
  size_t place(size_t o) const {
    if (depthwise_) return o;
    const size_t columns = packed_->sums.size() / conv_.conv.groups;
    return o / conv_.conv.out_channels * columns + o % conv_.conv.out_channels;
  }

  // A function that is no clamp is applied to f32 rows, which are quantised then.
  void make_epilogue(CompileContext& context) {
    const ConvolutionFusion& fusion = parts_.fusion;
    const CompressedFilters::Parts& filters = fusion.filters->parts();
    const Quantization* output = parts_.output ? &*parts_.output : nullptr;
    const auto clamping = clamping_of(fusion.activation, output);
    two_steps_ = !clamping.has_value();
    if (two_steps_) output = nullptr;
    const Clamping bounds = clamping ? *clamping : *clamping_of({}, nullptr);
    low_ = bounds.low;
    high_ = bounds.high;
    const TensorView* bias = fusion.bias ? context.constant(fusion.bias_input()) : nullptr;
    const size_t channels = conv_.conv.groups * conv_.conv.out_channels, size = packed_->sums.size();
    start_.resize(size);
    scale_.resize(size);
    bias_.resize(size);
    residual_scale_.resize(fusion.residual ? size : 0);
    pads_.resize(depthwise_ ? channels : 0);
    const int32_t shift = conv_.dot == IntegerDot::kSigned ? 128 : 0;
    for (size_t o = 0; o < channels; ++o) {
      const size_t at = place(o);
      const auto zero = static_cast<int32_t>(std::lround(parts_.data.zero_of(o)));
      if (depthwise_) pads_[o] = static_cast<uint8_t>(zero);
      start_[at] = (shift - zero) * packed_->sums[at];
      double scale = parts_.data.scale_of(o);
      if (!filters.scales.empty()) scale *= filters.scales[o];
      if (!filters.input_scales.empty()) scale *= filters.input_scales[o];
      double added = bias != nullptr ? bias->data<float>()[o] : 0;
      // What rounding its zero point leaves out.
      added += (zero - static_cast<double>(parts_.data.zero_of(o))) * scale * packed_->sums[at];
      double residual = parts_.residual ? parts_.residual->scale[0] : 1;
      if (parts_.residual) added -= residual * parts_.residual->zero_point[0];
      if (output != nullptr) {
        const double inverse = output->inverse_of(o);
        scale *= inverse;
        residual *= inverse;
        added = added * inverse + output->shift_of(o);
      }
      scale_[at] = static_cast<float>(scale);
      bias_[at] = static_cast<float>(added);
      if (fusion.residual) residual_scale_[at] = static_cast<float>(residual);
    }
    if (bias != nullptr) context.consume(fusion.bias_input());
  }

  // Units of work: rows of pixels (depthwise), some pixels, or panels of channels where pixels are few.
  void cut() {
    const Conv& c = conv_.conv;
    const size_t panels = (c.out_channels + kernels::kPanelColumns - 1) / kernels::kPanelColumns;
    by_channels_ = !depthwise_ && c.groups == 1 && parallel_ > 1 && c.out_pixels() < 2 * kLeastPixels;
    unit_ = depthwise_ ? std::max<size_t>(1, c.out[2]) : kUnitPixels;
    units_ = by_channels_ ? panels : (c.out_pixels() + unit_ - 1) / unit_;
    const size_t operations =
        saturating_product(c.out_pixels(), c.groups * c.out_channels, c.in_channels, c.kernel.product());
    const size_t of_unit = operations / std::max<size_t>(1, units_) + 1;
    grain_ = std::max<size_t>(1, kOperationGrain / of_unit);
    if (!by_channels_ && !depthwise_) grain_ = std::max(grain_, kLeastPixels / kUnitPixels);
    threads_ = std::min(parallel_, std::max<size_t>(1, units_));
  }

  // Of f32 that becomes u8 in a second step: pixels, and bytes.
  size_t block_pixels() const { return depthwise_ ? conv_.conv.out[2] : kernels::integer_conv_block(conv_); }
  bool needs_block() const { return two_steps_ && parts_.output.has_value(); }
  size_t block_bytes() const {
    if (!needs_block()) return 0;
    return (CheckedSize(block_pixels()) * conv_.conv.out_stride * sizeof(float)).rounded_up(kAlignment).value();
  }
  size_t thread_bytes() const {
    const CheckedSize own = depthwise_ ? kernels::integer_depthwise_scratch_size(conv_.conv)
                                       : kernels::integer_conv_scratch_size(conv_);
    return (own.rounded_up(kAlignment) + block_bytes()).value();
  }

  void compute(EvalContext& context, Range pixels, Range channels, char* scratch) const {
    if (pixels.size() == 0 || channels.size() == 0) return;
    TensorView& y = context.output(0);
    const size_t stride = conv_.conv.out_stride;
    if (!two_steps_) {
      kernels::IntegerOutput out = {nullptr, nullptr, stride};
      if (parts_.output) {
        out.u8 = y.mutable_data<uint8_t>();
      } else {
        out.f32 = y.mutable_data<float>();
      }
      return convolve(context, conv_, out, pixels, channels, scratch);
    }
    const Range columns = depthwise_ || conv_.conv.groups > 1 ? Range{0, stride} : channels;
    for (size_t first = pixels.begin; first < pixels.end; first += block_pixels()) {
      const Range some = {first, std::min(first + block_pixels(), pixels.end)};
      kernels::IntegerConv part = conv_;
      kernels::IntegerOutput out = {nullptr, nullptr, stride};
      if (needs_block()) {
        out.f32 = reinterpret_cast<float*>(scratch + thread_bytes() - block_bytes());
        part.conv.out_first = first;
      } else {
        out.f32 = y.mutable_data<float>();
      }
      convolve(context, part, out, some, channels, scratch);
      for (size_t pixel = some.begin; pixel < some.end; ++pixel) {
        float* row = out.f32 + (pixel - part.conv.out_first) * stride;
        kernels::apply_unary(parts_.fusion.activation, row + columns.begin, row + columns.begin, columns.size());
        if (needs_block()) quantize(row, y.mutable_data<uint8_t>() + pixel * stride, columns);
      }
    }
  }

  void quantize(const float* row, uint8_t* to, const Range& columns) const {
    const Quantization& q = *parts_.output;
    const size_t first = columns.begin * q.step();
    kernels::quantize(row + columns.begin, {q.inverse.data() + first, q.step()}, {q.shift.data() + first, q.step()},
                      q.most, to + columns.begin, columns.size());
  }

  void convolve(EvalContext& context, const kernels::IntegerConv& part, const kernels::IntegerOutput& out,
                Range pixels, Range channels, char* scratch) const {
    kernels::IntegerEpilogue epilogue;
    epilogue.start = start_.data();
    epilogue.scale = scale_.data();
    epilogue.bias = bias_.data();
    epilogue.low = low_;
    epilogue.high = high_;
    if (parts_.fusion.residual) {
      const TensorView& residual = context.input(context.input_count() - 1);
      epilogue.residual_scale = residual_scale_.data();
      epilogue.residual_stride = conv_.conv.out_stride;
      if (parts_.residual) {
        epilogue.residual_u8 = residual.data<uint8_t>();
      } else {
        epilogue.residual_f32 = residual.data<float>();
      }
    }
    const uint8_t* x = context.input(0).data<uint8_t>();
    const auto* values = packed_->values.data<int8_t>();
    if (depthwise_) {
      const size_t width = conv_.conv.out[2];
      kernels::integer_depthwise(part, pads_.data(), x, values, epilogue, out, scratch,
                                 {pixels.begin / width, pixels.end / width});
    } else {
      kernels::integer_conv(part, x, values, epilogue, out, scratch, pixels, channels);
    }
  }

  IntegerConvolution::Parts parts_;
  size_t parallel_;
  kernels::IntegerConv conv_;
  bool depthwise_ = false, two_steps_ = false, by_channels_ = false;
  std::shared_ptr<const PackedIntegers> packed_;
  // The epilogue's arrays.
  std::vector<int32_t> start_;
  std::vector<float> scale_, bias_, residual_scale_;
  float low_ = 0, high_ = 0;
  std::vector<uint8_t> pads_;
  size_t unit_ = 1, units_ = 0, grain_ = 1, threads_ = 1;
};

}  // namespace

bool IntegerConvolution::takes(const ConvolutionSpec& spec, const CompressedFilters& filters, bool by_channel,
                               bool residual) {
  const CompressedFilters::Parts& parts = filters.parts();
  const Shape& shape = filters.shape();
  const bool depthwise = is_depthwise_filter(shape, spec.form);
  if (spec.form.transposed || is_real(parts.stored->type())) return false;
  if (depthwise ? residual : by_channel || !parts.input_scales.empty()) return false;
  const size_t size = element_count(shape);
  if (size == 0 || size / FilterChannels(shape, spec.form, false).count() > kernels::kMostIntegerDepth) return false;
  return surely_fits(parts) || integers_of(filters, spec.form).has_value();
}

void IntegerConvolution::infer(InferContext& context) const {
  context.expect_inputs(parts_.fusion.input_count());
  std::vector<const ValueInfo*> inputs;
  for (size_t i = 0; i < parts_.fusion.product().input_count(); ++i) inputs.push_back(&context.input(i));
  ValueInfo sum;
  InferContext of_sum(context.node(), inputs, {&sum, 1});
  FusedConvolution(parts_.spec, parts_.fusion.product()).infer(of_sum);
  context.set_output(0, parts_.output ? ElementType::kU8 : ElementType::kF32, sum.shape);
}

std::unique_ptr<Kernel> IntegerConvolution::compile(CompileContext& context) const {
  return std::make_unique<IntegerConvolutionKernel>(context, parts_);
}

}  // namespace wasmvino::ops
