// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::roll_test {
namespace {

std::string roll(const Tensor& data, const Tensor& shift, const Tensor& axes) {
  return text_of(run_op("Roll", 7, {}, {data, shift, axes})[0]);
}

// The specification's examples, less one for each number.
TEST(Roll, ShiftsAlongAxes) {
  const Tensor data = iota({4, 3});
  EXPECT_EQ(roll(data, Tensor::scalar<int64_t>(1), Tensor::scalar<int64_t>(0)),
            "[4,3] 9 10 11 0 1 2 3 4 5 6 7 8");
  EXPECT_EQ(roll(data, i64s({-1, 2}), i64s({0, 1})), "[4,3] 4 5 3 7 8 6 10 11 9 1 2 0");
  EXPECT_EQ(roll(data, i32s({1, 2, 1}), i32s({0, 1, 0})), "[4,3] 7 8 6 10 11 9 1 2 0 4 5 3");
  EXPECT_EQ(roll(data, Tensor::scalar<int64_t>(1), i64s({0, -1})), "[4,3] 11 9 10 2 0 1 5 3 4 8 6 7");
}

TEST(Roll, TakesShiftsOfAnyLength) {
  EXPECT_EQ(roll(iota({5}), i64s({12}), i64s({0})), "[5] 3 4 0 1 2");
  EXPECT_EQ(roll(iota({5}), i64s({-12}), i64s({0})), "[5] 2 3 4 0 1");
  EXPECT_EQ(roll(iota({5}), i64s({5}), i64s({0})), "[5] 0 1 2 3 4");
  EXPECT_EQ(roll(iota({2, 0}), i64s({1}), i64s({1})), "[2,0]");
}

TEST(Roll, MovesElementsOfAllWidths) {
  EXPECT_EQ(roll(iota<uint8_t>({2, 3}), i64s({1}), i64s({1})), "[2,3] 2 0 1 5 3 4");
  EXPECT_EQ(roll(iota<int64_t>({2, 3}), i64s({1}), i64s({0})), "[2,3] 3 4 5 0 1 2");
  EXPECT_EQ(roll(strings({2, 3}), i64s({1}), i64s({1})), "[2,3] 2 0 1 5 3 4");
}

TEST(Roll, RefusesWhatDoesNotFit) {
  expect_error(ErrorCode::kInvalidValue, "axes is 2, outside -2..1",
               [] { roll(iota({2, 3}), i64s({1}), i64s({2})); });
  expect_error(ErrorCode::kInvalidShape, "shift has 2 elements, but axes has 1",
               [] { roll(iota({2, 3}), i64s({1, 2}), i64s({0})); });
}

}  // namespace
}  // namespace wasmvino::test::roll_test
