// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::scatter_nd_update_test {
namespace {

std::string update(const Tensor& data, const Tensor& indices, const Tensor& updates,
                   const char* reduction = "none", int opset = 15) {
  return text_of(run_op("ScatterNDUpdate", opset, {{"reduction", reduction}}, {data, indices, updates})[0]);
}

Tensor tuples(Shape shape, std::initializer_list<int64_t> values) {
  return Tensor::of<int64_t>(std::move(shape), values);
}

TEST(ScatterNDUpdate, ReplacesElementsAndSlices) {
  const Tensor data = Tensor::of<float>({8}, {1, 2, 3, 4, 5, 6, 7, 8});
  for (const int opset : {4, 15}) {
    EXPECT_EQ(update(data, tuples({6, 1}, {4, 3, 1, 7, -2, -4}),
                     Tensor::of<float>({6}, {9, 10, 11, 12, 13, 14}), "none", opset),
              "[8] 1 11 3 10 14 6 13 12");
  }
  EXPECT_EQ(update(iota({3, 2}), tuples({2, 1}, {2, 0}), Tensor::of<float>({2, 2}, {7, 8, 9, 10})),
            "[3,2] 9 10 2 3 7 8");
  EXPECT_EQ(update(strings({2, 2}), tuples({1, 2}, {1, 0}), Tensor::of<std::string>({1}, {"x"})),
            "[2,2] 0 1 x 3");
}

TEST(ScatterNDUpdate, TakesOneElementForAScalar) {
  EXPECT_EQ(update(iota({2, 2}), i64s({0, 1}), Tensor::scalar(7.0f)), "[2,2] 0 7 2 3");
  EXPECT_EQ(update(iota({2, 2}), i64s({0, 1}), Tensor::of<float>({1}, {7})), "[2,2] 0 7 2 3");
}

// The specification's examples.
TEST(ScatterNDUpdate, ReducesInEveryWay) {
  const Tensor data = Tensor::of<int32_t>({4}, {1, 2, 3, 4});
  const Tensor at = Tensor::of<int32_t>({5, 1}, {0, 2, -3, -3, 0});
  const Tensor updates = Tensor::of<int32_t>({5}, {10, 20, 30, 40, 50});
  EXPECT_EQ(update(data, at, updates, "sum"), "[4] 61 72 23 4");
  EXPECT_EQ(update(data, at, updates, "sub"), "[4] -59 -68 -17 4");
  EXPECT_EQ(update(data, at, updates, "prod"), "[4] 500 2400 60 4");
  EXPECT_EQ(update(data, at, updates, "max"), "[4] 50 40 20 4");
  EXPECT_EQ(update(data, at, updates, "min"), "[4] 1 2 3 4");
}

TEST(ScatterNDUpdate, ReducesSlices) {
  EXPECT_EQ(update(iota({2, 2}), tuples({2, 1}, {1, 1}), Tensor::of<float>({2, 2}, {1, 2, 3, 4}), "sum"),
            "[2,2] 0 1 6 9");
}

TEST(ScatterNDUpdate, TreatsBooleansAsLogic) {
  const Tensor data = Tensor::of<bool>({3}, {true, true, false});
  const Tensor at = tuples({3, 1}, {0, 1, 2});
  const Tensor updates = Tensor::of<bool>({3}, {true, false, true});
  EXPECT_EQ(update(data, at, updates, "sum"), "[3] 1 1 1");
  EXPECT_EQ(update(data, at, updates, "sub"), "[3] 0 1 1");
  EXPECT_EQ(update(data, at, updates, "prod"), "[3] 1 0 0");
}

TEST(ScatterNDUpdate, RefusesWhatDoesNotFit) {
  const Tensor data = iota({2, 3});
  expect_error(ErrorCode::kInvalidValue, "tuple 0 of indices has 5 for axis 0 of data, outside -2..1",
               [&] { update(data, tuples({1, 2}, {5, 0}), iota({1})); });
  expect_error(ErrorCode::kInvalidShape, "updates have shape [2], expected [1,3]",
               [&] { update(data, tuples({1, 1}, {0}), iota({2})); });
  expect_error(ErrorCode::kInvalidShape, "contain tuples of 3 indices",
               [&] { update(data, tuples({1, 3}, {0, 0, 0}), iota({1})); });
}

}  // namespace
}  // namespace wasmvino::test::scatter_nd_update_test
