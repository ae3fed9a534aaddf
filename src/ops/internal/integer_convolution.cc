// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_convolution.h"

#include <algorithm>

#include "kernels/integer_gemm.h"
#include "ops/convolution/convolution_problem.h"
#include "ops/convolution/quantised_filters.h"
#include "ops/internal/fused_convolution.h"
#include "ops/quantised_data/integer_product.h"
#include "ops/quantised_data/quantised_matrices.h"
#include "ops/quantised_data/transposed_product.h"

namespace wasmvino::ops {
namespace {

bool is_depthwise_filter(const Shape& filters, const FilterForm& form) {
  return form.grouped && filters[0] > 1 && filters[1] == 1 && filters[2] == 1;
}

// Whether a transposed convolution has no dilations, and few enough phases for their filters to be packed
// separately.
bool has_few_phases(const ConvolutionSpec& spec) {
  constexpr int64_t kMost = 16;
  int64_t phases = 1;
  for (size_t axis = 0; axis < std::max<size_t>(1, spec.window.strides.size()); ++axis) {
    if (spec.window.stride(axis) > kMost || (phases *= spec.window.stride(axis)) > kMost) return false;
  }
  return std::all_of(spec.window.dilations.begin(), spec.window.dilations.end(),
                     [](int64_t dilation) { return dilation == 1; });
}

// Whether a transposed convolution's pads are smaller than its kernel. Larger ones would need taps of weight
// 0.
bool pads_within_kernel(const ConvolutionSpec& spec, const Shape& filters) {
  // Other pads are not those of the attribute.
  if (spec.window.auto_pad != AutoPad::kExplicit) return true;
  for (size_t i = 0; i < spec.window.pads_begin.size(); ++i) {
    if (spec.window.pads_begin[i] >= filters[spec.form.first_spatial() + i]) return false;
  }
  return true;
}

}  // namespace

bool IntegerConvolution::takes(const ConvolutionSpec& spec, const QuantisedConstant& filters, bool by_channel,
                               bool residual) {
  const Shape& shape = filters.shape();
  const bool depthwise = is_depthwise_filter(shape, spec.form);
  if (spec.form.transposed &&
      (depthwise || residual || !has_few_phases(spec) || !pads_within_kernel(spec, shape)))
    return false;
  if (!is_integral(filters.stored_type()) || !can_pack_filters(filters, spec.form)) return false;
  const StridedAxes inputs = filters.along({FilterAxes(spec.form).input});
  for (const SharedNumbers& scale : filters.parts().scales) {
    if (scale.varies_along(inputs)) return false;
  }
  if (depthwise ? residual : by_channel) return false;
  const size_t size = element_count(shape);
  const auto outputs = static_cast<size_t>(shape[FilterAxes(spec.form).output]);
  const size_t channels = outputs * (spec.form.grouped ? static_cast<size_t>(shape[0]) : 1);
  if (size == 0 || size / channels > kernels::kMostIntegerDepth) return false;
  return filters.surely_fits_s8() || filters.integers().has_value();
}

void IntegerConvolution::infer(InferContext& context) const {
  context.expect_inputs(parts_.fusion.input_count());
  if (may_broadcast(context)) {
    return infer_residual(context, IntegerConvolution({parts_.spec, parts_.fusion.product()}));
  }
  std::vector<const ValueInfo*> inputs;
  for (size_t i = 0; i < parts_.fusion.product().input_count(); ++i) inputs.push_back(&context.input(i));
  ValueInfo sum;
  InferContext of_sum(context.node(), inputs, {&sum, 1});
  FusedConvolution(parts_.spec, parts_.fusion.product()).infer(of_sum);
  set_result(context, sum.shape, parts_.output);
}

std::unique_ptr<Kernel> IntegerConvolution::compile(CompileContext& context) const {
  if (may_broadcast(context)) {
    const IntegerConvolution product({parts_.spec, parts_.fusion.product()});
    if (auto kernel = compile_broadcast_residual(context, product, parts_.fusion.activation)) return kernel;
  }
  const ConvolutionFusion& fusion = parts_.fusion;
  const ConvolutionProblem problem = make_convolution(context.input_shape(0), context.input_shape(1),
                                                      context.output_shape(0), parts_.spec, fusion);
  IntegerProduct product;
  product.conv = problem.conv;
  product.places = problem.weights;
  const QuantisedConstant& filters = *quantised_input(context, 1);
  product.integers = [&filters] { return *filters.integers(); };
  product.key = filters_key(problem);
  const size_t outputs = FilterAxes(parts_.spec.form).output;
  const std::vector<float> scales =
      parts_.spec.form.grouped ? filters.scales_along({0, outputs}) : filters.scales_along({outputs});
  product.scales.assign(scales.begin(), scales.end());
  product.take(context, parts_);
  product.slopes = parts_.slopes;
  if (parts_.spec.form.transposed) {
    product.key += cat(", stride ", text_of(problem.conv.stride), ", pad ", text_of(problem.conv.pads));
    return compile_transposed_product(context, product);
  }
  return compile_integer_product(context, std::move(product));
}

}  // namespace wasmvino::ops
