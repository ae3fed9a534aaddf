// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/packed_bits.h"

namespace wasmvino::test::gather_test {
namespace {

using model::ValueInfo;

Tensor gather(const Tensor& data, const Tensor& indices, int64_t axis, const char* batch_dims = "0",
              int opset = 8) {
  return run_op("Gather", opset, {{"batch_dims", batch_dims}}, {data, indices, Tensor::scalar(axis)})[0];
}

TEST(Gather, PicksSlicesOfAnyAxis) {
  const Tensor data = iota({2, 3, 2});
  EXPECT_EQ(text_of(gather(data, i64s({1, 0, 1}), 0)), "[3,3,2] 6 7 8 9 10 11 0 1 2 3 4 5 6 7 8 9 10 11");
  EXPECT_EQ(text_of(gather(data, i32s({2}), 1)), "[2,1,2] 4 5 10 11");
  EXPECT_EQ(text_of(gather(data, i64s({1, 1}), -1)), "[2,3,2] 1 1 3 3 5 5 7 7 9 9 11 11");
  EXPECT_EQ(text_of(gather(data, Tensor::scalar<int32_t>(0), 1)), "[2,2] 0 1 6 7");
  EXPECT_EQ(text_of(gather(iota({3}), Tensor::of<int64_t>({2, 2}, {0, 1, 2, 0}), 0)), "[2,2] 0 1 2 0");
  EXPECT_EQ(text_of(gather(data, i64s({}), 0)), "[0,3,2]");
}

// The specification's examples.
TEST(Gather, SharesLeadingAxesAsBatches) {
  const Tensor data = Tensor::of<int32_t>({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const Tensor indices = Tensor::of<int64_t>({2, 3}, {0, 0, 4, 4, 0, 0});
  EXPECT_EQ(text_of(gather(data, indices, 1, "1")), "[2,3] 1 1 5 10 6 6");
  EXPECT_EQ(text_of(gather(data, indices, 1, "-1", 7)), "[2,3] 1 1 5 10 6 6");
  EXPECT_EQ(text_of(gather(iota<int32_t>({2, 1, 5, 2}), Tensor::of<int64_t>({2, 2}, {1, 2, 4, 3}), 2, "1")),
            "[2,1,2,2] 2 3 4 5 18 19 16 17");
}

TEST(Gather, CountsNegativeIndicesFromTheEndSinceOpset8) {
  const Tensor data = Tensor::of<float>({5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(text_of(gather(data, i64s({0, -2, -1}), 0)), "[3] 1 4 5");
  EXPECT_EQ(text_of(gather(data, i64s({0, -2, -1}), 0, "0", 7)), "[3] 1 0 0");
  EXPECT_EQ(text_of(run_op("Gather", 1, {}, {data, i64s({4, -1}), Tensor::scalar<int64_t>(0)})[0]),
            "[2] 5 0");
}

TEST(Gather, GivesZerosOutsideTheAxis) {
  EXPECT_EQ(text_of(gather(Tensor::of<float>({5}, {1, 2, 3, 4, 5}), i64s({3, 10, -20}), 0)), "[3] 4 0 0");
  EXPECT_EQ(text_of(gather(iota<int64_t>({2, 3}), i64s({2, 1}), 0)), "[2,3] 0 0 0 3 4 5");
  EXPECT_EQ(text_of(gather(iota<int64_t>({2, 3}), i64s({3, 1, -4, -1}), 1)), "[2,4] 0 1 0 2 0 4 0 5");
  EXPECT_EQ(text_of(gather(Tensor(ElementType::kF32, {2, 0}), i64s({0, 1}), 1)), "[2,2] 0 0 0 0");
  EXPECT_EQ(gather(strings({2}), i64s({1, 2}), 0).data<std::string>()[1], "");
}

TEST(Gather, MovesElementsOfAllWidths) {
  EXPECT_EQ(text_of(gather(iota<uint8_t>({2, 3}), i64s({2, 0}), 1)), "[2,2] 2 0 5 3");
  EXPECT_EQ(text_of(gather(iota<int16_t>({2, 3}), i64s({2, 0}), 1)), "[2,2] 2 0 5 3");
  EXPECT_EQ(text_of(gather(iota<double>({2, 3}), i64s({2, 0}), 1)), "[2,2] 2 0 5 3");
  EXPECT_EQ(text_of(gather(strings({2, 3}), i64s({2, 0}), 1)), "[2,2] 2 0 5 3");
}

TEST(Gather, MovesRowsAndElementsNarrowerThanAByte) {
  for (const int64_t columns : {2, 3}) {
    Tensor data(ElementType::kU4, {3, columns});
    for (size_t i = 0; i < data.size(); ++i) {
      store_bits(ElementType::kU4, data.mutable_data<char>(), i, static_cast<uint8_t>(i));
    }
    EXPECT_EQ(text_of(gather(data, i64s({2, 0}), 0)), columns == 2 ? "[2,2] 4 5 0 1" : "[2,3] 6 7 8 0 1 2");
  }
}

TEST(Gather, TakesIndicesOfAnyIntegralType) {
  const Tensor data = iota({3});
  EXPECT_EQ(text_of(gather(data, Tensor::of<uint8_t>({2}, {2, 1}), 0)), "[2] 2 1");
  EXPECT_EQ(text_of(gather(data, Tensor::of<int8_t>({2}, {-1, 1}), 0)), "[2] 2 1");
  EXPECT_EQ(text_of(gather(data, Tensor::of<uint64_t>({1}, {2}), 0)), "[1] 2");
}

TEST(Gather, ReadsMoreIndicesThanABatch) {
  Tensor indices(ElementType::kI32, {1000});
  for (int32_t i = 0; i < 1000; ++i) indices.mutable_data<int32_t>()[i] = (i * 7) % 300;
  const Tensor output = gather(iota<int32_t>({2, 300}), indices, 1);
  for (int32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(output.data<int32_t>()[i], (i * 7) % 300);
    ASSERT_EQ(output.data<int32_t>()[1000 + i], 300 + (i * 7) % 300);
  }
}

TEST(Gather, InfersOpenShapes) {
  const ValueInfo data = open(ElementType::kF32, {Dimension(), 3, 4});
  const ValueInfo indices = open(ElementType::kI64, {2, Dimension()});
  const ValueInfo axis = ValueInfo::of(Tensor::scalar<int64_t>(1));
  EXPECT_EQ(infer_shape("Gather", 8, {}, {data, indices, axis}), "[?,2,?,4]");
  EXPECT_EQ(infer_shape("Gather", 8, {{"batch_dims", "1"}}, {data, indices, axis}), "[2,?,4]");
  EXPECT_EQ(infer_shape("Gather", 8, {}, {data, indices, open(ElementType::kI64, {})}), "[?,?,?,?]");
}

TEST(Gather, RefusesWhatContradictsItself) {
  expect_error(ErrorCode::kInvalidShape, "they differ on batch axis 0",
               [] { gather(iota({2, 3}), Tensor::of<int64_t>({3, 1}, {0, 0, 0}), 1, "1"); });
  expect_error(ErrorCode::kInvalidModel, "expected at most 'axis', which is 0",
               [] { gather(iota({2, 3}), Tensor::of<int64_t>({2, 1}, {0, 0}), 0, "1"); });
  expect_error(ErrorCode::kInvalidModel, "'batch_dims' is 3",
               [] { gather(iota({2, 3}), i64s({0}), 0, "3"); });
  expect_error(ErrorCode::kInvalidValue, "axis is 2, outside -2..1",
               [] { gather(iota({2, 3}), i64s({0}), 2); });
  expect_error(ErrorCode::kInvalidType, "indices has element type f32",
               [] { gather(iota({2, 3}), iota({1}), 0); });
}

}  // namespace
}  // namespace wasmvino::test::gather_test
