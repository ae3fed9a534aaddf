// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::one_hot_test {
namespace {

using model::ValueInfo;

std::string one_hot(const Tensor& indices, int64_t depth, const char* axis, const Tensor& on,
                    const Tensor& off, const char* mode = "ignore_negative") {
  return text_of(run_op("OneHot", 16, {{"axis", axis}, {"negative_indices_mode", mode}},
                        {indices, Tensor::scalar(depth), on, off})[0]);
}

std::string one_hot(const Tensor& indices, int64_t depth, const char* axis,
                    const char* mode = "ignore_negative") {
  return one_hot(indices, depth, axis, Tensor::scalar(1.0f), Tensor::scalar(0.0f), mode);
}

TEST(OneHot, PutsTheNewAxisAnywhere) {
  EXPECT_EQ(one_hot(i64s({0, 2}), 3, "-1"), "[2,3] 1 0 0 0 0 1");
  EXPECT_EQ(one_hot(i32s({0, 2}), 3, "0"), "[3,2] 1 0 0 0 0 1");
  EXPECT_EQ(one_hot(Tensor::of<int64_t>({2, 3}, {0, 3, 1, 1, 2, 4}), 3, "1"),
            "[2,3,3] 1 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 1 0");
  EXPECT_EQ(one_hot(Tensor::scalar<int64_t>(1), 3, "0"), "[3] 0 1 0");
  EXPECT_EQ(one_hot(i64s({0}), 0, "-1"), "[1,0]");
}

TEST(OneHot, IgnoresOrNormalisesNegativeIndices) {
  const Tensor indices = i64s({0, -5, -2, 2, 3});
  const Tensor one = Tensor::scalar<int32_t>(1);
  const Tensor two = Tensor::scalar<int32_t>(2);
  EXPECT_EQ(one_hot(indices, 3, "-1", one, two), "[5,3] 1 2 2 2 2 2 2 2 2 2 2 1 2 2 2");
  EXPECT_EQ(one_hot(indices, 3, "-1", one, two, "normalize"), "[5,3] 1 2 2 2 2 2 2 1 2 2 2 1 2 2 2");
  EXPECT_EQ(
      text_of(run_op("OneHot", 1, {{"axis", "-1"}}, {indices, Tensor::scalar<int64_t>(3), one, two})[0]),
      "[5,3] 1 2 2 2 2 2 2 2 2 2 2 1 2 2 2");
}

TEST(OneHot, WritesValuesOfAnyType) {
  EXPECT_EQ(one_hot(i64s({1}), 2, "-1", Tensor::scalar<uint8_t>(7), Tensor::scalar<uint8_t>(3)), "[1,2] 3 7");
  EXPECT_EQ(one_hot(i64s({1}), 2, "-1", Tensor::scalar<int16_t>(7), Tensor::scalar<int16_t>(3)), "[1,2] 3 7");
  EXPECT_EQ(one_hot(i64s({1}), 2, "-1", Tensor::scalar<int64_t>(7), Tensor::scalar<int64_t>(3)), "[1,2] 3 7");
  EXPECT_EQ(one_hot(i64s({1}), 2, "-1", Tensor::scalar<std::string>("y"), Tensor::scalar<std::string>("n")),
            "[1,2] n y");
}

TEST(OneHot, InfersOpenShapes) {
  const ValueInfo value = open(ElementType::kF32, {});
  EXPECT_EQ(infer_shape("OneHot", 1, {{"axis", "1"}},
                        {open(ElementType::kI64, {Dimension(), 4}), ValueInfo::of(Tensor::scalar<int64_t>(9)),
                         value, value}),
            "[?,9,4]");
  EXPECT_EQ(infer_shape("OneHot", 1, {{"axis", "1"}},
                        {open(ElementType::kI64, {2}), open(ElementType::kI64, {}), value, value}),
            "[2,?]");
}

TEST(OneHot, RefusesWhatContradictsItself) {
  expect_error(ErrorCode::kInvalidValue, "depth is -3", [] { one_hot(i64s({0}), -3, "-1"); });
  expect_error(ErrorCode::kInvalidValue, "attribute 'axis' is 5, outside -2..1",
               [] { one_hot(i64s({0}), 3, "5"); });
  expect_error(ErrorCode::kInvalidType, "off_value has element type i32, on_value has f32",
               [] { one_hot(i64s({0}), 3, "-1", Tensor::scalar(1.0f), Tensor::scalar<int32_t>(0)); });
  expect_error(ErrorCode::kInvalidType, "indices has element type f32", [] { one_hot(iota({1}), 3, "-1"); });
}

}  // namespace
}  // namespace wasmvino::test::one_hot_test
