// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/pooling/pooling_tester.h"

namespace wasmvino::test::adaptive_avg_pool_test {
namespace {

TEST(AdaptiveAvgPool, WindowsShareTheAxes) {
  const auto run = [](const Tensor& data, const Tensor& sizes) {
    return run_op("AdaptiveAvgPool", 8, {}, {data, sizes})[0];
  };
  const Tensor row = Tensor::of<float>({1, 1, 5}, {1, 2, 4, 8, 16});
  expect_near(run(row, i64s({1})), {1, 1, 1}, {6.2f});
  expect_near(run(row, i64s({2})), {1, 1, 2}, {7.0f / 3, 28.0f / 3});
  expect_near(run(row, i32s({3})), {1, 1, 3}, {1.5f, 14.0f / 3, 12});
  expect_near(run(row, i64s({5})), {1, 1, 5}, {1, 2, 4, 8, 16});
  expect_near(run(row, i64s({7})), {1, 1, 7}, {1, 1.5f, 3, 4, 6, 12, 16});
  expect_near(run(iota({1, 2, 2, 3}), i64s({1, 2})), {1, 2, 1, 2}, {2, 3, 8, 9});
  expect_near(run(iota({1, 1, 2, 2, 2}), i64s({1, 2, 1})), {1, 1, 1, 2, 1}, {2.5f, 4.5f});
  EXPECT_EQ(text_of(run(Tensor::of<int32_t>({1, 1, 3}, {1, 1, 3}), i64s({1}))), "[1,1,1] 2");
}

TEST(AdaptiveAvgPool, ManyPlanesOnThreads) {
  const Tensor data = random_tensor({3, 7, 30, 41}, 3);
  const std::vector<Tensor> inputs = {data, i64s({4, 6})};
  const Tensor one = run_op_open("AdaptiveAvgPool", 8, {}, inputs, 1, {1}, 1)[0];
  const Tensor three = run_op_open("AdaptiveAvgPool", 8, {}, inputs, 1, {1}, 3)[0];
  for (size_t i = 0; i < one.size(); ++i) ASSERT_EQ(one.data<float>()[i], three.data<float>()[i]);
  double sum = 0;
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < 7; ++x) sum += data.data<float>()[y * 41 + x];
  }
  EXPECT_NEAR(one.data<float>()[0], sum / 56, 1e-6);
}

TEST(AdaptiveAvgPool, OpenShapesAndErrors) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const model::ValueInfo& sizes) {
    return infer_shape("AdaptiveAvgPool", 8, {}, {open(ElementType::kF32, data), sizes});
  };
  EXPECT_EQ(shape({any, 3, any, 9}, model::ValueInfo::of(i64s({2, 5}))), "[?,3,2,5]");
  EXPECT_EQ(shape({any, 3, any, 9}, open(ElementType::kI64, {2})), "[?,3,?,?]");
  EXPECT_EQ(shape(PartialShape(), model::ValueInfo::of(i64s({2, 5}))), "[?,?,2,5]");
  expect_error(ErrorCode::kInvalidShape, "output_shape has 1 elements",
               [&] { shape({1, 3, 4, 4}, open(ElementType::kI64, {1})); });
  expect_error(ErrorCode::kInvalidValue, "output_shape is [-1,2]",
               [&] { shape({1, 3, 4, 4}, model::ValueInfo::of(i64s({-1, 2}))); });
  expect_error(ErrorCode::kInvalidType, "output_shape has element type boolean",
               [&] { shape({1, 3, 4}, model::ValueInfo::of(Tensor::of<bool>({1}, {true}))); });
}

// Products of sizes are more than 32 bits hold; windows of one element give the elements.
TEST(AdaptiveAvgPool, OfManyWindows) {
  const int64_t count = 65'536;
  const Tensor data = iota({1, 1, count});
  EXPECT_TRUE(same_elements(run_op("AdaptiveAvgPool", 8, {}, {data, i64s({count})})[0], data));
}

TEST(AdaptiveAvgPool, RefusesAnEmptyAxis) {
  expect_error(ErrorCode::kInvalidShape, "1 or more elements along spatial axis 1", [] {
    run_op("AdaptiveAvgPool", 8, {}, {Tensor(ElementType::kF32, {1, 2, 3, 0}), i64s({2, 2})});
  });
}

}  // namespace
}  // namespace wasmvino::test::adaptive_avg_pool_test
