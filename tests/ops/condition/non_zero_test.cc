// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/float_types.h"

namespace wasmvino::test::non_zero_test {
namespace {

std::string non_zero(const Tensor& data, const char* output_type = "i64") {
  return text_of(run_op("NonZero", 3, {{"output_type", output_type}}, {data})[0]);
}

TEST(NonZero, ListsPositionsRowByRow) {
  EXPECT_EQ(non_zero(Tensor::of<float>({2, 3}, {0, 1, 2, 0, 0, 3})), "[2,3] 0 0 1 1 2 2");
  EXPECT_EQ(non_zero(Tensor::of<int32_t>({4}, {5, 0, 0, -5}), "i32"), "[1,2] 0 3");
  EXPECT_EQ(non_zero(Tensor::of<float>({2, 1, 2}, {0, 1, 1, 0})), "[3,2] 0 1 0 0 1 0");
}

TEST(NonZero, TellsZerosByValue) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(non_zero(Tensor::of<float>({4}, {-0.0f, nan, 1e-42f, 0})), "[1,2] 1 2");
  EXPECT_EQ(non_zero(Tensor::of<Float16>({2}, {Float16(-0.0f), Float16(1)})), "[1,1] 1");
  EXPECT_EQ(non_zero(Tensor::of<double>({2}, {-0.0, 1})), "[1,1] 1");
  EXPECT_EQ(non_zero(Tensor::of<int8_t>({2}, {-128, 0})), "[1,1] 0");
  EXPECT_EQ(non_zero(Tensor::of<bool>({2}, {false, true})), "[1,1] 1");
  EXPECT_EQ(non_zero(Tensor::of<uint64_t>({2}, {uint64_t{1} << 63, 0})), "[1,1] 0");
}

TEST(NonZero, TakesScalarsAndArraysWithoutAny) {
  EXPECT_EQ(non_zero(Tensor::scalar(3.0f)), "[1,1] 0");
  EXPECT_EQ(non_zero(Tensor::scalar(0.0f)), "[1,0]");
  EXPECT_EQ(non_zero(Tensor::of<float>({2, 2}, {0, 0, 0, 0})), "[2,0]");
  EXPECT_EQ(non_zero(iota({2, 0})), "[2,0]");
}

TEST(NonZero, InfersBounds) {
  EXPECT_EQ(infer_shape("NonZero", 3, {}, {open(ElementType::kF32, {2, 3})}), "[2,..6]");
  EXPECT_EQ(infer_shape("NonZero", 3, {}, {open(ElementType::kF32, {Dimension(), 3})}), "[2,?]");
  EXPECT_EQ(infer_shape("NonZero", 3, {}, {open(ElementType::kF32, PartialShape())}), "[?,?]");
  expect_error(ErrorCode::kInvalidModel, "attribute 'output_type' is f32",
               [] { non_zero(iota({2}), "f32"); });
}

}  // namespace
}  // namespace wasmvino::test::non_zero_test
