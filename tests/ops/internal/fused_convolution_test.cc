// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_convolution.h"

#include <map>
#include <utility>

#include "ops/convolution/quantised_filters.h"
#include "tests/ops/convolution/convolution_tester.h"

namespace wasmvino::test::fused_convolution_test {
namespace {

using kernels::Unary;
using ops::ConvolutionFusion;
using ops::ConvolutionSpec;
using ops::FusedConvolution;
using ops::Layout;

// The elements of [N, C, spatial axes] in the order of [N, spatial axes, C], or back.
std::vector<float> laid_out(const std::vector<float>& values, const Shape& planes, bool back) {
  const size_t pixels =
      element_count(planes) / static_cast<size_t>(std::max<int64_t>(1, planes[0] * planes[1]));
  const size_t channels = static_cast<size_t>(planes[1]);
  std::vector<float> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t n = i / channels / pixels, c = i / pixels % channels, p = i % pixels;
    const size_t last = (n * pixels + p) * channels + c;
    result[back ? i : last] = values[back ? last : i];
  }
  return result;
}

Shape relaid(const Shape& planes, Layout layout) {
  return ops::relaid(PartialShape(planes), Layout::kChannelsFirst, layout).to_shape();
}

float activated(const kernels::UnaryFunction& f, double x) {
  const double y = f.kind == Unary::kRelu    ? std::max(x, 0.0)
                   : f.kind == Unary::kClamp ? std::clamp<double>(x, f.alpha, f.beta)
                   : f.kind == Unary::kTanh  ? std::tanh(x)
                                             : x;
  return static_cast<float>(y);
}

struct Form {
  Layout in = Layout::kChannelsFirst, out = Layout::kChannelsFirst;
  bool bias = false, residual = false, open = false;
  kernels::UnaryFunction activation = {};
  size_t threads = 1;
  std::optional<ElementType> stored = {};  // of filters that stay quantised
  bool reordered = false;                  // these are stored with reversed axes, and have input scales
};

// Random filters of a type, with scales and, if they are integers, zero points per output channel.
ops::QuantisedConstant quantised(const Convolving& c, ElementType type, bool reordered) {
  kernels::Random random(5);
  Tensor stored(type, c.filters);
  for (size_t i = 0; i < stored.byte_size(); ++i) {
    uint8_t& byte = stored.mutable_data<uint8_t>()[i];
    byte = static_cast<uint8_t>(random.next());
    if (is_real(type) && (bit_width(type) == 8 || i % 2 == 1)) byte &= 0xBB;  // below 2
  }
  ops::QuantisedConstant::Parts parts;
  parts.stored = std::make_shared<model::ConstantData>(stored);
  const Ints strides = row_major_strides(c.filters);
  int64_t stride = 1;
  for (size_t axis = 0; axis < c.filters.size(); ++axis) {
    const int64_t size = c.filters[axis];
    if (size > 1) {
      parts.places.add(size, reordered ? stride : strides[axis]);
      parts.axis_of.push_back(static_cast<int64_t>(axis));
    }
    stride *= size;
  }
  const ops::FilterForm form = {c.grouped, c.transposed};
  const ops::FilterAxes axes(form);
  const ops::QuantisedConstant bare(c.filters, parts);
  const size_t groups = c.grouped ? static_cast<size_t>(c.filters[0]) : 1;
  const size_t outputs = groups * static_cast<size_t>(c.filters[axes.output]),
               inputs = groups * static_cast<size_t>(c.filters[axes.input]);
  std::vector<float> scales, zeros, input_scales;
  for (size_t o = 0; o < outputs; ++o) {
    scales.push_back((bit_width(type) < 8 ? 0.1f : 0.006f) * random.real());
    if (is_real(type)) scales.back() = random.real();
    zeros.push_back(static_cast<float>(random.integer(0, 15) - ops::shift_of(type)));
  }
  for (size_t i = 0; i < inputs; ++i) input_scales.push_back(random.real());
  const ops::QuantisedConstant scaled = ops::scaled_filters(bare, form, scales, false);
  ops::QuantisedConstant::Parts whole = scaled.parts();
  if (!is_real(type))
    whole.zero_point = ops::SharedNumbers::of(zeros, whole.scales[0].axes, whole.scales[0].steps);
  const ops::QuantisedConstant value(c.filters, whole);
  return reordered ? ops::scaled_filters(value, form, input_scales, true) : value;
}

// Computed once for each case and its filters: with sanitizers that takes seconds. All forms have the same
// data.
const std::vector<double>& sums_of(const Convolving& c, const std::vector<float>& data,
                                   const std::vector<float>& filters) {
  static std::map<std::pair<const Convolving*, std::vector<float>>, std::vector<double>> known;
  std::vector<double>& sums = known[{&c, filters}];
  if (sums.empty()) {
    sums = reference(c, std::vector<double>(data.begin(), data.end()),
                     std::vector<double>(filters.begin(), filters.end()));
  }
  return sums;
}

void check(const Convolving& c, const Form& form) {
  SCOPED_TRACE(testing::Message() << "data " << to_string(c.data) << ", filters " << to_string(c.filters)
                                  << ", in " << static_cast<int>(form.in) << ", out "
                                  << static_cast<int>(form.out) << ", bias " << form.bias << ", residual "
                                  << form.residual << ", threads " << form.threads);
  ConvolutionSpec spec;
  spec.form = {c.grouped, c.transposed};
  spec.window.strides = c.strides;
  spec.window.dilations = c.dilations;
  spec.window.pads_begin = spec.window.pads_end = c.pads;
  ConvolutionFusion fusion;
  fusion.in = form.in;
  fusion.out = form.out;
  fusion.bias = form.bias;
  fusion.residual = form.residual;
  fusion.activation = form.activation;

  const std::vector<float> data = kernels::random_floats(element_count(c.data), 1);
  std::vector<float> filters = kernels::random_floats(element_count(c.filters), 2);
  std::unique_ptr<model::Node> constant;
  if (form.stored) {
    constant = ops::quantised_constant("filters", quantised(c, *form.stored, form.reordered));
    const Tensor held = constant->constant->value();
    filters.assign(held.data<float>(), held.data<float>() + held.size());
  }
  const std::vector<double>& sums = sums_of(c, data, filters);
  const size_t first = c.grouped ? 3 : 2;
  Shape output = {c.data[0],
                  (c.grouped ? c.filters[0] : 1) * c.filters[c.transposed ? first - 1 : first - 2]};
  for (const int64_t size : c.output) output.push_back(size);
  const std::vector<float> bias = kernels::random_floats(static_cast<size_t>(output[1]), 3),
                           residual = kernels::random_floats(sums.size(), 4);
  const size_t pixels = sums.size() / static_cast<size_t>(output[0] * output[1]);

  const std::vector<float> laid_data =
      form.in == Layout::kChannelsFirst ? data : laid_out(data, c.data, false);
  std::vector<Tensor> inputs = {Tensor::of<float>(relaid(c.data, form.in), laid_data.data()),
                                Tensor::of<float>(c.filters, filters.data())};
  if (form.bias) inputs.push_back(Tensor::of<float>({output[1]}, bias.data()));
  if (form.residual) {
    inputs.push_back(Tensor::of<float>(relaid(output, form.out), laid_out(residual, output, false).data()));
  }
  model::Node node("fused", std::string(FusedConvolution::kType), 0,
                   std::make_shared<FusedConvolution>(spec, fusion));
  node.outputs.resize(1);
  model::Node other("other", "Parameter", 1, std::make_shared<model::ParameterOp>());
  other.outputs.resize(1);
  if (constant != nullptr) {
    std::vector<model::Source> sources(inputs.size(), {&other, 0});
    sources[1] = {constant.get(), 0};
    node.inputs = sources;
  }
  const std::vector<size_t> constants = form.open ? std::vector<size_t>{} : std::vector<size_t>{1};
  const Tensor got = OpenRun(form.threads).run(node, inputs, constants)[0];
  node.inputs.clear();
  ASSERT_EQ(to_string(got.shape()), to_string(relaid(output, form.out)));
  std::vector<float> planes(got.data<float>(), got.data<float>() + got.size());
  if (form.out == Layout::kChannelsLast) planes = laid_out(planes, output, true);
  for (size_t i = 0; i < sums.size(); ++i) {
    double sum = sums[i];
    if (form.bias) sum += bias[i / pixels % bias.size()];
    if (form.residual) sum += residual[i];
    const float expected = activated(form.activation, sum);
    ASSERT_NEAR(planes[i], expected, 6e-5 * (1 + std::abs(expected))) << "element " << i;
  }
}

const std::vector<Convolving> kCases = {
    {{2, 5, 7, 9}, {6, 5, 3, 3}, false, {2, 1}, {1, 2}, {1, 0}, {4, 5}},
    {{1, 24, 18, 17}, {32, 24, 3, 3}, false, {1, 1}, {1, 1}, {1, 1}, {18, 17}},
    {{2, 64, 13, 14}, {72, 64, 3, 3}, false, {1, 1}, {1, 1}, {0, 1}, {11, 14}},
    {{2, 9, 6, 5}, {13, 9, 1, 1}, false, {1, 1}, {1, 1}, {0, 0}, {6, 5}},
    {{3, 12, 9, 11}, {12, 1, 1, 3, 3}, true, {1, 1}, {1, 1}, {1, 1}, {9, 11}},
    {{1, 12, 9, 11}, {3, 5, 4, 3, 3}, true, {2, 2}, {1, 1}, {1, 1}, {5, 6}},
    {{2, 6, 5, 6}, {6, 7, 4, 4}, false, {2, 2}, {1, 1}, {1, 1}, {10, 12}, true},
    {{2, 4, 30}, {7, 4, 5}, false, {2}, {1}, {2}, {15}},
    {{1, 3, 4, 5, 6}, {8, 3, 2, 3, 2}, false, {1, 1, 1}, {1, 1, 1}, {0, 1, 0}, {3, 5, 5}},
    {{1, 40, 1, 1}, {70, 40, 1, 1}, false, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
};

TEST(FusedConvolution, LayoutsOfDataAndOutput) {
  for (const Convolving& c : kCases) {
    for (const Layout in : {Layout::kChannelsFirst, Layout::kChannelsLast}) {
      for (const Layout out : {Layout::kChannelsFirst, Layout::kChannelsLast}) {
        for (const size_t threads : {1, 3}) check(c, {.in = in, .out = out, .threads = threads});
      }
    }
  }
}

TEST(FusedConvolution, BiasResidualAndActivation) {
  const Layout last = Layout::kChannelsLast;
  for (const Convolving& c : kCases) {
    for (const kernels::UnaryFunction& f :
         {kernels::UnaryFunction{Unary::kRelu}, kernels::UnaryFunction{Unary::kClamp, -1, 0.5f},
          kernels::UnaryFunction{Unary::kTanh}}) {
      check(c, {.bias = true, .activation = f});
      check(c, {.in = last, .out = last, .residual = true, .activation = f, .threads = 2});
      check(c, {.in = last, .out = last, .bias = true, .residual = true, .activation = f});
      check(c, {.out = last, .bias = true, .residual = true, .open = true, .activation = f});
    }
  }
}

TEST(FusedConvolution, QuantisedFilters) {
  for (const ElementType type : {ElementType::kF16, ElementType::kBf16, ElementType::kI8, ElementType::kU8,
                                 ElementType::kI4, ElementType::kU4}) {
    for (const Convolving& c : kCases) {
      for (const Layout layout : {Layout::kChannelsFirst, Layout::kChannelsLast}) {
        for (const size_t threads : {1, 3}) {
          check(c, {.in = layout, .out = layout, .bias = true, .threads = threads, .stored = type});
        }
      }
    }
  }
}

TEST(FusedConvolution, QuantisedFiltersInAnotherOrder) {
  for (const ElementType type : {ElementType::kF16, ElementType::kI8, ElementType::kU2, ElementType::kNf4,
                                 ElementType::kF8e4m3, ElementType::kF8e5m2}) {
    SCOPED_TRACE(name(type));
    for (const Convolving& c : kCases) {
      for (const bool reordered : {false, true}) {
        check(c, {.bias = true, .threads = 2, .stored = type, .reordered = reordered});
      }
    }
  }
}

TEST(FusedConvolution, Errors) {
  const auto infer = [](const ConvolutionFusion& fusion, const std::vector<PartialShape>& shapes) {
    model::Node node("fused", std::string(FusedConvolution::kType), 0,
                     std::make_shared<FusedConvolution>(ConvolutionSpec{}, fusion));
    std::vector<model::ValueInfo> inputs;
    for (const PartialShape& shape : shapes) inputs.push_back(open(ElementType::kF32, shape));
    std::vector<const model::ValueInfo*> pointers;
    for (const model::ValueInfo& input : inputs) pointers.push_back(&input);
    std::vector<model::ValueInfo> results(1);
    model::InferContext context(node, pointers, results);
    node.op->infer(context);
    return to_string(results[0].shape);
  };
  ConvolutionFusion fusion;
  fusion.in = fusion.out = Layout::kChannelsLast;
  fusion.bias = fusion.residual = true;
  const Dimension any;
  EXPECT_EQ(infer(fusion, {{1, any, 6, 4}, {8, 4, 3, 3}, {8}, {1, any, 4, 8}}), "[1,?,4,8]");
  EXPECT_EQ(infer(fusion, {{1, any, 6, 4}, {8, 4, 3, 3}, {8}, {3, any, 1, 8}}), "[3,?,4,8]");
  expect_error(ErrorCode::kInvalidShape, "bias has shape [7], expected [8]",
               [&] { infer(fusion, {{1, any, 6, 4}, {8, 4, 3, 3}, {7}, {1, any, 4, 8}}); });
  expect_error(ErrorCode::kInvalidShape, "shapes [1,4,4,8] and [1,8,4,4] cannot be broadcast",
               [&] { infer(fusion, {{1, 6, 6, 4}, {8, 4, 3, 3}, {8}, {1, 8, 4, 4}}); });
}

}  // namespace
}  // namespace wasmvino::test::fused_convolution_test
