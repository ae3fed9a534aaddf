// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::split_test {
namespace {

using model::ValueInfo;

std::vector<Tensor> split(const Tensor& data, int64_t axis, size_t parts) {
  return run_op("Split", 1, {{"num_splits", std::to_string(parts)}}, {data, Tensor::scalar(axis)}, parts);
}

TEST(Split, CutsEqualParts) {
  const auto columns = split(iota({2, 4}), 1, 2);
  EXPECT_EQ(text_of(columns[0]), "[2,2] 0 1 4 5");
  EXPECT_EQ(text_of(columns[1]), "[2,2] 2 3 6 7");
  const auto rows = split(iota<int64_t>({3, 2}), -2, 3);
  EXPECT_EQ(text_of(rows[2]), "[1,2] 4 5");
  EXPECT_EQ(text_of(split(strings({2, 2}), 1, 2)[1]), "[2,1] 1 3");
  EXPECT_EQ(text_of(split(iota({2, 0}), 1, 2)[1]), "[2,0]");
}

TEST(Split, InfersOpenSizes) {
  const auto infer = [](const ValueInfo& axis) {
    const ValueInfo data = open(ElementType::kF32, {Dimension(), Dimension(3, 8)});
    return to_string(infer_op("Split", 1, {{"num_splits", "2"}}, {data, axis}, 2)[1].shape);
  };
  EXPECT_EQ(infer(ValueInfo::of(Tensor::scalar<int64_t>(1))), "[?,2..4]");
  EXPECT_EQ(infer(ValueInfo::of(Tensor::scalar<int64_t>(0))), "[?,3..8]");
  EXPECT_EQ(infer(open(ElementType::kI64, {})), "[?,?]");
}

TEST(Split, LayersMayLeaveOutTheLastParts) {
  const auto parts = run_op("Split", 1, {{"num_splits", "3"}}, {iota({6}), Tensor::scalar<int64_t>(0)}, 2);
  EXPECT_EQ(text_of(parts[1]), "[2] 2 3");
}

TEST(Split, RefusesUnequalParts) {
  expect_error(ErrorCode::kInvalidShape, "axis 1 of shape [2,4] is not divisible into 3 parts",
               [] { split(iota({2, 4}), 1, 3); });
  expect_error(ErrorCode::kInvalidModel, "the layer has 3 outputs, but attribute 'num_splits' is 2",
               [] { run_op("Split", 1, {{"num_splits", "2"}}, {iota({4}), Tensor::scalar<int64_t>(0)}, 3); });
  expect_error(ErrorCode::kInvalidModel, "expected 1 or more",
               [] { run_op("Split", 1, {{"num_splits", "0"}}, {iota({4}), Tensor::scalar<int64_t>(0)}, 1); });
}

}  // namespace
}  // namespace wasmvino::test::split_test
