// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::squeeze_test {
namespace {

using model::ValueInfo;

TEST(Squeeze, DropsTheAxesNamed) {
  EXPECT_EQ(text_of(run_op("Squeeze", 1, {}, {iota({1, 3, 1, 2}), i64s({0, 2})})[0]), "[3,2] 0 1 2 3 4 5");
  EXPECT_EQ(text_of(run_op("Squeeze", 1, {}, {iota({1, 3, 1, 2}), i32s({-2})})[0]), "[1,3,2] 0 1 2 3 4 5");
  EXPECT_EQ(text_of(run_op("Squeeze", 15, {}, {iota({1}), Tensor::scalar<int64_t>(0)})[0]), "[] 0");
  EXPECT_EQ(text_of(run_op("Squeeze", 1, {}, {strings({1, 2, 1}), i64s({0, 0})})[0]), "[2,1] 0 1");
}

TEST(Squeeze, DropsAllAxesOfSizeOneWhereNoneIsNamed) {
  EXPECT_EQ(text_of(run_op("Squeeze", 1, {}, {iota({1, 3, 1})})[0]), "[3] 0 1 2");
  EXPECT_EQ(text_of(run_op("Squeeze", 1, {}, {iota({1, 3, 1}), i64s({})})[0]), "[3] 0 1 2");
}

TEST(Squeeze, KeepsAnAxisOfAnotherSize) {
  for (const int opset : {1, 15}) {
    EXPECT_EQ(text_of(run_op("Squeeze", opset, {}, {iota({1, 3}), i64s({0, 1})})[0]), "[3] 0 1 2");
  }
}

TEST(Squeeze, InfersOpenSizes) {
  const ValueInfo data = open(ElementType::kF32, {Dimension(), 3, 1});
  EXPECT_EQ(infer_shape("Squeeze", 1, {}, {data}), "[...]");
  EXPECT_EQ(infer_shape("Squeeze", 1, {}, {data, ValueInfo::of(i64s({0}))}), "[3,1]");
  EXPECT_EQ(infer_shape("Squeeze", 15, {{"allow_axis_skip", "true"}}, {data, ValueInfo::of(i64s({0}))}),
            "[...]");
  EXPECT_EQ(infer_shape("Squeeze", 15, {{"allow_axis_skip", "true"}}, {data, ValueInfo::of(i64s({2}))}),
            "[?,3]");
  EXPECT_EQ(infer_shape("Squeeze", 1, {}, {data, open(ElementType::kI64, {1})}), "[...]");
  const ValueInfo bounded = open(ElementType::kF32, {Dimension(2, 5), 1});
  EXPECT_EQ(infer_shape("Squeeze", 1, {}, {bounded}), "[2..5]");
}

TEST(Squeeze, RefusesAxesThatAreNone) {
  expect_error(ErrorCode::kInvalidValue, "axes is 3, outside -3..2",
               [] { run_op("Squeeze", 1, {}, {iota({1, 3, 1}), i64s({3})}); });
  expect_error(ErrorCode::kInvalidType, "axes has element type boolean",
               [] { run_op("Squeeze", 1, {}, {iota({1, 3, 1}), Tensor(ElementType::kBoolean, {1})}); });
}

}  // namespace
}  // namespace wasmvino::test::squeeze_test
