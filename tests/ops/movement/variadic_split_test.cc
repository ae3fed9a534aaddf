// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::variadic_split_test {
namespace {

using model::ValueInfo;

std::vector<Tensor> split(const Tensor& data, int64_t axis, const Tensor& lengths) {
  return run_op("VariadicSplit", 1, {}, {data, Tensor::scalar(axis), lengths}, lengths.size());
}

TEST(VariadicSplit, CutsPartsOfGivenLengths) {
  const auto parts = split(iota({2, 4}), 1, i64s({1, 0, 3}));
  EXPECT_EQ(text_of(parts[0]), "[2,1] 0 4");
  EXPECT_EQ(text_of(parts[1]), "[2,0]");
  EXPECT_EQ(text_of(parts[2]), "[2,3] 1 2 3 5 6 7");
}

TEST(VariadicSplit, GivesMinusOneWhatIsLeft) {
  EXPECT_EQ(text_of(split(iota<int32_t>({3, 2}), 0, i32s({-1, 2}))[1]), "[2,2] 2 3 4 5");
  EXPECT_EQ(text_of(split(iota({2}), 0, i64s({2, -1}))[1]), "[0]");
}

TEST(VariadicSplit, InfersOpenSizes) {
  const auto infer = [](const ValueInfo& lengths) {
    const ValueInfo data = open(ElementType::kF32, {Dimension(4, 9), 2});
    return to_string(
        infer_op("VariadicSplit", 1, {}, {data, ValueInfo::of(Tensor::scalar<int64_t>(0)), lengths}, 2)[1]
            .shape);
  };
  EXPECT_EQ(infer(ValueInfo::of(i64s({3, -1}))), "[1..6,2]");
  EXPECT_EQ(infer(open(ElementType::kI64, {2})), "[?,2]");
}

TEST(VariadicSplit, RefusesLengthsThatDoNotAddUp) {
  expect_error(ErrorCode::kInvalidValue, "split_lengths [1,1] do not add up to the axis of size 3",
               [] { split(iota({3}), 0, i64s({1, 1})); });
  expect_error(ErrorCode::kInvalidValue, "do not add up", [] { split(iota({3}), 0, i64s({4, -1})); });
  expect_error(ErrorCode::kInvalidValue, "do not add up", [] { split(iota({3}), 0, i64s({-2, 5})); });
  expect_error(ErrorCode::kInvalidValue, "contain -1 more than once",
               [] { split(iota({3}), 0, i64s({-1, -1})); });
  expect_error(ErrorCode::kInvalidModel, "the layer has 3 outputs, but split_lengths has 2 elements", [] {
    run_op("VariadicSplit", 1, {}, {iota({3}), Tensor::scalar<int64_t>(0), i64s({1, 2})}, 3);
  });
}

TEST(VariadicSplit, LayersMayLeaveOutTheLastParts) {
  const auto parts =
      run_op("VariadicSplit", 1, {}, {iota({6}), Tensor::scalar<int64_t>(0), i64s({1, -1, 3})}, 2);
  EXPECT_EQ(text_of(parts[1]), "[2] 1 2");
}

}  // namespace
}  // namespace wasmvino::test::variadic_split_test
