// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/packed_bits.h"

namespace wasmvino::test::space_to_batch_test {
namespace {

using model::ValueInfo;

Tensor list(const Ints& values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values.data());
}

Tensor space_to_batch(const Tensor& data, const Ints& block, const Ints& begin, const Ints& end) {
  return run_op("SpaceToBatch", 2, {}, {data, list(block), list(begin), list(end)})[0];
}

TEST(SpaceToBatch, TakesBlocksApart) {
  EXPECT_EQ(text_of(space_to_batch(iota<int32_t>({1, 2, 6}), {1, 2, 2}, {0, 0, 0}, {0, 0, 0})),
            "[4,1,3] 0 2 4 1 3 5 6 8 10 7 9 11");
  EXPECT_EQ(text_of(space_to_batch(iota<int32_t>({2, 3}), {1, 2}, {0, 0}, {0, 1})), "[4,2] 0 2 3 5 1 0 4 0");
  EXPECT_EQ(text_of(space_to_batch(iota<int32_t>({1, 3}), {1, 1}, {0, 2}, {0, 1})), "[1,6] 0 0 0 1 2 0");
}

TEST(SpaceToBatch, TakesPadsOfAnotherIntegerTypeThanBlocks) {
  const Tensor pads = Tensor::of<int32_t>({2}, {0, 1});
  EXPECT_EQ(text_of(run_op("SpaceToBatch", 2, {}, {iota<int32_t>({1, 2}), list({1, 2}), pads, pads})[0]),
            "[2,2] 0 1 0 0");
}

// BatchToSpace with the same blocks and, as crops, the pads brings everything back, and what it drops is
// zero.
template <typename T>
void expect_inverse(const Shape& shape, const Ints& block, const Ints& begin, const Ints& end) {
  Tensor data = iota<T>(shape);
  for (size_t i = 0; i < data.size(); ++i) data.template mutable_data<T>()[i] += 1;  // no zeros
  const Tensor blocked = space_to_batch(data, block, begin, end);
  const Tensor back = run_op("BatchToSpace", 2, {}, {blocked, list(block), list(begin), list(end)})[0];
  EXPECT_EQ(text_of(back), text_of(data));
  size_t zeros = 0;
  for (size_t i = 0; i < blocked.size(); ++i) zeros += blocked.data<T>()[i] == 0;
  EXPECT_EQ(zeros, blocked.size() - data.size());
}

TEST(SpaceToBatch, IsTheInverseOfBatchToSpaceForAllRanksAndWidths) {
  expect_inverse<float>({2, 6, 10, 3, 3}, {1, 2, 4, 3, 1}, {0, 0, 1, 0, 0}, {0, 0, 1, 0, 0});
  expect_inverse<uint16_t>({2, 5}, {1, 5}, {0, 2}, {0, 3});
  expect_inverse<uint8_t>({1, 1, 7}, {1, 1, 4}, {0, 0, 3}, {0, 0, 2});
  expect_inverse<int64_t>({1, 2, 2, 2, 2, 3}, {1, 1, 2, 2, 2, 1}, {0, 0, 1, 0, 1, 0}, {0, 0, 1, 2, 1, 0});
  expect_inverse<float>({3, 2, 2}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0});
}

TEST(SpaceToBatch, PadsStringsAndNarrowElements) {
  const Tensor output = space_to_batch(strings({1, 3}), {1, 2}, {0, 1}, {0, 0});
  EXPECT_EQ(text_of(output), "[2,2]  1 0 2");
  Tensor data(ElementType::kU4, {1, 3});
  for (size_t i = 0; i < 3; ++i)
    store_bits(ElementType::kU4, data.mutable_data<char>(), i, static_cast<uint8_t>(i + 1));
  EXPECT_EQ(text_of(space_to_batch(data, {1, 2}, {0, 1}, {0, 0})), "[2,2] 0 2 1 3");
}

TEST(SpaceToBatch, InfersOpenShapes) {
  const ValueInfo data = open(ElementType::kF32, {Dimension(), Dimension(3, 7), 3});
  const ValueInfo block = ValueInfo::of(i64s({1, 2, 3}));
  const ValueInfo pads = ValueInfo::of(i64s({0, 1, 0}));
  EXPECT_EQ(infer_shape("SpaceToBatch", 2, {}, {data, block, pads, pads}), "[?,3..4,1]");
  EXPECT_EQ(infer_shape("SpaceToBatch", 2, {}, {data, block, pads, open(ElementType::kI64, {3})}), "[?,?,?]");
}

TEST(SpaceToBatch, RefusesEachThingThatTheSpecificationForbids) {
  const Tensor data = iota({1, 3, 4});
  const auto refused = [&](ErrorCode code, const char* reason, const Ints& block, const Ints& begin,
                           const Ints& end) {
    expect_error(code, reason, [&] { space_to_batch(data, block, begin, end); });
  };
  refused(ErrorCode::kInvalidShape,
          "data.shape[1] + pads_begin[1] + pads_end[1] is 3 + 0 + 0, not a multiple of block_shape[1] = 2",
          {1, 2, 2}, {0, 0, 0}, {0, 0, 0});
  refused(ErrorCode::kInvalidValue, "block_shape[1] is 0, expected 1 or more", {1, 0, 2}, {0, 0, 0},
          {0, 0, 0});
  refused(ErrorCode::kInvalidValue, "block_shape[0] is 2, expected 1", {2, 1, 2}, {0, 0, 0}, {0, 0, 0});
  refused(ErrorCode::kInvalidValue, "pads_begin[0] is 1, expected 0", {1, 1, 2}, {1, 0, 0}, {0, 0, 0});
  refused(ErrorCode::kInvalidValue, "pads_end[2] is -2, expected 0 or more", {1, 1, 2}, {0, 0, 0},
          {0, 0, -2});
  refused(ErrorCode::kInvalidShape, "pads_begin has 2 elements", {1, 1, 2}, {0, 0}, {0, 0, 0});
  expect_error(ErrorCode::kInvalidShape, "expected rank 2 or more",
               [] { space_to_batch(iota({4}), {1}, {0}, {0}); });
}

}  // namespace
}  // namespace wasmvino::test::space_to_batch_test
