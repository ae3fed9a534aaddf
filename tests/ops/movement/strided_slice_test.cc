// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::strided_slice_test {
namespace {

using model::ValueInfo;

std::string slice(const Tensor& begin, const Tensor& end, const Tensor& stride,
                  const model::AttributeTexts& masks = {}, const Shape& shape = {2, 3}) {
  return text_of(run_op("StridedSlice", 1, masks, {iota<int32_t>(shape), begin, end, stride})[0]);
}

// All expectations as the CPU plugin of OpenVINO 2026.4.1 gives them.
TEST(StridedSlice, TakesStridesInBothDirections) {
  EXPECT_EQ(slice(i64s({0, 1}), i64s({2, 3}), i64s({1, 1})), "[2,2] 1 2 4 5");
  EXPECT_EQ(slice(i64s({0, 2}), i64s({2, 0}), i64s({1, -1})), "[2,2] 2 1 5 4");
  EXPECT_EQ(slice(i64s({0, 100}), i64s({2, -100}), i64s({1, -2})), "[2,2] 2 0 5 3");
  EXPECT_EQ(slice(i64s({1, 0}), i64s({1, 3}), i64s({1, 1})), "[0,3]");
  EXPECT_EQ(slice(i64s({1}), i64s({2}), i64s({1})), "[1,3] 3 4 5");
  EXPECT_EQ(text_of(run_op("StridedSlice", 1, {}, {iota({4}), i32s({1}), i32s({-1})})[0]), "[2] 1 2");
}

TEST(StridedSlice, IgnoresEndsByMask) {
  EXPECT_EQ(slice(i64s({1, 1}), i64s({1, 1}), i64s({1, 1}), {{"begin_mask", "1,0"}, {"end_mask", "1, 1"}}),
            "[2,2] 1 2 4 5");
  EXPECT_EQ(slice(i64s({0, 0}), i64s({0, 0}), i64s({-1, -2}), {{"begin_mask", "1,1"}, {"end_mask", "1,1"}}),
            "[2,2] 5 3 2 0");
  EXPECT_EQ(slice(i64s({0, 1}), i64s({2, 0}), i64s({1, -1}), {{"end_mask", "0,1"}}), "[2,2] 1 0 4 3");
}

TEST(StridedSlice, InsertsAndDropsAxes) {
  EXPECT_EQ(slice(i64s({0, 0, 1}), i64s({0, 2, 3}), i64s({1, 1, 1}), {{"new_axis_mask", "1,0,0"}}),
            "[1,2,2] 1 2 4 5");
  EXPECT_EQ(slice(i64s({-1, 0}), i64s({0, 3}), i64s({1, 1}), {{"shrink_axis_mask", "1"}}), "[3] 3 4 5");
  EXPECT_EQ(slice(i64s({1, 2}), i64s({0, 0}), i64s({-1, 7}), {{"shrink_axis_mask", "1,1"}}), "[] 5");
  EXPECT_EQ(slice(i64s({1, 0}), i64s({2, 3}), i64s({1, 1}), {{"begin_mask", "1"}, {"shrink_axis_mask", "1"}}),
            "[3] 0 1 2");
  EXPECT_EQ(slice(i64s({0, 1, 0}), i64s({0, 2, 3}), i64s({1, 1, 1}),
                  {{"new_axis_mask", "1,0,0"}, {"shrink_axis_mask", "1,1,0"}}),
            "[1,3] 3 4 5")
      << "a new axis wins over one that shrinks";
}

TEST(StridedSlice, ExpandsTheEllipsis) {
  EXPECT_EQ(slice(i64s({0, 1}), i64s({0, 2}), i64s({1, 1}), {{"ellipsis_mask", "1"}}), "[2,1] 1 4");
  EXPECT_EQ(slice(i64s({1, 0}), i64s({2, 0}), i64s({1, 1}), {{"ellipsis_mask", "0,1"}}), "[1,3] 3 4 5");
  EXPECT_EQ(slice(i64s({1, 0, 2}), i64s({2, 0, 3}), i64s({1, 1, 1}), {{"ellipsis_mask", "0,1,0"}}), "[1,1] 5")
      << "of no axis";
  EXPECT_EQ(slice(i64s({0, 0, 1}), i64s({0, 0, 2}), i64s({1, 1, 1}),
                  {{"ellipsis_mask", "0,1,0"}, {"new_axis_mask", "1,0,0"}}),
            "[1,2,1] 1 4");
  EXPECT_EQ(slice(i64s({0, 1}), i64s({0, 2}), i64s({1, 1}), {{"ellipsis_mask", "1"}}, {2, 1, 3}),
            "[2,1,1] 1 4");
}

TEST(StridedSlice, InfersOpenShapes) {
  const ValueInfo data = open(ElementType::kF32, {Dimension(), 3});
  const ValueInfo zero = ValueInfo::of(i64s({0, 1}));
  const ValueInfo end = ValueInfo::of(i64s({1, 3}));
  EXPECT_EQ(infer_shape("StridedSlice", 1, {}, {data, zero, end}), "[..1,2]");
  EXPECT_EQ(infer_shape("StridedSlice", 1, {{"shrink_axis_mask", "1"}}, {data, zero, end}), "[2]");
  EXPECT_EQ(
      infer_shape("StridedSlice", 1, {{"shrink_axis_mask", "1"}}, {data, open(ElementType::kI64, {2}), end}),
      "[..3]");
  EXPECT_EQ(
      infer_shape("StridedSlice", 1, {},
                  {data, open(ElementType::kI64, {Dimension()}), open(ElementType::kI64, {Dimension()})}),
      "[...]");
}

TEST(StridedSlice, RefusesWhatContradictsItself) {
  expect_error(ErrorCode::kInvalidValue, "stride [1,0] contains 0",
               [] { slice(i64s({0, 0}), i64s({1, 1}), i64s({1, 0})); });
  expect_error(ErrorCode::kInvalidValue, "begin[0] is 9, outside the axis of size 2",
               [] { slice(i64s({9, 0}), i64s({10, 3}), i64s({1, 1}), {{"shrink_axis_mask", "1"}}); });
  expect_error(ErrorCode::kInvalidModel, "'ellipsis_mask' contains 1 more than once",
               [] { slice(i64s({0, 0}), i64s({1, 1}), i64s({1, 1}), {{"ellipsis_mask", "1,1"}}); });
  expect_error(ErrorCode::kInvalidShape, "begin selects 3 axes, but data has rank 2",
               [] { slice(i64s({0, 0, 0}), i64s({1, 1, 1}), i64s({1, 1, 1})); });
  expect_error(ErrorCode::kInvalidShape, "end has 1 elements, but begin has 2",
               [] { slice(i64s({0, 0}), i64s({1}), i64s({1, 1})); });
}

}  // namespace
}  // namespace wasmvino::test::strided_slice_test
