// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "../open_inputs.h"
#include "core/float_types.h"

namespace wasmvino::test::segment_max_test {
namespace {

Tensor segment_max(const char* fill_mode, const Tensor& data, const Tensor& ids) {
  return run_op("SegmentMax", 16, {{"fill_mode", fill_mode}}, {data, ids})[0];
}

Tensor segment_max(const char* fill_mode, const Tensor& data, const Tensor& ids, int64_t segments) {
  return run_op("SegmentMax", 16, {{"fill_mode", fill_mode}}, {data, ids, Tensor::scalar(segments)})[0];
}

const Tensor kIds = i32s({0, 0, 0, 1, 1, 3, 5, 5});
const Tensor kData = Tensor::of<float>({8}, {1, 3, 2, -5, -4, 7, 6, 8});

TEST(SegmentMax, FillsEmptySegments) {
  EXPECT_EQ(text_of(segment_max("ZERO", kData, kIds)), "[6] 3 -4 0 7 0 8");
  const float lowest = std::numeric_limits<float>::lowest();
  expect_tensor<float>(segment_max("LOWEST", kData, kIds), {6}, {3, -4, lowest, 7, lowest, 8});
}

TEST(SegmentMax, MakesAsManySegmentsAsAsked) {
  EXPECT_EQ(text_of(segment_max("ZERO", kData, kIds, 8)), "[8] 3 -4 0 7 0 8 0 0");
  EXPECT_EQ(text_of(segment_max("ZERO", kData, kIds, 2)), "[2] 3 -4");
  EXPECT_EQ(text_of(segment_max("ZERO", kData, kIds, 0)), "[0]");
}

TEST(SegmentMax, ComparesSlices) {
  const Tensor data = Tensor::of<int32_t>({3, 2, 2}, {1, 2, 3, 4, 4, 3, 2, 1, -1, -2, -3, -4});
  EXPECT_EQ(text_of(segment_max("ZERO", data, i64s({0, 0, 2}))), "[3,2,2] 4 3 3 4 0 0 0 0 -1 -2 -3 -4");
  // Longer slices than the kernel handles at a time.
  const Tensor rows = iota({2, 300});
  const Tensor largest = segment_max("ZERO", rows, i32s({1, 1}));
  EXPECT_EQ(to_string(largest.shape()), "[2,300]");
  for (size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(largest.data<float>()[i], 0);
    EXPECT_EQ(largest.data<float>()[300 + i], 300.0f + static_cast<float>(i));
  }
}

template <typename T>
std::string lowest_of() {
  return text_of(segment_max("lowest", Tensor::of<T>({1}, {T(7)}), i32s({1})));
}

TEST(SegmentMax, KnowsTheLowestValueOfEachType) {
  EXPECT_EQ(lowest_of<int8_t>(), "[2] -128 7");
  EXPECT_EQ(lowest_of<int16_t>(), "[2] -32768 7");
  EXPECT_EQ(lowest_of<int32_t>(), "[2] -2147483648 7");
  EXPECT_EQ(segment_max("lowest", i64s({7}), i32s({1})).data<int64_t>()[0], INT64_MIN);
  EXPECT_EQ(lowest_of<uint8_t>(), "[2] 0 7");
  EXPECT_EQ(lowest_of<uint16_t>(), "[2] 0 7");
  EXPECT_EQ(lowest_of<uint32_t>(), "[2] 0 7");
  EXPECT_EQ(lowest_of<uint64_t>(), "[2] 0 7");
  EXPECT_EQ(lowest_of<Float16>(), "[2] -65504 7");
  EXPECT_EQ(segment_max("lowest", Tensor::of<BFloat16>({1}, {BFloat16(7)}), i32s({1})).data<uint16_t>()[0],
            0xFF7F);
  EXPECT_EQ(segment_max("lowest", Tensor::of<double>({1}, {7}), i32s({1})).data<double>()[0],
            std::numeric_limits<double>::lowest());
}

TEST(SegmentMax, CountsSegmentsWhenItRuns) {
  const auto run = [](const std::vector<Tensor>& inputs, const std::vector<size_t>& constants) {
    return text_of(run_op_open("SegmentMax", 16, {{"fill_mode", "zero"}}, inputs, 1, constants)[0]);
  };
  EXPECT_EQ(run({kData, kIds}, {}), "[6] 3 -4 0 7 0 8");
  EXPECT_EQ(run({kData, kIds}, {1}), "[6] 3 -4 0 7 0 8");
}

TEST(SegmentMax, InfersShapes) {
  const auto infer = [](const std::vector<model::ValueInfo>& inputs) {
    return infer_shape("SegmentMax", 16, {{"fill_mode", "zero"}}, inputs);
  };
  const auto data = open(ElementType::kF32, {Dimension(), 3});
  const auto ids = open(ElementType::kI32, {4});
  EXPECT_EQ(infer({data, ids}), "[?,3]");
  EXPECT_EQ(infer({data, model::ValueInfo::of(i32s({0, 4}))}), "[5,3]");
  EXPECT_EQ(infer({data, ids, model::ValueInfo::of(Tensor::scalar<int32_t>(9))}), "[9,3]");
  EXPECT_EQ(infer({open(ElementType::kF32, PartialShape()), ids}), "[...]");
}

TEST(SegmentMax, Refuses) {
  const Tensor two = Tensor::of<float>({2}, {1, 2});
  expect_error(ErrorCode::kInvalidValue, "element 1 of segment_ids is 0 after 1",
               [&] { segment_max("zero", two, i32s({1, 0})); });
  expect_error(ErrorCode::kInvalidValue, "element 0 of segment_ids is -1",
               [&] { segment_max("zero", two, i32s({-1, 0})); });
  expect_error(ErrorCode::kInvalidShape, "they differ on axis 0",
               [&] { segment_max("zero", two, i32s({0})); });
  expect_error(ErrorCode::kInvalidValue, "num_segments is -1",
               [&] { segment_max("zero", two, i32s({0, 1}), -1); });
  expect_error(ErrorCode::kInvalidType, "data has element type boolean, expected a numeric type",
               [&] { segment_max("zero", Tensor::of<bool>({1}, {true}), i32s({0})); });
  expect_error(ErrorCode::kInvalidModel, "fill_mode", [&] { segment_max("one", two, i32s({0, 1})); });
}

}  // namespace
}  // namespace wasmvino::test::segment_max_test
