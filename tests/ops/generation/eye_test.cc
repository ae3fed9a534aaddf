// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::eye_test {
namespace {

using model::ValueInfo;

std::string eye(const char* type, int64_t rows, int64_t columns, int64_t diagonal,
                std::optional<Tensor> batch = {}) {
  std::vector<Tensor> inputs = {Tensor::scalar(rows), Tensor::scalar(columns), i64s({diagonal})};
  if (batch) inputs.push_back(*batch);
  return text_of(run_op("Eye", 9, {{"output_type", type}}, inputs)[0]);
}

// The specification's examples.
TEST(Eye, PutsOnesOnTheDiagonal) {
  EXPECT_EQ(eye("i32", 3, 4, 2), "[3,4] 0 0 1 0 0 0 0 1 0 0 0 0");
  EXPECT_EQ(eye("i32", 3, 4, -1), "[3,4] 0 0 0 0 1 0 0 0 0 1 0 0");
  EXPECT_EQ(eye("f16", 2, 2, 5, i64s({1, 2})), "[1,2,2,2] 0 0 0 0 0 0 0 0");
  EXPECT_EQ(eye("f32", 2, 2, 0, i32s({2})), "[2,2,2] 1 0 0 1 1 0 0 1");
  EXPECT_EQ(eye("f32", 2, 2, std::numeric_limits<int64_t>::min()), "[2,2] 0 0 0 0");
  EXPECT_EQ(eye("f32", 0, 2, 0), "[0,2]");
}

TEST(Eye, WritesAnyNumericType) {
  for (const char* const type : {"boolean", "i8", "u8", "i16", "u16", "i64", "u32", "u64", "f16", "bf16",
                                 "f64", "u4", "i4", "u1", "f8e4m3"}) {
    EXPECT_EQ(eye(type, 2, 3, 1), "[2,3] 0 1 0 0 0 1") << type;
  }
}

TEST(Eye, InfersOpenShapes) {
  const ValueInfo open_size = open(ElementType::kI64, {});
  const ValueInfo three = ValueInfo::of(Tensor::scalar<int64_t>(3));
  const model::AttributeTexts attributes = {{"output_type", "f32"}};
  EXPECT_EQ(infer_shape("Eye", 9, attributes, {open_size, three, open_size}), "[?,3]");
  EXPECT_EQ(infer_shape("Eye", 9, attributes, {three, three, open_size, open(ElementType::kI64, {2})}),
            "[?,?,3,3]");
  EXPECT_EQ(
      infer_shape("Eye", 9, attributes, {three, three, open_size, open(ElementType::kI64, {Dimension()})}),
      "[...]");
}

TEST(Eye, RefusesNegativeSizes) {
  expect_error(ErrorCode::kInvalidValue, "num_rows has value -2", [] { eye("f32", -2, 3, 0); });
  expect_error(ErrorCode::kInvalidValue, "batch_shape has value -1", [] { eye("f32", 2, 3, 0, i64s({-1})); });
  expect_error(ErrorCode::kInvalidModel, "'output_type' is string", [] { eye("string", 2, 3, 0); });
}

}  // namespace
}  // namespace wasmvino::test::eye_test
