// SPDX-License-Identifier: Apache-2.0
// MatMul and Gather with quantised weights.
#include <numeric>

#include "ops/movement/gather.h"
#include "ops/quantised_data/quantised_matrices.h"
#include "tests/kernels/random.h"
#include "tests/ops/op_tester.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::quantised_weights_test {
namespace {

using ops::QuantisedConstant;
using ops::SharedNumbers;

// The numbers by which one kind of weights differs from another.
struct Form {
  ElementType type;
  size_t matrices = 1, n = 203, k = 51, group = 51;
  bool by_depth = false;  // stored as [k][n]
  bool zero_points = false, column_scales = false;
};

// Random numbers, one per group of each row of all matrices.
SharedNumbers by_group(const Form& f, bool integers, uint32_t seed) {
  const size_t groups = f.k / f.group;
  std::vector<float> values = kernels::random_floats(f.matrices * f.n * groups, seed);
  for (float& value : values) value = integers ? std::nearbyint(3 + 2 * value) : 0.05f * value;
  const auto group = static_cast<int64_t>(f.group), rows = static_cast<int64_t>(f.matrices * f.n);
  const auto n = static_cast<int64_t>(f.n), k = static_cast<int64_t>(f.k);
  return SharedNumbers::of(values, {{rows, k / group}, {f.by_depth ? 1 : k, f.by_depth ? n * group : group}},
                           {k / group, 1});
}

// Weights W [matrices][n][k], or [n][k].
QuantisedConstant make(const Form& f) {
  const auto n = static_cast<int64_t>(f.n), k = static_cast<int64_t>(f.k);
  const auto matrices = static_cast<int64_t>(f.matrices);
  kernels::Random random(7);
  Tensor values(f.type, {matrices * n * k});
  for (size_t i = 0; i < values.byte_size(); ++i) {
    uint8_t& byte = values.mutable_data<uint8_t>()[i];
    byte = static_cast<uint8_t>(random.next());
    // Floating point of 2 and less.
    if (is_real(f.type) && (bit_width(f.type) == 8 || i % 2 == 1)) byte &= 0xBF;
  }
  QuantisedConstant::Parts parts;
  parts.stored = std::make_shared<model::ConstantData>(values);
  Shape shape = {n, k};
  if (f.matrices > 1) {
    shape = {matrices, n, k};
    parts.places.add(matrices, n * k);
    parts.axis_of.push_back(0);
  }
  const auto first = static_cast<int64_t>(parts.axis_of.size());
  parts.places.add(n, f.by_depth ? 1 : k);
  parts.places.add(k, f.by_depth ? n : 1);
  parts.axis_of.push_back(first);
  parts.axis_of.push_back(first + 1);
  if (!is_real(f.type)) parts.scales.push_back(by_group(f, false, 5));
  if (f.zero_points) parts.zero_point = by_group(f, true, 6);
  if (f.column_scales)
    parts.scales.push_back(
        SharedNumbers::of(kernels::random_floats(f.k, 9), {{k}, {f.by_depth ? n : 1}}, {1}));
  return {shape, parts};
}

std::vector<float> dequantised(const QuantisedConstant& value) {
  std::vector<float> values(value.size() / sizeof(float));
  value.read(0, value.size(), values.data());
  return values;
}

// Runs an operation whose input `at` is the quantised constant. The kernel must not read its value in f32.
Tensor run(const std::string& type, int opset, const model::AttributeTexts& attributes,
           std::vector<Tensor> inputs, size_t at, const QuantisedConstant& value, size_t threads) {
  const auto node = make_node(type, opset, attributes, 1);
  const auto constant = ops::quantised_constant("weights", value);
  model::Node other("other", "Parameter", 1, std::make_shared<model::ParameterOp>());
  other.outputs.resize(1);
  std::vector<model::Source> sources(inputs.size(), {&other, 0});
  sources[at] = {constant.get(), 0};
  node->inputs = sources;
  const std::vector<float> values = dequantised(value);
  inputs[at] = Tensor::of<float>(value.shape(), values.data());
  std::vector<size_t> constants = {at};
  if (type == "Gather") constants.push_back(2);
  const Tensor got = OpenRun(threads).run(*node, inputs, constants)[0];
  node->inputs.clear();
  return got;
}

template <typename Body>
void for_forms(const Body& body) {
  for (const ElementType type : {ElementType::kI4, ElementType::kU4, ElementType::kI8, ElementType::kU8,
                                 ElementType::kU2, ElementType::kF16, ElementType::kBf16, ElementType::kNf4,
                                 ElementType::kF4e2m1, ElementType::kF8e4m3, ElementType::kF8e5m2}) {
    for (const bool by_depth : {false, true}) {
      for (const bool grouped : {false, true}) {
        if (grouped && is_real(type)) continue;
        SCOPED_TRACE(testing::Message()
                     << name(type) << ", by depth " << by_depth << ", grouped " << grouped);
        Form form = {type};
        form.by_depth = by_depth;
        if (grouped) {
          form.k = 96;
          form.group = 32;
          form.zero_points = true;
        }
        body(form);
        form.column_scales = true;
        if (!grouped) body(form);
      }
    }
  }
}

TEST(QuantisedWeights, MultiplyByEveryKind) {
  for_forms([](const Form& form) {
    const QuantisedConstant value = make(form);
    const std::vector<float> rows = dequantised(value);
    for (const size_t threads : {1, 3}) {
      for (const Shape& batch : {Shape{}, Shape{1}, Shape{0, 2}, Shape{2, 3}, Shape{70}}) {
        const size_t m = element_count(batch), n = form.n, k = form.k;
        Shape shape = batch;
        shape.push_back(static_cast<int64_t>(k));
        const std::vector<float> x = kernels::random_floats(m * k, 3);
        const Tensor got = run("MatMul", 1, {{"transpose_b", "true"}},
                               {Tensor::of<float>(shape, x.data()), Tensor()}, 1, value, threads);
        std::vector<float> expected;
        for (size_t i = 0; i < m; ++i) {
          for (size_t j = 0; j < n; ++j) {
            expected.push_back(static_cast<float>(std::inner_product(
                x.begin() + static_cast<ptrdiff_t>(i * k), x.begin() + static_cast<ptrdiff_t>((i + 1) * k),
                rows.begin() + static_cast<ptrdiff_t>(j * k), 0.0)));
          }
        }
        shape.back() = static_cast<int64_t>(n);
        expect_near(got, shape, expected, 2e-5f);
      }
    }
  });
}

TEST(QuantisedWeights, BroadcastMatricesAndTransposedData) {
  for (const ElementType type : {ElementType::kI4, ElementType::kF16, ElementType::kNf4}) {
    for (const bool transposed : {false, true}) {
      for (const size_t threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << name(type) << ", transposed " << transposed);
        constexpr size_t kN = 16, kK = 12, kM = 7, kBatch = 3, kMatrices = 2;
        const Shape data = transposed ? Shape{kBatch, kMatrices, kK, kM} : Shape{kBatch, kMatrices, kM, kK};
        Form form = {type, kMatrices, kN, kK, 4};
        form.zero_points = !is_real(type);
        const QuantisedConstant value = make(form);
        const std::vector<float> rows = dequantised(value);
        const std::vector<float> x = kernels::random_floats(kBatch * kMatrices * kM * kK, 3);
        const Tensor got =
            run("MatMul", 1, {{"transpose_a", transposed ? "true" : "false"}, {"transpose_b", "true"}},
                {Tensor::of<float>(data, x.data()), Tensor()}, 1, value, threads);
        std::vector<float> expected;
        for (size_t i = 0; i < kBatch * kMatrices * kM; ++i) {
          const size_t matrix = i / kM, row = i % kM;
          for (size_t j = 0; j < kN; ++j) {
            double sum = 0;
            for (size_t p = 0; p < kK; ++p) {
              sum += static_cast<double>(x[matrix * kM * kK + (transposed ? p * kM + row : row * kK + p)]) *
                     rows[(matrix % kMatrices * kN + j) * kK + p];
            }
            expected.push_back(static_cast<float>(sum));
          }
        }
        expect_near(got, {kBatch, kMatrices, kM, kN}, expected, 2e-5f);
      }
    }
  }
}

TEST(QuantisedWeights, GatherRows) {
  for_forms([](const Form& form) {
    const QuantisedConstant value = make(form);
    const std::vector<float> rows = dequantised(value);
    for (const int opset : {1, 8}) {
      const std::vector<int64_t> indices = {0, 202, 17, -1, 203, 9, -203, -204, 100, 101};
      const int64_t axis = 0;
      const Tensor got =
          run("Gather", opset, {},
              {Tensor(), Tensor::of<int64_t>({2, 5}, indices.data()), Tensor::of<int64_t>({1}, &axis)}, 0,
              value, opset == 8 ? 3 : 1);
      std::vector<float> expected;
      for (int64_t index : indices) {
        if (index < 0 && opset == 8) index += 203;
        for (size_t p = 0; p < form.k; ++p) {
          const bool inside = index >= 0 && index < 203;
          expected.push_back(inside ? rows[static_cast<size_t>(index) * form.k + p] : 0.0f);
        }
      }
      expect_near(got, {2, 5, static_cast<int64_t>(form.k)}, expected, 1e-6f);
    }
  });
}

// Tables that matmuls have packed: rows come from the packed form.
TEST(QuantisedWeights, TablesReadPackedRows) {
  for_forms([](const Form& form) {
    const QuantisedConstant value = make(form);
    const std::vector<float> rows = dequantised(value);
    const auto constant = ops::quantised_constant("table", value);
    model::Node node("rows", "Gather", 8, std::make_shared<ops::gather::Gather>(8));
    node.inputs.push_back({constant.get(), 0});
    const model::ValueInfo info = model::ValueInfo::of(Tensor::of<float>(value.shape(), rows.data()));
    const model::ValueInfo* inputs[] = {&info};
    OpenRun services(1);
    model::CompileContext context(node, inputs, {}, services);
    const auto table = ops::QuantisedTable::of(context, 0, true);
    ASSERT_TRUE(table.has_value());
    for (const size_t first : {size_t{0}, form.k * 3 + 5, form.k * 202}) {
      std::vector<float> got(std::min(form.k + 3, rows.size() - first));
      table->load(first, got.size(), got.data());
      for (size_t i = 0; i < got.size(); ++i) ASSERT_FLOAT_EQ(got[i], rows[first + i]) << first << " + " << i;
    }
    node.inputs.clear();
  });
}

}  // namespace
}  // namespace wasmvino::test::quantised_weights_test
