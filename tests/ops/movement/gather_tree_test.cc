// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/float_types.h"

namespace wasmvino::test::gather_tree_test {
namespace {

template <typename T>
Tensor cast(const Shape& shape, std::initializer_list<int> values) {
  Tensor tensor(ElementTypeOf<T>::value, shape);
  size_t i = 0;
  for (const int value : values) tensor.mutable_data<T>()[i++] = T(static_cast<float>(value));
  return tensor;
}

template <typename T>
std::string walk(std::initializer_list<int> lengths = {3, 3}) {
  // [time, batch, beam] = [3, 2, 2]
  const Tensor steps = cast<T>({3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 9, 8, 9, 10, 11});
  const Tensor parents = cast<T>({3, 2, 2}, {0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1});
  return text_of(run_op("GatherTree", 1, {}, {steps, parents, cast<T>({2}, lengths), cast<T>({}, {9})})[0]);
}

// By the specification's pseudo code.
constexpr const char* kWalked = "[3,2,2] 1 2 4 4 6 5 7 9 8 9 10 9";

TEST(GatherTree, WalksBackThroughTheParents) { EXPECT_EQ(walk<int32_t>(), kWalked); }

TEST(GatherTree, TakesEveryNumericType) {
  EXPECT_EQ(walk<float>(), kWalked);
  EXPECT_EQ(walk<double>(), kWalked);
  EXPECT_EQ(walk<Float16>(), kWalked);
  EXPECT_EQ(walk<BFloat16>(), kWalked);
  EXPECT_EQ(walk<int8_t>(), kWalked);
  EXPECT_EQ(walk<int16_t>(), kWalked);
  EXPECT_EQ(walk<int64_t>(), kWalked);
  EXPECT_EQ(walk<uint8_t>(), kWalked);
  EXPECT_EQ(walk<uint16_t>(), kWalked);
  EXPECT_EQ(walk<uint32_t>(), kWalked);
  EXPECT_EQ(walk<uint64_t>(), kWalked);
}

TEST(GatherTree, EndsAtEachLength) {
  EXPECT_EQ(walk<int32_t>({2, 1}), "[3,2,2] 2 1 3 4 5 6 9 9 9 9 9 9");
  EXPECT_EQ(walk<int32_t>({99, 3}), kWalked) << "lengths beyond the last step mean all steps";
  EXPECT_EQ(walk<int32_t>({0, 3}), "[3,2,2] 9 9 4 4 9 9 7 9 9 9 10 9");
  EXPECT_EQ(walk<int32_t>({-1, 3}), "[3,2,2] 9 9 4 4 9 9 7 9 9 9 10 9");
}

TEST(GatherTree, TellsEndTokensOfRealTypesByValue) {
  const Tensor steps = Tensor::of<float>({3, 1, 1}, {1, -0.0f, 5});
  const Tensor parents = Tensor::of<float>({3, 1, 1}, {0, 0, 0});
  const Tensor lengths = Tensor::of<float>({1}, {3});
  EXPECT_EQ(text_of(run_op("GatherTree", 1, {}, {steps, parents, lengths, Tensor::scalar(0.0f)})[0]),
            "[3,1,1] 1 -0 0");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor with_nan = Tensor::of<float>({3, 1, 1}, {1, nan, 5});
  EXPECT_EQ(text_of(run_op("GatherTree", 1, {}, {with_nan, parents, lengths, Tensor::scalar(nan)})[0]),
            "[3,1,1] 1 nan 5");
}

TEST(GatherTree, ChecksTheParentsItFollows) {
  const auto decode = [](std::initializer_list<int32_t> parents, int32_t length) {
    return text_of(run_op("GatherTree", 1, {},
                          {iota<int32_t>({4, 1, 3}), Tensor::of<int32_t>({4, 1, 3}, parents), i32s({length}),
                           Tensor::scalar<int32_t>(99)})[0]);
  };
  expect_error(ErrorCode::kInvalidValue, "parent_ids[3,0,2] is 12, outside beams 0..2",
               [&] { decode({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12}, 4); });
  expect_error(ErrorCode::kInvalidValue, "parent_ids[2,0,1] is -1, outside beams 0..2",
               [&] { decode({0, 0, 0, 0, 0, 0, 0, -1, 0, 1, 1, 1}, 4); });
  EXPECT_EQ(decode({-1, -1, -1, 0, 1, 2, 7, 7, 7, 7, 7, 7}, 2), "[4,1,3] 0 1 2 3 4 5 99 99 99 99 99 99")
      << "nobody follows the parents of the first step, nor those past the length";
}

TEST(GatherTree, InfersOpenShapes) {
  const auto ids = open(ElementType::kI32, {Dimension(), 2, Dimension()});
  const auto parents = open(ElementType::kI32, {5, Dimension(), Dimension(1, 4)});
  EXPECT_EQ(infer_shape("GatherTree", 1, {},
                        {ids, parents, open(ElementType::kI32, {2}), open(ElementType::kI32, {})}),
            "[5,2,1..4]");
}

TEST(GatherTree, RefusesWhatDoesNotFit) {
  const Tensor ids = iota<int32_t>({3, 1, 2});
  const Tensor end = Tensor::scalar<int32_t>(0);
  const auto run = [](const std::vector<Tensor>& inputs) { run_op("GatherTree", 1, {}, inputs); };
  expect_error(ErrorCode::kInvalidShape,
               "parent_ids has shape [3,1,4], expected [3,1,2], the shape of step_ids",
               [&] { run({ids, iota<int32_t>({3, 1, 4}), i32s({3}), end}); });
  expect_error(ErrorCode::kInvalidShape, "max_seq_len has shape [2], expected [1]",
               [&] { run({ids, ids, i32s({3, 3}), end}); });
  expect_error(ErrorCode::kInvalidShape, "end_token has shape [2], expected a scalar",
               [&] { run({ids, ids, i32s({3}), i32s({3, 3})}); });
  expect_error(ErrorCode::kInvalidShape, "step_ids has shape [6], expected rank 3",
               [&] { run({iota<int32_t>({6}), ids, i32s({3}), end}); });
  expect_error(ErrorCode::kInvalidType, "max_seq_len has element type i64, step_ids has i32",
               [&] { run({ids, ids, i64s({3}), end}); });
  expect_error(ErrorCode::kInvalidType, "expected a numeric type",
               [&] { run({strings({3, 1, 2}), strings({3, 1, 2}), strings({1}), strings({})}); });
}

}  // namespace
}  // namespace wasmvino::test::gather_tree_test
