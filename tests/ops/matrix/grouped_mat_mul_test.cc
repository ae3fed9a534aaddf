// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "../open_inputs.h"
#include "core/float_types.h"

namespace wasmvino::test::grouped_mat_mul_test {
namespace {

// Small integers, so that products are exact in any order.
Tensor numbers(const Shape& shape) {
  Tensor tensor(ElementType::kF32, shape);
  for (size_t i = 0; i < tensor.size(); ++i)
    tensor.mutable_data<float>()[i] = static_cast<float>(i * 7 % 11) - 5.0f;
  return tensor;
}

// Rows first..last of a times the transpose of matrix `group` of b.
void expect_products(const Tensor& a, const Tensor& b, const Tensor& c, size_t first, size_t last,
                     size_t group) {
  const size_t k = static_cast<size_t>(b.shape()[2]), n = static_cast<size_t>(b.shape()[1]);
  for (size_t i = first; i < last; ++i) {
    for (size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (size_t p = 0; p < k; ++p)
        sum += a.data<float>()[i * k + p] * b.data<float>()[(group * n + j) * k + p];
      EXPECT_EQ(c.data<float>()[i * n + j], sum) << "row " << i << ", column " << j;
    }
  }
}

TEST(GroupedMatMul, MultipliesGroupsOfRows) {
  const Tensor a = numbers({9, 5}), b = numbers({4, 11, 5});
  const Tensor offsets = i32s({3, 3, 4, 8});  // the second group is empty, the last row in none
  for (const std::vector<size_t>& constants : {std::vector<size_t>{}, {1}, {1, 2}}) {
    for (const size_t threads : {1, 3}) {
      const Tensor c = run_op_open("GroupedMatMul", 17, {}, {a, b, offsets}, 1, constants, threads)[0];
      ASSERT_EQ(to_string(c.shape()), "[9,11]");
      expect_products(a, b, c, 0, 3, 0);
      expect_products(a, b, c, 3, 4, 2);
      expect_products(a, b, c, 4, 8, 3);
      for (size_t j = 0; j < 11; ++j) EXPECT_EQ(c.data<float>()[8 * 11 + j], 0);
    }
  }
}

TEST(GroupedMatMul, MultipliesUniformGroups) {
  const Tensor a = numbers({3, 2, 4}), b = numbers({3, 5, 4});
  for (const std::vector<size_t>& constants : {std::vector<size_t>{}, {1}}) {
    const Tensor c = run_op_open("GroupedMatMul", 17, {}, {a, b}, 1, constants)[0];
    ASSERT_EQ(to_string(c.shape()), "[3,2,5]");
    for (size_t group = 0; group < 3; ++group) expect_products(a, b, c, 2 * group, 2 * group + 2, group);
  }
}

TEST(GroupedMatMul, TakesOtherTypesAndEmptySizes) {
  const auto half = [](const Shape& shape) {
    Tensor tensor(ElementType::kF16, shape);
    for (size_t i = 0; i < tensor.size(); ++i)
      tensor.mutable_data<Float16>()[i] = Float16(static_cast<float>(i));
    return tensor;
  };
  EXPECT_EQ(text_of(run_op("GroupedMatMul", 17, {}, {half({2, 2}), half({2, 1, 2}), i64s({1, 2})})[0]),
            "[2,1] 1 13");
  EXPECT_EQ(text_of(run_op("GroupedMatMul", 17, {}, {numbers({2, 0}), numbers({1, 3, 0}), i64s({2})})[0]),
            "[2,3] 0 0 0 0 0 0");
  EXPECT_EQ(text_of(run_op("GroupedMatMul", 17, {}, {numbers({0, 4}), numbers({1, 3, 4}), i64s({0})})[0]),
            "[0,3]");
}

TEST(GroupedMatMul, InfersShapes) {
  const auto b = open(ElementType::kF32, {3, 5, 4});
  const auto unknown = open(ElementType::kF32, PartialShape());
  EXPECT_EQ(infer_shape("GroupedMatMul", 17, {}, {unknown, b, open(ElementType::kI32, {Dimension()})}),
            "[?,5]");
  EXPECT_EQ(infer_shape("GroupedMatMul", 17, {}, {unknown, b}), "[3,?,5]");
  EXPECT_EQ(infer_shape("GroupedMatMul", 17, {}, {unknown, unknown}), "[?,?,?]");
}

TEST(GroupedMatMul, Refuses) {
  const auto run = [](const std::vector<Tensor>& inputs) { run_op("GroupedMatMul", 17, {}, inputs); };
  const Tensor a = numbers({4, 5}), b = numbers({2, 3, 5});
  expect_error(ErrorCode::kInvalidValue, "offsets[1] is 5 after 1, expected ascending offsets up to 4",
               [&] { run({a, b, i32s({1, 5})}); });
  expect_error(ErrorCode::kInvalidValue, "offsets[1] is 0 after 1", [&] { run({a, b, i32s({1, 0})}); });
  expect_error(ErrorCode::kInvalidShape, "axis 0 of offsets [3] is 3, axis 0 of mat_b is 2",
               [&] { run({a, b, i32s({1, 2, 4})}); });
  expect_error(ErrorCode::kInvalidShape, "their last axes differ",
               [&] { run({numbers({4, 6}), b, i32s({1, 4})}); });
  expect_error(ErrorCode::kInvalidShape, "mat_a", [&] { run({a, b}); });
  expect_error(ErrorCode::kInvalidShape, "their numbers of groups differ",
               [&] { run({numbers({3, 4, 5}), b}); });
  expect_error(ErrorCode::kInvalidType, "offsets has element type f32, expected i32 or i64",
               [&] { run({a, b, Tensor::of<float>({2}, {1, 4})}); });
}

}  // namespace
}  // namespace wasmvino::test::grouped_mat_mul_test
