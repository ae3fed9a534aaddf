// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/float_types.h"

namespace wasmvino::test::prelu_test {
namespace {

Tensor prelu(const Tensor& x, const Tensor& slope) { return run_op("PRelu", 1, {}, {x, slope})[0]; }

TEST(PRelu, ASlopeAsLongAsAxis1BelongsToIt) {
  const Tensor x = Tensor::of<float>({1, 2, 2}, {-1, -2, -3, 4});
  expect_tensor<float>(prelu(x, Tensor::of<float>({2}, {10, 100})), {1, 2, 2}, {-10, -20, -300, 4});
  // Also where the last axis is as long, and for data of two axes.
  expect_tensor<float>(prelu(Tensor::of<float>({2, 2}, {-1, -2, -3, 4}), Tensor::of<float>({2}, {10, 100})),
                       {2, 2}, {-10, -200, -30, 4});
  expect_tensor<float>(prelu(Tensor::of<float>({3}, {-1, -2, 3}), Tensor::of<float>({3}, {2, 3, 4})), {3},
                       {-2, -6, 3});
}

TEST(PRelu, OtherSlopesBroadcastAsInNumpy) {
  const Tensor x = Tensor::of<float>({1, 2, 3}, {-1, -2, -3, -4, -5, 6});
  expect_tensor<float>(prelu(x, Tensor::of<float>({3}, {1, 10, 100})), {1, 2, 3},
                       {-1, -20, -300, -4, -50, 6});
  expect_tensor<float>(prelu(x, Tensor::of<float>({1}, {2})), {1, 2, 3}, {-2, -4, -6, -8, -10, 6});
  expect_tensor<float>(prelu(x, Tensor::scalar(2.0f)), {1, 2, 3}, {-2, -4, -6, -8, -10, 6});
  expect_tensor<float>(prelu(x, Tensor::of<float>({2, 1}, {2, 3})), {1, 2, 3}, {-2, -4, -6, -12, -15, 6});
  expect_tensor<float>(prelu(x, Tensor::of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6})), {1, 2, 3},
                       {-1, -4, -9, -16, -25, 6});
}

TEST(PRelu, TakesAllNumericTypes) {
  const Tensor slope = Tensor::scalar<int32_t>(3);
  expect_tensor<int32_t>(prelu(Tensor::of<int32_t>({2}, {-2, 5}), slope), {2}, {-6, 5});
  expect_tensor<double>(prelu(Tensor::of<double>({2}, {-2, 5}), Tensor::scalar(0.25)), {2}, {-0.5, 5});
  expect_tensor<uint8_t>(prelu(Tensor::of<uint8_t>({2}, {2, 250}), Tensor::scalar<uint8_t>(3)), {2},
                         {2, 250});
}

TEST(PRelu, TakesSlopesOfAnotherType) {
  const Tensor x = Tensor::of<Float16>({2}, {Float16(-2), Float16(5)});
  EXPECT_EQ(text_of(prelu(x, Tensor::scalar(0.25f))), "[2] -0.5 5");
  expect_error(ErrorCode::kInvalidType, "slope has element type string",
               [&] { prelu(x, Tensor(ElementType::kString, {})); });
}

TEST(PRelu, RefusesSlopesThatDoNotFit) {
  const Tensor x(ElementType::kF32, {1, 2, 3});
  expect_error(ErrorCode::kInvalidShape, "a slope of shape [5] cannot be broadcast to data of shape [1,2,3]",
               [&] { prelu(x, Tensor(ElementType::kF32, {5})); });
  expect_error(ErrorCode::kInvalidShape, "a slope of shape [4,2,3] cannot be broadcast to",
               [&] { prelu(x, Tensor(ElementType::kF32, {4, 2, 3})); });
  expect_error(ErrorCode::kInvalidShape, "a slope of shape [1,1,2,3] cannot be broadcast to",
               [&] { prelu(x, Tensor(ElementType::kF32, {1, 1, 2, 3})); });
}

TEST(PRelu, InfersTheShapeOfTheData) {
  const model::ValueInfo x{ElementType::kF32, PartialShape{Dimension(), Dimension(), 3}, nullptr};
  const model::ValueInfo slope{ElementType::kF32, PartialShape{7}, nullptr};
  EXPECT_EQ(to_string(infer_op("PRelu", 1, {}, {x, slope})[0].shape), "[?,?,3]");
}

}  // namespace
}  // namespace wasmvino::test::prelu_test
