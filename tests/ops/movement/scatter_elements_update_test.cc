// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/float_types.h"

namespace wasmvino::test::scatter_elements_update_test {
namespace {

template <typename T>
std::string update(const Tensor& data, const Tensor& indices, std::initializer_list<T> updates, int64_t axis,
                   const char* reduction = "none", const char* use_init_val = "true", int opset = 12) {
  return text_of(run_op("ScatterElementsUpdate", opset,
                        {{"reduction", reduction}, {"use_init_val", use_init_val}},
                        {data, indices, Tensor::of<T>(indices.shape(), updates), Tensor::scalar(axis)})[0]);
}

Tensor indices(Shape shape, std::initializer_list<int64_t> values) {
  return Tensor::of<int64_t>(std::move(shape), values);
}

// The specification's examples.
TEST(ScatterElementsUpdate, ReplacesElements) {
  const Tensor zeros = Tensor::of<float>({3, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  for (const int opset : {3, 12}) {
    EXPECT_EQ(update<float>(zeros, indices({2, 2}, {1, 2, 0, 3}), {11, 12, 13, 14}, 1, "none", "true", opset),
              "[3,4] 0 11 12 0 13 0 0 14 0 0 0 0");
  }
  EXPECT_EQ(update<int32_t>(iota<int32_t>({2, 3}), indices({1, 3}, {1, 0, -1}), {7, 8, 9}, -2),
            "[2,3] 0 8 2 7 4 9");
}

TEST(ScatterElementsUpdate, ReducesInEveryWay) {
  const Tensor data = Tensor::of<float>({4}, {2, 3, 4, 6});
  const Tensor at = indices({6}, {1, 0, 0, -2, -1, 2});
  EXPECT_EQ(update<float>(data, at, {10, 20, 30, 40, 70, 60}, 0, "sum"), "[4] 52 13 104 76");
  EXPECT_EQ(update<float>(data, at, {10, 20, 30, 40, 70, 60}, 0, "sum", "false"), "[4] 50 10 100 70");
  const Tensor own = Tensor::of<float>({3}, {1, 2, 3});
  const Tensor pair = indices({3}, {0, 0, 1});
  EXPECT_EQ(update<float>(own, pair, {10, -20, 7}, 0, "prod"), "[3] -200 14 3");
  EXPECT_EQ(update<float>(own, pair, {10, -20, 7}, 0, "min"), "[3] -20 2 3");
  EXPECT_EQ(update<float>(own, pair, {10, -20, 7}, 0, "min", "false"), "[3] -20 7 3");
  EXPECT_EQ(update<float>(own, pair, {10, -20, 7}, 0, "max"), "[3] 10 7 3");
  EXPECT_EQ(update<float>(own, pair, {-10, -20, -7}, 0, "max", "false"), "[3] -10 -7 3");
  EXPECT_EQ(update<float>(own, pair, {10, 4, 8}, 0, "mean"), "[3] 5 5 3");
  EXPECT_EQ(update<float>(own, pair, {10, 4, 8}, 0, "mean", "false"), "[3] 7 8 3");
  EXPECT_EQ(update<float>(own, pair, {10, 4, 8}, 0, "none", "false"), "[3] 4 8 3");
}

// "For integer types the calculated mean is rounded down (towards negative infinity)."
TEST(ScatterElementsUpdate, RoundsTheMeanOfIntegersDown) {
  EXPECT_EQ(update<int32_t>(i32s({1, 5}), indices({1}, {0}), {-4}, 0, "mean"), "[2] -2 5");
  EXPECT_EQ(update<int32_t>(i32s({1, 5}), indices({2}, {1, 1}), {2, 1}, 0, "mean", "false"), "[2] 1 1");
  EXPECT_EQ(
      update<uint8_t>(Tensor::of<uint8_t>({1}, {1}), indices({2}, {0, 0}), {200, 100}, 0, "mean", "false"),
      "[1] 150");
}

TEST(ScatterElementsUpdate, WorksOnAllTypes) {
  const Tensor at = indices({3}, {0, 0, 1});
  EXPECT_EQ(update<uint8_t>(iota<uint8_t>({2}), at, {200, 100, 1}, 0, "sum"), "[2] 44 2") << "it wraps";
  EXPECT_EQ(update<int16_t>(iota<int16_t>({2}), at, {2, 3, 4}, 0, "sum"), "[2] 5 5");
  EXPECT_EQ(update<int64_t>(iota<int64_t>({2}), at, {2, 3, 4}, 0, "sum"), "[2] 5 5");
  EXPECT_EQ(update<double>(iota<double>({2}), at, {2, 3, 4}, 0, "sum"), "[2] 5 5");
  const Tensor half = Tensor::of<Float16>({2}, {Float16(1), Float16(2)});
  EXPECT_EQ(update<Float16>(half, at, {Float16(0.5f), Float16(2), Float16(3)}, 0, "sum"), "[2] 3.5 5");
  EXPECT_EQ(update<Float16>(half, at, {Float16(0.5f), Float16(2), Float16(3)}, 0, "none"), "[2] 2 3");
  EXPECT_EQ(update<std::string>(strings({2}), at, {"a", "b", "c"}, 0), "[2] b c");
}

TEST(ScatterElementsUpdate, AccumulatesF16InWiderNumbers) {
  Tensor updates(ElementType::kF16, {1000});
  for (size_t i = 0; i < 1000; ++i) updates.mutable_data<Float16>()[i] = Float16(1.0f);
  Tensor at(ElementType::kI32, {1000});
  std::fill_n(at.mutable_data<int32_t>(), 1000, 0);
  const Tensor data = Tensor::of<Float16>({1}, {Float16(2048)});  // 2048 + 1 is 2048 in f16
  EXPECT_EQ(text_of(run_op("ScatterElementsUpdate", 12, {{"reduction", "sum"}},
                           {data, at, updates, Tensor::scalar<int32_t>(0)})[0]),
            "[1] 3048");
}

TEST(ScatterElementsUpdate, TreatsBooleansAsLogic) {
  const Tensor data = Tensor::of<bool>({3}, {true, false, false});
  const Tensor at = indices({2}, {0, 1});
  EXPECT_EQ(update<bool>(data, at, {false, true}, 0, "sum"), "[3] 1 1 0");
  EXPECT_EQ(update<bool>(data, at, {false, true}, 0, "prod"), "[3] 0 0 0");
  EXPECT_EQ(update<bool>(data, at, {false, true}, 0, "max"), "[3] 1 1 0");
  EXPECT_EQ(update<bool>(data, at, {false, true}, 0, "min", "false"), "[3] 0 1 0");
  expect_error(ErrorCode::kInvalidType, "which has no mean",
               [&] { update<bool>(data, at, {false, true}, 0, "mean"); });
}

TEST(ScatterElementsUpdate, RefusesWhatDoesNotFit) {
  const Tensor data = iota({2, 3});
  expect_error(ErrorCode::kInvalidValue, "element 1 of indices is 3, outside -3..2",
               [&] { update<float>(data, indices({1, 2}, {0, 3}), {1, 2}, 1); });
  expect_error(ErrorCode::kInvalidShape, "longer than data [2,3] on axis 0",
               [&] { update<float>(data, indices({3, 1}, {0, 0, 0}), {1, 2, 3}, 1); });
  expect_error(ErrorCode::kInvalidShape, "their ranks differ",
               [&] { update<float>(data, indices({1}, {0}), {1}, 1); });
  expect_error(ErrorCode::kInvalidShape, "updates have shape [2], expected [1,1], the shape of indices", [&] {
    run_op("ScatterElementsUpdate", 12, {},
           {data, indices({1, 1}, {0}), iota({2}), Tensor::scalar<int64_t>(0)});
  });
  expect_error(ErrorCode::kInvalidType, "updates has element type i32, data has f32",
               [&] { update<int32_t>(data, indices({1, 1}, {0}), {1}, 1); });
}

}  // namespace
}  // namespace wasmvino::test::scatter_elements_update_test
