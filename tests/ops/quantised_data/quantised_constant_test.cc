// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/quantised_constant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/packed_bits.h"
#include "ops/quantised_data/quantised_matrices.h"
#include "tests/kernels/random.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kRows = 11, kColumns = 12;

struct Case {
  ElementType type;
  bool turned;        // stored as [columns][rows]
  size_t scale_run;   // columns that share a scale; 0: all do
  bool scale_of_row;  // scales differ from row to row
  size_t zero_run;    // as for scales; kNone: no zero points
  bool zero_of_row;
};
constexpr size_t kNone = 99;

SharedNumbers numbers(const Case& c, size_t run, bool of_row, bool integers, uint32_t seed) {
  SharedNumbers numbers;
  const int64_t row = c.turned ? 1 : kColumns, column = c.turned ? kRows : 1;
  size_t count = 1;
  if (run > 0) {
    numbers.axes.add(static_cast<int64_t>(kColumns / run), column * static_cast<int64_t>(run));
    numbers.steps.push_back(1);
    count = kColumns / run;
  }
  if (of_row) {
    numbers.axes.add(kRows, row);
    numbers.steps.push_back(static_cast<int64_t>(count));
    count *= kRows;
  }
  std::vector<float> values = kernels::random_floats(count, seed);
  if (integers) {
    for (float& value : values) value = std::nearbyint(3 + 2 * value);
  }
  return SharedNumbers::of(values, numbers.axes, numbers.steps);
}

float at(const SharedNumbers& numbers, size_t place) { return numbers.read()[numbers.index(place)]; }

// A matrix of kRows by kColumns, and what its elements are by their definition.
QuantisedConstant make(const Case& c, std::vector<float>& values) {
  Tensor stored(c.type, {static_cast<int64_t>(kRows * kColumns)});
  kernels::Random random(3);
  for (size_t i = 0; i < stored.byte_size(); ++i) {
    auto& byte = stored.mutable_data<uint8_t>()[i];
    byte = static_cast<uint8_t>(random.next());
    if (c.type == ElementType::kF16 && i % 2 == 1) byte = static_cast<uint8_t>(0x30 | (byte & 0x83));
  }
  QuantisedConstant::Parts parts;
  const int64_t row = c.turned ? 1 : kColumns, column = c.turned ? kRows : 1;
  // Columns as two axes, as groups leave them.
  parts.places.add(kRows, row);
  const bool sixes = c.scale_run == 6 || c.zero_run == 6;
  parts.places.add(sixes ? 2 : 3, (sixes ? 6 : 4) * column);
  parts.places.add(sixes ? 6 : 4, column);
  parts.axis_of = {0, 1, 1};
  parts.scales.push_back(numbers(c, c.scale_run, c.scale_of_row, false, 5));
  if (c.zero_run != kNone) parts.zero_point = numbers(c, c.zero_run, c.zero_of_row, true, 6);
  values.clear();
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t j = 0; j < kColumns; ++j) {
      const size_t place = i * static_cast<size_t>(row) + j * static_cast<size_t>(column);
      float value;
      load_raw(stored.view(), place, 1, &value);
      if (parts.zero_point) value -= at(*parts.zero_point, place);
      values.push_back(value * at(parts.scales[0], place));
    }
  }
  parts.stored = std::make_shared<ConstantData>(stored);
  return QuantisedConstant({kRows, kColumns}, std::move(parts));
}

void expect_matrix(const QuantisedMatrices& packed, const std::vector<float>& values, size_t i = 0) {
  const kernels::QuantisedMatrix& b = packed.matrix(i);
  const size_t depth = (b.k + 3) / 4 * 4;
  std::vector<float> expanded((b.n + 7) / 8 * depth * 8);
  kernels::expand(b, {0, b.k}, {0, b.n}, expanded.data());
  for (size_t p = 0; p < b.k; ++p) {
    for (size_t j = 0; j < b.n; ++j) {
      ASSERT_FLOAT_EQ(expanded[j / 8 * depth * 8 + p * 8 + j % 8], values[p * b.n + j]) << p << ", " << j;
    }
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const ElementType type : {ElementType::kI8, ElementType::kU4, ElementType::kF16, ElementType::kNf4}) {
    for (const bool turned : {false, true}) {
      for (const size_t scale_run : {0, 1, 2, 4, 6}) {
        for (const size_t zero_run : {size_t{0}, size_t{1}, size_t{2}, size_t{4}, size_t{6}, kNone}) {
          for (const bool of_row : {false, true}) {
            if (zero_run != kNone && is_real(type)) continue;
            // Axes nest: those of 4 and 6 do not.
            if ((scale_run == 6 && zero_run == 4) || (scale_run == 4 && zero_run == 6)) continue;
            cases.push_back({type, turned, scale_run, of_row, zero_run, !of_row || scale_run == 2});
          }
        }
      }
    }
  }
  return cases;
}

std::string text(const Case& c) {
  return cat(c.type, c.turned ? " turned" : "", ", scales of ", c.scale_run, c.scale_of_row ? " by row" : "",
             ", zero points of ", c.zero_run, c.zero_of_row ? " by row" : "");
}

TEST(QuantisedConstant, ReadsAnyElements) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(text(c));
    std::vector<float> values;
    const QuantisedConstant value = make(c, values);
    ASSERT_EQ(value.size(), values.size() * sizeof(float));
    for (const size_t first : {size_t{0}, size_t{7}, kColumns * 3 + 2}) {
      std::vector<float> read(values.size() - first);
      value.read(first * sizeof(float), read.size() * sizeof(float), read.data());
      for (size_t i = 0; i < read.size(); ++i) ASSERT_FLOAT_EQ(read[i], values[first + i]) << i;
    }
    // The last columns alone.
    const QuantisedConstant part = value.columns(3, 9);
    std::vector<float> read(kRows * 9);
    part.read(0, read.size() * sizeof(float), read.data());
    for (size_t i = 0; i < read.size(); ++i)
      ASSERT_FLOAT_EQ(read[i], values[i / 9 * kColumns + 3 + i % 9]) << i;
  }
}

// Runs that share a scale are longer than rows of the other tests.
TEST(QuantisedConstant, ReadsLongRuns) {
  std::vector<int8_t> bytes(4 * 40);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<int8_t>(i * 7);
  QuantisedConstant::Parts parts;
  parts.stored = std::make_shared<ConstantData>(Tensor::of<int8_t>({4, 40}, bytes.data()));
  parts.places.add(160, 1);
  parts.scales.push_back(SharedNumbers::of({1, 2, 3, 4, 5, 6, 7, 8}, {{8}, {20}}, {1}));
  parts.zero_point = SharedNumbers::of({1, -2, 3, 4}, {{4}, {40}}, {1});
  const QuantisedConstant value({4, 40}, parts);
  for (size_t first = 0; first < 160; ++first) {
    std::vector<float> read(160 - first);
    DequantisedElements(value).load(first, read.size(), read.data());
    for (size_t i = 0; i < read.size(); ++i) {
      const size_t at = first + i;
      const float zero = parts.zero_point->read()[at / 40];
      ASSERT_EQ(read[i], (bytes[at] - zero) * parts.scales[0].read()[at / 20]) << at;
    }
  }
}

TEST(QuantisedConstant, PacksMatricesAndPartsOfThem) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(text(c));
    std::vector<float> values;
    const QuantisedConstant value = make(c, values);
    // B = W and B = its transpose, from row `first` on.
    for (const size_t first : {0, 4}) {
      const size_t rows = kRows - first;
      std::vector<float> own(values.begin() + static_cast<ptrdiff_t>(first * kColumns), values.end()), turned;
      for (size_t j = 0; j < kColumns; ++j) {
        for (size_t i = 0; i < rows; ++i) turned.push_back(own[i * kColumns + j]);
      }
      expect_matrix(*value.pack(recipe_of(value, {first * kColumns, kColumns, 1, rows, kColumns})), own);
      expect_matrix(*value.pack(recipe_of(value, {first * kColumns, 1, kColumns, kColumns, rows})), turned);
    }
    // Some columns, as the first operand's weights in a matrix of both: by their offset, and as a value.
    std::vector<float> some;
    for (size_t j = 5; j < kColumns; ++j) {
      for (size_t i = 0; i < kRows; ++i) some.push_back(values[i * kColumns + j]);
    }
    expect_matrix(*value.pack(recipe_of(value, {5, 1, kColumns, kColumns - 5, kRows})), some);
    const QuantisedConstant part = value.columns(5, kColumns - 5);
    expect_matrix(*part.pack(recipe_of(part, {0, 1, kColumns - 5, kColumns - 5, kRows})), some);
  }
}

TEST(QuantisedConstant, SharesOneNumberAmongGroups) {
  // A scale for each row of B, none of groups, takes no memory a column.
  std::vector<float> values;
  const QuantisedConstant value = make({ElementType::kI8, false, 1, false, 1, false}, values);
  const auto packed = value.pack(recipe_of(value, {0, 1, kColumns, kColumns, kRows}));
  EXPECT_EQ(packed->matrix().group, kColumns);
  EXPECT_NE(packed->matrix().row_scales, nullptr);
  EXPECT_NE(packed->matrix().row_zero_points, nullptr);
  EXPECT_EQ(packed->matrix().zero_points, nullptr);
  const MatrixForm form = matrix_form(value, false);
  EXPECT_TRUE(form.has_column_scales && form.has_column_zero_points && form.has_scales);
  EXPECT_FALSE(form.has_zero_points);
}

TEST(QuantisedConstant, PacksSeveralMatrices) {
  // [3][4][6] with one scale per matrix and column, in either order.
  std::vector<int8_t> bytes(72);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<int8_t>(i * 5);
  QuantisedConstant::Parts parts;
  parts.stored = std::make_shared<ConstantData>(Tensor::of<int8_t>({3, 4, 6}, bytes.data()));
  parts.places = {{3, 4, 6}, {24, 6, 1}};
  parts.axis_of = {0, 1, 2};
  parts.scales.push_back(SharedNumbers::of(kernels::random_floats(18, 1), {{3, 6}, {24, 1}}, {6, 1}));
  parts.zero_point = SharedNumbers::of({3, -1, 2}, {{3}, {24}}, {1});
  const QuantisedConstant value({3, 4, 6}, parts);
  const Tensor all = [&] {
    Tensor tensor(ElementType::kF32, {3, 4, 6});
    value.read(0, value.size(), tensor.mutable_data<float>());
    return tensor;
  }();
  for (const bool transposed : {false, true}) {
    const size_t k = transposed ? 6 : 4, n = transposed ? 4 : 6;
    const size_t k_stride = transposed ? 1 : 6, n_stride = transposed ? 6 : 1;
    const auto packed = value.pack(recipe_of(value, {0, k_stride, n_stride, k, n, 3}));
    ASSERT_EQ(packed->count(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      std::vector<float> expected;
      for (size_t p = 0; p < k; ++p) {
        for (size_t j = 0; j < n; ++j)
          expected.push_back(all.data<float>()[i * 24 + p * k_stride + j * n_stride]);
      }
      expect_matrix(*packed, expected, i);
    }
  }
}

TEST(QuantisedConstant, TakesFactorsAlongAxes) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(text(c));
    std::vector<float> values;
    const QuantisedConstant value = make(c, values);
    const std::vector<float> by_row = kernels::random_floats(kRows, 7),
                             by_column = kernels::random_floats(kColumns, 8);
    const QuantisedConstant scaled = value.scaled({0}, by_row).scaled({1}, by_column);
    std::vector<float> read(values.size());
    scaled.read(0, scaled.size(), read.data());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_FLOAT_EQ(read[i], values[i] * by_row[i / kColumns] * by_column[i % kColumns]) << i;
    EXPECT_FALSE(scaled.equals(value));
    EXPECT_TRUE(value.scaled({0}, by_row).equals(value.scaled({0}, by_row)));
  }
}

// Factors that are equal within groups are as cheap as the scales of these groups.
TEST(QuantisedConstant, FactorsInRunsKeepTheGroups) {
  std::vector<float> values;
  const QuantisedConstant value = make({ElementType::kU4, false, 4, true, kNone, false}, values);
  std::vector<float> factors(kColumns, 2);
  std::fill(factors.begin() + 4, factors.begin() + 8, 3.0f);
  const MatrixForm form = matrix_form(value.scaled({1}, factors, 4), false);
  EXPECT_EQ(form.group, 4u);
  EXPECT_FALSE(form.has_columns());
  EXPECT_TRUE(matrix_form(value.scaled({1}, factors), false).has_column_scales);
}

TEST(QuantisedConstant, IntegersWithoutZeroPoints) {
  const auto integers = [](ElementType type, const std::vector<uint8_t>& bytes, std::vector<float> zeros) {
    QuantisedConstant::Parts parts;
    parts.stored = std::make_shared<ConstantData>(
        Tensor::of<uint8_t>({static_cast<int64_t>(bytes.size())}, bytes.data()));
    if (type == ElementType::kI8) {
      parts.stored = std::make_shared<ConstantData>(Tensor::of<int8_t>(
          {static_cast<int64_t>(bytes.size())}, reinterpret_cast<const int8_t*>(bytes.data())));
    }
    parts.places = {{static_cast<int64_t>(bytes.size())}, {1}};
    parts.axis_of = {0};
    if (!zeros.empty())
      parts.zero_point =
          SharedNumbers::of(zeros, {{static_cast<int64_t>(bytes.size())}, {1}}, {zeros.size() > 1 ? 1 : 0});
    return QuantisedConstant({static_cast<int64_t>(bytes.size())}, parts);
  };
  const QuantisedConstant centred = integers(ElementType::kU8, {0, 128, 255}, {128});
  EXPECT_EQ(centred.integers(), (std::vector<int8_t>{-128, 0, 127}));
  EXPECT_TRUE(centred.surely_fits_s8());
  const QuantisedConstant other = integers(ElementType::kU8, {10, 20, 127}, {10, 5, 0});
  EXPECT_EQ(other.integers(), (std::vector<int8_t>{0, 15, 127}));
  EXPECT_FALSE(other.surely_fits_s8());
  EXPECT_EQ(integers(ElementType::kU8, {10, 20, 200}, {10}).integers(), std::nullopt);
  const QuantisedConstant plain = integers(ElementType::kI8, {10, 20, 200}, {});
  EXPECT_TRUE(plain.surely_fits_s8());
  EXPECT_EQ(plain.integers(), (std::vector<int8_t>{10, 20, -56}));
  EXPECT_FALSE(integers(ElementType::kU8, {1}, {0.5f}).has_packable_zero_points());
}

// Of a transposed matrix of 3 x 4, and of two of its columns; then of single elements, as in filters of 1x1.
TEST(QuantisedConstant, IntegersInTheOrderOfTheValue) {
  std::vector<int8_t> stored(12);
  std::iota(stored.begin(), stored.end(), int8_t{-6});
  QuantisedConstant::Parts parts;
  parts.stored = std::make_shared<ConstantData>(Tensor::of<int8_t>({12}, stored.data()));
  parts.places = {{3, 4}, {1, 3}};
  parts.axis_of = {0, 1};
  const QuantisedConstant matrix({3, 4}, parts);
  EXPECT_EQ(matrix.integers(), (std::vector<int8_t>{-6, -3, 0, 3, -5, -2, 1, 4, -4, -1, 2, 5}));
  EXPECT_EQ(matrix.columns(1, 2).integers(), (std::vector<int8_t>{-3, 0, -2, 1, -1, 2}));
  parts.places = {{12}, {1}};
  parts.axis_of = {0};
  EXPECT_EQ(QuantisedConstant({12, 1, 1}, parts).integers(), stored);
}

}  // namespace
}  // namespace wasmvino::ops
