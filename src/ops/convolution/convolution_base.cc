// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_base.h"

#include <algorithm>

#include "kernels/conv.h"
#include "ops/convolution/convolution_problem.h"
#include "ops/inputs/inputs.h"
#include "ops/internal/fused_convolution.h"

namespace wasmvino::ops {
namespace {

[[noreturn]] void refuse_channels(const PartialShape& data, const PartialShape& filters, Dimension got,
                                  Dimension wanted) {
  throw Error(ErrorCode::kInvalidShape,
              cat("data ", data, " has ", got, " channels, but filters ", filters, " expect ", wanted))
      .expected(cat(wanted, " channels"))
      .actual(cat(got, " channels"))
      .port("data");
}

// Positions in a shape with `axes` spatial axes.
size_t channel_axis(Layout layout, size_t axes) { return layout == Layout::kChannelsFirst ? 1 : axes + 1; }
size_t first_axis(Layout layout) { return layout == Layout::kChannelsFirst ? 2 : 1; }

// The number of spatial axes; 0 while neither shape has a rank.
size_t count_axes(const InferContext& context, const FilterForm& form) {
  const PartialShape& data = context.input_shape(0);
  const PartialShape& filters = context.input_shape(1);
  const size_t axes = data.has_rank() ? spatial_axes(data, "data") : 0;
  if (!filters.has_rank()) return axes;
  const size_t first = form.first_spatial();
  expect_rank(context, 1, first + 1, first + 3, "filters");
  const size_t wanted = filters.rank() - first;
  if (axes == 0 || axes == wanted) return wanted;
  throw Error(ErrorCode::kInvalidShape,
              cat("filters ", filters, " have ", wanted, " spatial axes, but data ", data, " has ", axes))
      .expected(cat(axes, " spatial axes"))
      .actual(cat(wanted, " spatial axes"))
      .port("filters");
}

// The output size of an axis of known size without padding.
int64_t full_size(const ConvolutionSpec& spec, size_t axis, int64_t in, int64_t kernel) {
  const int64_t added = spec.output_padding.empty() ? 0 : spec.output_padding[axis];
  return (in - 1) * spec.window.stride(axis) + spec.window.extent(axis, kernel) + added;
}

// Pads of a transposed convolution without an output shape: in this case, `same` does not pad.
Pads fixed_pads(const ConvolutionSpec& spec, size_t axis) {
  return spec.window.auto_pad == AutoPad::kExplicit ? spec.window.pads(axis, 0, 1) : Pads{};
}

Dimension transposed_size(const ConvolutionSpec& spec, size_t axis, Dimension in, Dimension kernel) {
  const Pads pads = fixed_pads(spec, axis);
  const auto size = [&](int64_t a, int64_t k) { return full_size(spec, axis, a, k) - pads.begin - pads.end; };
  if (in.is_static() && kernel.is_static()) {
    const int64_t out = size(in.size(), kernel.size());
    if (out >= 0) return out;
    throw Error(ErrorCode::kInvalidShape,
                cat("spatial axis ", axis, " of ", in, " elements and windows of ", kernel, " leaves ", out,
                    " elements after ", pads.begin, " + ", pads.end, " of padding"))
        .expected("0 or more elements")
        .actual(cat(out));
  }
  Dimension result(std::max<int64_t>(0, size(in.min, std::max<int64_t>(1, kernel.min))),
                   Dimension::kUnbounded);
  if (in.max != Dimension::kUnbounded && kernel.max != Dimension::kUnbounded) {
    result.max = std::max(result.min, size(in.max, kernel.max));
  }
  return result;
}

// The sizes that input 2 of a transposed convolution gives; nullopt while unknown.
std::optional<Ints> known_output_shape(InferContext& context, size_t axes) {
  std::optional<Ints> sizes = known_ints(context, 2, "output_shape");
  if (!sizes || axes == 0) return std::nullopt;
  expect_length(*sizes, axes, "output_shape");
  for (const int64_t size : *sizes) {
    if (size >= 0) continue;
    throw Error(ErrorCode::kInvalidValue,
                cat("output_shape is ", to_string(*sizes), ", expected sizes of 0 or more"))
        .expected("0 or more")
        .actual(to_string(*sizes))
        .port("output_shape");
  }
  return sizes;
}

void expect_bias(const InferContext& context, size_t i, Dimension channels) {
  const PartialShape wanted = {channels};
  if (context.input_shape(i).compatible(wanted)) return;
  throw Error(ErrorCode::kInvalidShape, cat("bias has shape ", context.input_shape(i), ", expected ", wanted))
      .expected(to_string(wanted))
      .actual(to_string(context.input_shape(i)))
      .port("bias");
}

}  // namespace

void ConvolutionSpec::visit(AttributeVisitor& visitor) {
  window.visit(visitor, true);
  if (form.transposed) visitor.on("output_padding", output_padding);
}

void infer_convolution(InferContext& context, const ConvolutionSpec& spec, const ConvolutionFusion& fusion) {
  const FilterForm& form = spec.form;
  const ElementType type = context.common_type(0, 1);
  const size_t axes = count_axes(context, form);
  const std::optional<Ints> sizes = fusion.output_shape ? known_output_shape(context, axes) : std::nullopt;
  if (axes == 0) return context.set_output(0, type, PartialShape());
  spec.window.expect_axes(axes);
  if (!spec.output_padding.empty()) expect_length(spec.output_padding, axes, "output_padding");

  const PartialShape& data = context.input_shape(0);
  const PartialShape& filters = context.input_shape(1);
  const size_t first_filter = form.first_spatial(), channels = channel_axis(fusion.out, axes);
  PartialShape output = PartialShape::of_rank(axes + 2);
  if (data.has_rank()) output[0] = data[0];
  if (filters.has_rank()) {
    const Dimension groups = form.grouped ? filters[0] : Dimension(1);
    const Dimension outer = groups * filters[first_filter - 2], inner = groups * filters[first_filter - 1];
    output[channels] = form.transposed ? inner : outer;
    const Dimension wanted = form.transposed ? outer : inner;
    if (data.has_rank()) {
      const Dimension got = data[channel_axis(fusion.in, axes)];
      if (!got.compatible(wanted)) refuse_channels(data, filters, got, wanted);
    }
  }
  for (size_t i = 0; i < axes; ++i) {
    const Dimension in = data.has_rank() ? data[first_axis(fusion.in) + i] : Dimension();
    const Dimension kernel = filters.has_rank() ? filters[first_filter + i] : Dimension();
    Dimension& out = output[first_axis(fusion.out) + i];
    if (!form.transposed) {
      out = window_count(spec.window, i, in, kernel);
    } else if (!fusion.output_shape) {
      out = transposed_size(spec, i, in, kernel);
    } else if (sizes) {
      out = (*sizes)[i];
    }
  }
  if (fusion.bias) expect_bias(context, fusion.bias_input(), output[channels]);
  context.set_output(0, type, output);
}

std::string text_of(const kernels::Extents& e) { return cat(e[0], ",", e[1], ",", e[2]); }

std::string filters_key(const ConvolutionProblem& problem) {
  const kernels::Conv& c = problem.conv;
  const kernels::ConvWeights& w = problem.weights;
  return cat(c.groups, "x", c.out_channels, "x", c.in_channels, " ", text_of(c.kernel), " strides ",
             w.group_stride, ",", w.out_stride, ",", w.in_stride, ",", w.tap_stride);
}

ConvolutionProblem make_convolution(const Shape& data, const Shape& filters, const Shape& output,
                                    const ConvolutionSpec& spec, const ConvolutionFusion& fusion) {
  ConvolutionProblem problem;
  const FilterForm& form = spec.form;
  problem.transposed = form.transposed;
  problem.fusion = fusion;
  kernels::Conv& c = problem.conv;
  const size_t axes = data.size() - 2, first_filter = form.first_spatial();
  c.batch = static_cast<size_t>(data[0]);
  c.groups = form.grouped ? static_cast<size_t>(filters[0]) : 1;
  const size_t outer = static_cast<size_t>(filters[first_filter - 2]);
  const size_t inner = static_cast<size_t>(filters[first_filter - 1]);
  c.in_channels = form.transposed ? outer : inner;
  c.out_channels = form.transposed ? inner : outer;
  for (size_t i = 0; i < axes; ++i) {
    const size_t to = 3 - axes + i;
    const int64_t in = data[first_axis(fusion.in) + i], out = output[first_axis(fusion.out) + i];
    const int64_t kernel = filters[first_filter + i];
    c.in[to] = static_cast<size_t>(in);
    c.out[to] = static_cast<size_t>(out);
    c.kernel[to] = static_cast<size_t>(kernel);
    c.stride[to] = static_cast<size_t>(spec.window.stride(i));
    c.dilation[to] = static_cast<size_t>(spec.window.dilation(i));
    if (!form.transposed) {
      c.pads[to] = static_cast<size_t>(spec.window.pads(i, in, kernel).begin);
    } else if (fusion.output_shape && spec.window.is_same()) {
      // The larger half is at the opposite end from that of a convolution.
      c.pads[to] = static_cast<size_t>(spec.window.share(full_size(spec, i, in, kernel) - out).end);
    } else {
      c.pads[to] = static_cast<size_t>(fixed_pads(spec, i).begin);
    }
  }
  c.in_stride = c.groups * c.in_channels;
  c.out_stride = c.groups * c.out_channels;
  const size_t taps = c.kernel.product();
  problem.weights.group_stride = outer * inner * taps;
  problem.weights.out_stride = form.transposed ? taps : inner * taps;
  problem.weights.in_stride = form.transposed ? inner * taps : taps;
  problem.weights.tap_stride = 1;
  return problem;
}

namespace {

// The form of a node before any pass.
ConvolutionFusion unfused(size_t inputs) {
  ConvolutionFusion fusion;
  fusion.output_shape = inputs == 3;
  return fusion;
}

}  // namespace

void ConvolutionOp::infer(InferContext& context) const {
  context.expect_inputs(2, spec_.form.transposed ? 3 : 2);
  infer_convolution(context, spec_, unfused(context.input_count()));
}

std::optional<ChannelsLastForm> ConvolutionOp::channels_last_form(const Node& node) const {
  return channels_last_convolution(node);
}

std::unique_ptr<Kernel> ConvolutionOp::compile(CompileContext& context) const {
  return compile_convolution(context, spec_, unfused(context.input_count()));
}

}  // namespace wasmvino::ops
