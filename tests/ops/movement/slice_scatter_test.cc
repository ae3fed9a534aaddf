// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::slice_scatter_test {
namespace {

std::string update(const Tensor& data, const Tensor& updates, const std::vector<Tensor>& ranges) {
  std::vector<Tensor> inputs = {data, updates};
  inputs.insert(inputs.end(), ranges.begin(), ranges.end());
  return text_of(run_op("SliceScatter", 15, {}, inputs)[0]);
}

// The specification's examples.
TEST(SliceScatter, ReplacesSlices) {
  EXPECT_EQ(update(iota({2, 5}), Tensor::of<float>({1, 5}, {10, 20, 30, 40, 50}),
                   {i32s({0}), i32s({1}), i32s({1}), i32s({0})}),
            "[2,5] 10 20 30 40 50 5 6 7 8 9");
  EXPECT_EQ(update(iota({2, 5}), Tensor::of<float>({2, 3}, {10, 20, 30, 40, 50, 60}),
                   {i64s({-25}), i64s({25}), i64s({2}), i64s({1})}),
            "[2,5] 10 1 20 3 30 40 6 50 8 60");
  EXPECT_EQ(update(iota({3, 5}), Tensor::of<float>({2, 2}, {50, 60, 70, 80}),
                   {i64s({0, 1}), i64s({3, 5}), i64s({2, 2})}),
            "[3,5] 0 50 2 60 4 5 6 7 8 9 10 70 12 80 14");
}

TEST(SliceScatter, GoesBackwards) {
  EXPECT_EQ(update(iota<int64_t>({4}), Tensor::of<int64_t>({2}, {8, 9}), {i64s({3}), i64s({0}), i64s({-2})}),
            "[4] 0 9 2 8");
  EXPECT_EQ(update(strings({3}), Tensor::of<std::string>({3}, {"a", "b", "c"}),
                   {i64s({2}), i64s({std::numeric_limits<int64_t>::min()}), i64s({-1})}),
            "[3] c b a");
}

TEST(SliceScatter, RefusesUpdatesOfAnotherShape) {
  expect_error(ErrorCode::kInvalidShape, "updates have shape [1,2], but the slice has shape [2,1]",
               [] { update(iota({2, 3}), iota({1, 2}), {i64s({1}), i64s({2}), i64s({1}), i64s({1})}); });
  expect_error(ErrorCode::kInvalidType, "updates has element type i32, data has f32",
               [] { update(iota({2}), iota<int32_t>({1}), {i64s({1}), i64s({2}), i64s({1})}); });
}

}  // namespace
}  // namespace wasmvino::test::slice_scatter_test
