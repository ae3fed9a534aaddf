// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::reverse_test {
namespace {

std::string reverse(const char* mode, const Tensor& data, const Tensor& axes) {
  return text_of(run_op("Reverse", 1, {{"mode", mode}}, {data, axes})[0]);
}

TEST(Reverse, TakesAxesByIndexOrMask) {
  EXPECT_EQ(reverse("index", iota({2, 3}), i64s({1})), "[2,3] 2 1 0 5 4 3");
  EXPECT_EQ(reverse("index", iota({2, 3}), i64s({0, 1})), "[2,3] 5 4 3 2 1 0");
  EXPECT_EQ(reverse("index", iota({2, 3}), i32s({-2})), "[2,3] 3 4 5 0 1 2");
  EXPECT_EQ(reverse("index", iota({2, 3}), i64s({})), "[2,3] 0 1 2 3 4 5");
  EXPECT_EQ(reverse("mask", iota({2, 3}), Tensor::of<bool>({2}, {false, true})), "[2,3] 2 1 0 5 4 3");
  EXPECT_EQ(reverse("mask", iota({2, 3}), Tensor::of<bool>({2}, {false, false})), "[2,3] 0 1 2 3 4 5");
}

TEST(Reverse, MovesElementsOfAllWidths) {
  EXPECT_EQ(reverse("index", iota<uint8_t>({2, 3}), i64s({1})), "[2,3] 2 1 0 5 4 3");
  EXPECT_EQ(reverse("index", iota<int16_t>({2, 3}), i64s({1})), "[2,3] 2 1 0 5 4 3");
  EXPECT_EQ(reverse("index", iota<int64_t>({2, 3}), i64s({1})), "[2,3] 2 1 0 5 4 3");
  EXPECT_EQ(reverse("index", strings({2, 3}), i64s({1})), "[2,3] 2 1 0 5 4 3");
}

TEST(Reverse, IsInTheFirstOperationSetOnly) { EXPECT_EQ(registry().find("Reverse", 2), nullptr); }

TEST(Reverse, RefusesAxesThatAreNone) {
  expect_error(ErrorCode::kInvalidValue, "axis is 2, outside -2..1",
               [] { reverse("index", iota({2, 3}), i64s({2})); });
  expect_error(ErrorCode::kInvalidShape, "axis has 1 elements, but data [2,3] has 2 axes",
               [] { reverse("mask", iota({2, 3}), Tensor::of<bool>({1}, {true})); });
  expect_error(ErrorCode::kInvalidType, "expected boolean in mode mask",
               [] { reverse("mask", iota({2, 3}), i64s({0, 1})); });
}

}  // namespace
}  // namespace wasmvino::test::reverse_test
