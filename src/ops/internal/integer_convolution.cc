// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_convolution.h"

#include <algorithm>

#include "kernels/integer_gemm.h"
#include "ops/internal/fused_convolution.h"
#include "ops/quantised_data/compressed_filters.h"
#include "ops/quantised_data/integer_product.h"

namespace wasmvino::ops {
namespace {

// Elements whose stored values are examined together.
constexpr size_t kChunk = 1024;

// The filters minus their zero points; nullopt if one does not fit s8.
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
      for (size_t i = 0; i < count; ++i)
        load_stored(stored, place_of(parts.places, first + i), 1, values + i);
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

// Whether types and zero points alone show that all filters fit.
bool surely_fits(const CompressedFilters::Parts& parts) {
  const ElementType type = parts.stored->type();
  if (bit_width(type) < 8) return true;
  if (parts.zero_points.empty()) return type == ElementType::kI8;
  return std::all_of(parts.zero_points.begin(), parts.zero_points.end(),
                     [](uint8_t zero) { return zero == 128; });
}

bool is_depthwise_filter(const Shape& filters, const FilterForm& form) {
  return form.grouped && filters[0] > 1 && filters[1] == 1 && filters[2] == 1;
}

}  // namespace

bool IntegerConvolution::takes(const ConvolutionSpec& spec, const CompressedFilters& filters, bool by_channel,
                               bool residual) {
  const CompressedFilters::Parts& parts = filters.parts();
  const Shape& shape = filters.shape();
  const bool depthwise = is_depthwise_filter(shape, spec.form);
  if (spec.form.transposed || is_real(parts.stored->type())) return false;
  if (depthwise ? residual : by_channel || !parts.input_scales.empty()) return false;
  const size_t size = element_count(shape);
  if (size == 0 || size / FilterChannels(shape, spec.form, false).count() > kernels::kMostIntegerDepth)
    return false;
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
  const ConvolutionFusion& fusion = parts_.fusion;
  const ConvolutionProblem problem = make_convolution(context.input_shape(0), context.input_shape(1),
                                                      context.output_shape(0), parts_.spec, fusion);
  IntegerProduct product;
  product.conv = problem.conv;
  product.places = problem.weights;
  product.integers = [this] { return *integers_of(*parts_.fusion.filters, parts_.spec.form); };
  product.key = cat(problem.conv.groups);
  const CompressedFilters::Parts& filters = fusion.filters->parts();
  product.scales.assign((CheckedSize(problem.conv.groups) * problem.conv.out_channels).value(), 1);
  for (size_t o = 0; o < product.scales.size(); ++o) {
    if (!filters.scales.empty()) product.scales[o] *= filters.scales[o];
    if (!filters.input_scales.empty()) product.scales[o] *= filters.input_scales[o];
  }
  product.take(parts_);
  return compile_integer_product(context, std::move(product));
}

}  // namespace wasmvino::ops
