// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::unsqueeze_test {
namespace {

using model::ValueInfo;

std::string unsqueeze(const Shape& shape, const Tensor& axes) {
  return to_string(run_op("Unsqueeze", 1, {}, {iota(shape), axes})[0].shape());
}

TEST(Unsqueeze, InsertsAxesWhereTheOutputHasThem) {
  EXPECT_EQ(text_of(run_op("Unsqueeze", 1, {}, {iota({2, 3}), i64s({0, 3})})[0]), "[1,2,3,1] 0 1 2 3 4 5");
  EXPECT_EQ(unsqueeze({2, 3}, i64s({1, -1})), "[2,1,3,1]");
  EXPECT_EQ(unsqueeze({6}, i32s({2, 0})), "[1,6,1]");
  EXPECT_EQ(unsqueeze({}, Tensor::scalar<int64_t>(-1)), "[1]");
}

TEST(Unsqueeze, CountsAnAxisWrittenTwiceOnce) { EXPECT_EQ(unsqueeze({6}, i64s({0, 0})), "[1,6]"); }

TEST(Unsqueeze, InfersOpenShapes) {
  EXPECT_EQ(
      infer_shape("Unsqueeze", 1, {}, {open(ElementType::kF32, {Dimension(), 3}), ValueInfo::of(i64s({1}))}),
      "[?,1,3]");
  EXPECT_EQ(
      infer_shape("Unsqueeze", 1, {}, {open(ElementType::kF32, PartialShape()), ValueInfo::of(i64s({1}))}),
      "[...]");
}

TEST(Unsqueeze, RefusesAxesThatAreNoneOrTheSame) {
  expect_error(ErrorCode::kInvalidValue, "axes is 5, outside -2..1", [] { unsqueeze({6}, i64s({5})); });
  expect_error(ErrorCode::kInvalidValue, "contain axis 0 twice", [] { unsqueeze({6}, i64s({0, -3})); });
  expect_error(ErrorCode::kInvalidValue, "contain axis 3 twice", [] { unsqueeze({2, 3}, i64s({-1, 3})); });
}

}  // namespace
}  // namespace wasmvino::test::unsqueeze_test
