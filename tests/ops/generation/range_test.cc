// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::range_test {
namespace {

template <typename T>
std::string range(const char* output_type, T start, T stop, T step) {
  return text_of(run_op("Range", 4, {{"output_type", output_type}},
                        {Tensor::scalar(start), Tensor::scalar(stop), Tensor::scalar(step)})[0]);
}

TEST(Range, CountsUpAndDown) {
  EXPECT_EQ(range<int32_t>("i32", 2, 23, 3), "[7] 2 5 8 11 14 17 20");
  EXPECT_EQ(range<int32_t>("i32", 23, 2, -3), "[7] 23 20 17 14 11 8 5");
  EXPECT_EQ(range<float>("f32", 1, 2.5f, 0.5f), "[3] 1 1.5 2");
  EXPECT_EQ(range<int64_t>("i64", 5, 5, 1), "[0]");
  EXPECT_EQ(range<int64_t>("i64", 3, 1, 1), "[0]");
}

TEST(Range, GivesAnyNumericType) {
  EXPECT_EQ(range<int32_t>("f32", 0, 3, 2), "[2] 0 2");
  EXPECT_EQ(range<float>("f16", 0, 1, 0.25f), "[4] 0 0.25 0.5 0.75");
  EXPECT_EQ(range<float>("bf16", 0, 1, 0.5f), "[2] 0 0.5");
  EXPECT_EQ(range<double>("f64", 0, 1, 0.5), "[2] 0 0.5");
  EXPECT_EQ(range<int32_t>("u8", 250, 256, 2), "[3] 250 252 254");
  EXPECT_EQ(range<int32_t>("i8", -2, 1, 1), "[3] -2 -1 0");
}

// "The rounding for casting values are done towards zero", before anything is counted.
TEST(Range, TruncatesForAnIntegralOutput) {
  EXPECT_EQ(range<float>("i32", 0.5f, 4.7f, 1.5f), "[4] 0 1 2 3");
  EXPECT_EQ(range<float>("i64", 3.9f, -0.9f, -1.2f), "[3] 3 2 1");
}

TEST(Range, CountsLargeIntegersExactly) {
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  expect_tensor<int64_t>(
      run_op("Range", 4, {{"output_type", "i64"}},
             {Tensor::scalar(kHigh - 1), Tensor::scalar(kHigh), Tensor::scalar<int64_t>(5)})[0],
      {1}, {kHigh - 1});
  constexpr int64_t kFirst = (int64_t{1} << 60) + 1;
  const Tensor output =
      run_op("Range", 4, {{"output_type", "i64"}},
             {Tensor::scalar(kFirst), Tensor::scalar(kFirst + 3), Tensor::scalar<int64_t>(2)})[0];
  expect_tensor<int64_t>(output, {2}, {kFirst, kFirst + 2});
}

TEST(Range, TakesItsTypeFromTheInputsInOpset1) {
  const Tensor output =
      run_op("Range", 1, {}, {Tensor::scalar(0.0f), Tensor::scalar(-2.0f), Tensor::scalar(-0.5f)})[0];
  EXPECT_EQ(text_of(output), "[4] 0 -0.5 -1 -1.5");
  expect_error(ErrorCode::kInvalidType, "stop has element type i32, start has f32", [] {
    run_op("Range", 1, {}, {Tensor::scalar(0.0f), Tensor::scalar(2), Tensor::scalar(1.0f)});
  });
}

TEST(Range, WaitsForItsInputs) {
  const auto scalar = open(ElementType::kI64, {});
  EXPECT_EQ(infer_shape("Range", 4, {{"output_type", "i32"}}, {scalar, scalar, scalar}), "[?]");
}

TEST(Range, RefusesEndlessOnes) {
  expect_error(ErrorCode::kInvalidValue, "step is 0", [] { range<int32_t>("i32", 0, 3, 0); });
  expect_error(ErrorCode::kInvalidValue, "step is 0", [] { range<float>("i32", 0, 3, 0.5f); });
  expect_error(ErrorCode::kInvalidValue, "is inf",
               [] { range<float>("f32", 0, std::numeric_limits<float>::infinity(), 1); });
  expect_error(ErrorCode::kInvalidShape, "the range has 9",
               [] { range<int64_t>("i64", 0, std::numeric_limits<int64_t>::max(), 1); });
  expect_error(ErrorCode::kInvalidShape, "start has shape [2]", [] {
    run_op("Range", 4, {{"output_type", "i32"}}, {i32s({0, 1}), Tensor::scalar(1), Tensor::scalar(1)});
  });
  expect_error(ErrorCode::kInvalidType, "the output has element type string",
               [] { range<int32_t>("string", 0, 3, 1); });
}

}  // namespace
}  // namespace wasmvino::test::range_test
