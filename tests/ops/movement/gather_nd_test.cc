// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/packed_bits.h"

namespace wasmvino::test::gather_nd_test {
namespace {

Tensor gather(const Tensor& data, const Tensor& indices, const char* batch_dims = "0", int opset = 8) {
  return run_op("GatherND", opset, {{"batch_dims", batch_dims}}, {data, indices})[0];
}

// The specification's examples.
TEST(GatherND, TakesElementsAndSlices) {
  const Tensor data = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(text_of(gather(data, Tensor::of<int64_t>({2, 2}, {0, 0, 1, 0}))), "[2] 1 3");
  EXPECT_EQ(text_of(gather(data, Tensor::of<int32_t>({2, 1}, {1, 0}))), "[2,2] 3 4 1 2");
  EXPECT_EQ(text_of(gather(data, Tensor::of<int64_t>({2, 1, 1}, {1, 0}))), "[2,1,2] 3 4 1 2");
  EXPECT_EQ(text_of(gather(data, i64s({1, 1}))), "[] 4");
}

TEST(GatherND, GoesThroughBatches) {
  EXPECT_EQ(
      text_of(gather(Tensor::of<int32_t>({2, 2}, {1, 2, 3, 4}), Tensor::of<int64_t>({2, 1}, {1, 0}), "1")),
      "[2] 2 3");
  const Tensor data = iota<int32_t>({2, 3, 4});
  EXPECT_EQ(text_of(gather(data, Tensor::of<int64_t>({2, 1}, {1, 0}), "1")), "[2,4] 4 5 6 7 12 13 14 15");
  const Tensor indices = Tensor::of<int64_t>({2, 3, 1, 1}, {1, 0, 2, 0, 2, 2});
  EXPECT_EQ(text_of(gather(data, indices, "2")), "[2,3,1] 1 4 10 12 18 22");
}

TEST(GatherND, JoinsTheBatchAxesInOpset5) {
  const Tensor data = iota<int32_t>({2, 3, 4});
  EXPECT_EQ(text_of(gather(data, Tensor::of<int64_t>({2, 3, 1}, {1, 0, 2, 0, 2, 2}), "2", 5)),
            "[6] 1 4 10 12 18 22");
  EXPECT_EQ(text_of(gather(data, Tensor::of<int64_t>({2, 1}, {1, 0}), "1", 5)), "[2,4] 4 5 6 7 12 13 14 15");
}

TEST(GatherND, CountsNegativeIndicesFromTheEnd) {
  EXPECT_EQ(text_of(gather(iota({2, 3}), Tensor::of<int64_t>({2, 2}, {0, -1, -2, 0}))), "[2] 2 0");
}

TEST(GatherND, MovesElementsOfAllWidths) {
  const Tensor indices = Tensor::of<int64_t>({2, 1}, {2, 0});
  EXPECT_EQ(text_of(gather(iota<uint8_t>({3, 3}), indices)), "[2,3] 6 7 8 0 1 2");
  EXPECT_EQ(text_of(gather(iota<double>({3, 1}), indices)), "[2,1] 2 0");
  EXPECT_EQ(text_of(gather(strings({3, 2}), indices)), "[2,2] 4 5 0 1");
  Tensor data(ElementType::kU4, {3, 3});
  for (size_t i = 0; i < 9; ++i)
    store_bits(ElementType::kU4, data.mutable_data<char>(), i, static_cast<uint8_t>(i));
  EXPECT_EQ(text_of(gather(data, indices)), "[2,3] 6 7 8 0 1 2");
}

TEST(GatherND, InfersOpenShapes) {
  const auto infer = [](PartialShape data, PartialShape indices, const char* batch_dims, int opset) {
    return infer_shape("GatherND", opset, {{"batch_dims", batch_dims}},
                       {open(ElementType::kF32, data), open(ElementType::kI64, indices)});
  };
  EXPECT_EQ(infer({Dimension(), 3, 4}, {5, Dimension(), 1}, "0", 8), "[5,?,3,4]");
  EXPECT_EQ(infer({Dimension(), 3, 4}, {2, 3, 1}, "2", 8), "[2,3]");
  EXPECT_EQ(infer({Dimension(), 3, 4}, {2, 3, 1}, "2", 5), "[6]");
  EXPECT_EQ(infer({2, 3}, {2, Dimension()}, "0", 8), "[...]");
}

TEST(GatherND, RefusesWhatDoesNotFit) {
  const Tensor data = iota({2, 3});
  expect_error(ErrorCode::kInvalidValue, "tuple 1 of indices has 3 for axis 1 of data, outside -3..2",
               [&] { gather(data, Tensor::of<int64_t>({2, 2}, {0, 0, 1, 3})); });
  expect_error(ErrorCode::kInvalidShape,
               "contain tuples of 3 indices, but data [2,3] has 2 axes after the batch axes",
               [&] { gather(data, Tensor::of<int64_t>({1, 3}, {0, 0, 0})); });
  expect_error(ErrorCode::kInvalidShape, "they differ on batch axis 0",
               [&] { gather(data, Tensor::of<int64_t>({1, 1}, {0}), "1"); });
  expect_error(ErrorCode::kInvalidModel, "'batch_dims' is 2, expected 0..1",
               [&] { gather(data, Tensor::of<int64_t>({2, 1}, {0, 0}), "2"); });
}

}  // namespace
}  // namespace wasmvino::test::gather_nd_test
