// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "ops/internal/compressed_gather.h"
#include "ops/internal/compressed_mat_mul.h"
#include "tests/kernels/random.h"
#include "tests/ops/op_tester.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::compressed_test {
namespace {

using ops::CompressedForm;

// W [n][k] as the operations take it, and its values.
struct Table {
  CompressedForm form;
  std::vector<Tensor> inputs;
  std::vector<float> rows;
};

Table make_table(ElementType type, size_t n, size_t k, size_t group, bool by_depth, bool zero_points,
                 bool column_scales = false) {
  Table table{{.n = n,
               .k = k,
               .group = group,
               .has_scales = !is_real(type),
               .has_zero_points = zero_points,
               .has_column_scales = column_scales},
              {},
              std::vector<float>(n * k)};
  table.form.of_n.add(static_cast<int64_t>(n), static_cast<int64_t>(by_depth ? 1 : k));
  table.form.of_k.add(static_cast<int64_t>(k), static_cast<int64_t>(by_depth ? n : 1));
  const int64_t high = static_cast<int64_t>(by_depth ? k : n), wide = static_cast<int64_t>(by_depth ? n : k);
  kernels::Random random(7);
  Tensor values(type, {high, wide});
  for (size_t i = 0; i < values.byte_size(); ++i) {
    uint8_t& byte = values.mutable_data<uint8_t>()[i];
    byte = static_cast<uint8_t>(random.next());
    // Floating point of 2 and less.
    if (is_real(type) && (bit_width(type) == 8 || i % 2 == 1)) byte &= 0xBF;
  }
  const std::vector<double> stored = [&] {
    const auto all = to_doubles(values.view());
    return std::vector<double>(all.begin(), all.end());
  }();
  table.inputs.push_back(values);
  const size_t groups = k / group, panels = (n + 7) / 8;
  const bool is_integer = !is_real(type);
  const int shift = ops::shift_of(type);
  const Shape shape = {static_cast<int64_t>(panels), static_cast<int64_t>(groups), 8};
  Tensor scales(ElementType::kF32, shape), zeros(ElementType::kU8, shape);
  for (size_t i = 0; i < scales.size(); ++i) {
    scales.mutable_data<float>()[i] = 0.05f * random.real();
    zeros.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(random.integer(0, 15));
  }
  table.form.zero_point = static_cast<float>(shift);
  if (is_integer) table.inputs.push_back(scales);
  if (zero_points) table.inputs.push_back(zeros);
  const std::vector<float> factors = kernels::random_floats(k, 9);
  if (column_scales) table.inputs.push_back(Tensor::of<float>({static_cast<int64_t>(k)}, factors.data()));
  for (size_t j = 0; j < n; ++j) {
    for (size_t p = 0; p < k; ++p) {
      double value = stored[by_depth ? p * n + j : j * k + p];
      if (is_integer) {
        const size_t at = (j / 8 * groups + p / group) * 8 + j % 8;
        value += shift - (zero_points ? zeros.data<uint8_t>()[at] : shift);
        value *= scales.data<float>()[at];
      }
      if (column_scales) value *= factors[p];
      table.rows[j * k + p] = static_cast<float>(value);
    }
  }
  return table;
}

std::vector<size_t> all_but_first(size_t count) {
  std::vector<size_t> numbers(count - 1);
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

Tensor run(std::shared_ptr<model::Op> op, Tensor first, const Table& table, size_t threads) {
  model::Node node("test", "Compressed", 0, std::move(op));
  node.outputs.resize(1);
  std::vector<Tensor> inputs = {std::move(first)};
  inputs.insert(inputs.end(), table.inputs.begin(), table.inputs.end());
  return OpenRun(threads).run(node, inputs, all_but_first(inputs.size()))[0];
}

template <typename Body>
void for_tables(const Body& body) {
  for (const ElementType type : {ElementType::kI4, ElementType::kU4, ElementType::kI8, ElementType::kU8,
                                 ElementType::kU2, ElementType::kF16, ElementType::kBf16, ElementType::kNf4,
                                 ElementType::kF4e2m1, ElementType::kF8e4m3, ElementType::kF8e5m2}) {
    for (const bool by_depth : {false, true}) {
      for (const bool grouped : {false, true}) {
        if (grouped && is_real(type)) continue;
        SCOPED_TRACE(testing::Message()
                     << name(type) << ", by depth " << by_depth << ", grouped " << grouped);
        body(make_table(type, 203, grouped ? 96 : 51, grouped ? 32 : 51, by_depth, grouped));
        if (!grouped) body(make_table(type, 203, 51, 51, by_depth, false, true));
      }
    }
  }
}

TEST(CompressedMatMul, MultipliesByEveryKindOfWeights) {
  for_tables([](const Table& table) {
    for (const size_t threads : {1, 3}) {
      for (const Shape& batch : {Shape{}, Shape{1}, Shape{0, 2}, Shape{2, 3}, Shape{70}}) {
        const size_t m = element_count(batch), n = table.form.n, k = table.form.k;
        Shape shape = batch;
        shape.push_back(static_cast<int64_t>(k));
        const std::vector<float> x = kernels::random_floats(m * k, 3);
        const Tensor got = run(std::make_shared<ops::CompressedMatMul>(table.form),
                               Tensor::of<float>(shape, x.data()), table, threads);
        std::vector<float> expected;
        for (size_t i = 0; i < m; ++i) {
          for (size_t j = 0; j < n; ++j) {
            expected.push_back(static_cast<float>(std::inner_product(
                x.begin() + static_cast<ptrdiff_t>(i * k), x.begin() + static_cast<ptrdiff_t>((i + 1) * k),
                table.rows.begin() + static_cast<ptrdiff_t>(j * k), 0.0)));
          }
        }
        shape.back() = static_cast<int64_t>(n);
        expect_near(got, shape, expected, 2e-5f);
      }
    }
  });
}

TEST(CompressedMatMul, BroadcastsMatricesAndTransposesData) {
  for (const ElementType type : {ElementType::kI4, ElementType::kF16, ElementType::kNf4}) {
    for (const bool transposed : {false, true}) {
      for (const size_t threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << name(type) << ", transposed " << transposed);
        // Rows of two matrices, one below the other.
        constexpr size_t kN = 16, kK = 12, kM = 7, kBatch = 3, kMatrices = 2;
        const Shape data = transposed ? Shape{kBatch, kMatrices, kK, kM} : Shape{kBatch, kMatrices, kM, kK};
        Table table = make_table(type, kMatrices * kN, kK, 4, false, !is_real(type));
        table.form.n = kN;
        table.form.matrices = {kMatrices};
        table.form.of_matrices = {{kMatrices}, {kN * kK}};
        table.form.of_n = {{kN}, {kK}};
        for (size_t i = 1; i < table.inputs.size(); ++i) {
          const Shape shape = {kMatrices, kN / 8, kK / 4, 8};
          table.inputs[i] = i == 1 ? Tensor::of<float>(shape, table.inputs[i].data<float>())
                                   : Tensor::of<uint8_t>(shape, table.inputs[i].data<uint8_t>());
        }
        const std::vector<float> x = kernels::random_floats(kBatch * kMatrices * kM * kK, 3);
        const Tensor got = run(std::make_shared<ops::CompressedMatMul>(table.form, transposed),
                               Tensor::of<float>(data, x.data()), table, threads);
        std::vector<float> expected;
        for (size_t i = 0; i < kBatch * kMatrices * kM; ++i) {
          const size_t matrix = i / kM, row = i % kM;
          for (size_t j = 0; j < kN; ++j) {
            double sum = 0;
            for (size_t p = 0; p < kK; ++p) {
              sum += static_cast<double>(x[matrix * kM * kK + (transposed ? p * kM + row : row * kK + p)]) *
                     table.rows[(matrix % kMatrices * kN + j) * kK + p];
            }
            expected.push_back(static_cast<float>(sum));
          }
        }
        expect_near(got, {kBatch, kMatrices, kM, kN}, expected, 2e-5f);
      }
    }
  }
}

TEST(CompressedGather, GivesRowsAsTheyAreStoredOrPacked) {
  for_tables([](const Table& table) {
    for (const bool packed : {false, true}) {
      if ((!table.form.is_plain() || table.form.has_column_scales) && !packed) continue;
      for (const int version : {1, 8}) {
        const std::vector<int64_t> indices = {0, 202, 17, -1, 203, 9, -203, -204, 100, 101};
        const Tensor got = run(std::make_shared<ops::CompressedGather>(table.form, version, packed),
                               Tensor::of<int64_t>({2, 5}, indices.data()), table, packed ? 3 : 1);
        std::vector<float> expected;
        for (int64_t index : indices) {
          if (index < 0 && version == 8) index += 203;
          for (size_t p = 0; p < table.form.k; ++p) {
            const bool inside = index >= 0 && index < 203;
            expected.push_back(inside ? table.rows[static_cast<size_t>(index) * table.form.k + p] : 0.0f);
          }
        }
        expect_near(got, {2, 5, static_cast<int64_t>(table.form.k)}, expected, 1e-6f);
      }
    }
  });
}

}  // namespace
}  // namespace wasmvino::test::compressed_test
