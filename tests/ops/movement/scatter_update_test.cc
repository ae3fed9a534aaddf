// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::scatter_update_test {
namespace {

std::string update(const Tensor& data, const Tensor& indices, const Tensor& updates, int64_t axis) {
  return text_of(run_op("ScatterUpdate", 3, {}, {data, indices, updates, Tensor::scalar(axis)})[0]);
}

TEST(ScatterUpdate, ReplacesSlicesOfAnyAxis) {
  EXPECT_EQ(update(iota({2, 3}), i64s({1}), Tensor::of<float>({1, 3}, {7, 8, 9}), 0), "[2,3] 0 1 2 7 8 9");
  EXPECT_EQ(update(iota({2, 3}), i32s({0, 2}), Tensor::of<float>({2, 2}, {6, 7, 8, 9}), -1),
            "[2,3] 6 1 7 8 4 9");
  EXPECT_EQ(update(iota({2, 3}), Tensor::scalar<int64_t>(1), Tensor::of<float>({2}, {8, 9}), 1),
            "[2,3] 0 8 2 3 9 5");
  EXPECT_EQ(update(iota({4}), Tensor::of<int64_t>({2, 1}, {3, 0}), Tensor::of<float>({2, 1}, {8, 9}), 0),
            "[4] 9 1 2 8");
  EXPECT_EQ(update(strings({3}), i64s({1}), Tensor::of<std::string>({1}, {"x"}), 0), "[3] 0 x 2");
}

TEST(ScatterUpdate, RefusesWhatDoesNotFit) {
  const Tensor row = iota({1, 3});
  expect_error(ErrorCode::kInvalidValue, "element 0 of indices is -1, outside 0..1",
               [&] { update(iota({2, 3}), i64s({-1}), row, 0); });
  expect_error(ErrorCode::kInvalidValue, "element 0 of indices is 2, outside 0..1",
               [&] { update(iota({2, 3}), i64s({2}), row, 0); });
  expect_error(ErrorCode::kInvalidShape, "updates have shape [1,3], expected [2,1]",
               [&] { update(iota({2, 3}), i64s({0}), row, 1); });
  expect_error(ErrorCode::kInvalidType, "updates has element type i32, data has f32",
               [&] { update(iota({2, 3}), i64s({0}), iota<int32_t>({1, 3}), 0); });
}

TEST(ScatterUpdate, RefusesUpdatesThatDoNotFitAnAxisOfTheRun) {
  const auto node = make_node("ScatterUpdate", 3, {}, 1);
  const std::vector<Tensor> inputs{iota({4, 8}), i64s({1, 2, 3}), iota({5, 2}), Tensor::scalar<int64_t>(1)};
  expect_error(ErrorCode::kInvalidShape, "updates have shape [5,2], expected [4,3]",
               [&] { OpenRun(1).run(*node, inputs, {}); });
}

}  // namespace
}  // namespace wasmvino::test::scatter_update_test
