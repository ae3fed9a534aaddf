// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::broadcast_test {
namespace {

using model::ValueInfo;

Tensor broadcast(const Tensor& data, const Tensor& target, const char* mode = "numpy", int opset = 3) {
  return run_op("Broadcast", opset, {{"mode", mode}}, {data, target})[0];
}

Tensor broadcast_explicit(const Tensor& data, const Tensor& target, const Tensor& mapping,
                          const char* mode = "explicit", int opset = 3) {
  return run_op("Broadcast", opset, {{"mode", mode}}, {data, target, mapping})[0];
}

TEST(Broadcast, FollowsNumpy) {
  EXPECT_EQ(text_of(broadcast(iota({2, 1}), i64s({2, 3}))), "[2,3] 0 0 0 1 1 1");
  EXPECT_EQ(text_of(broadcast(iota({3}), i64s({2, 1, 3}))), "[2,1,3] 0 1 2 0 1 2");
  EXPECT_EQ(text_of(broadcast(iota({1, 2, 1}), i32s({2, 2, 2}))), "[2,2,2] 0 0 1 1 0 0 1 1");
  EXPECT_EQ(text_of(broadcast(Tensor::scalar(7.0f), i64s({2, 2}))), "[2,2] 7 7 7 7");
  EXPECT_EQ(text_of(broadcast(iota({1}), i64s({0}))), "[0]");
  EXPECT_EQ(text_of(broadcast(iota({2}), i64s({2}))), "[2] 0 1");
}

TEST(Broadcast, BothWays) {
  EXPECT_EQ(text_of(broadcast(iota({2, 1}), i64s({3}), "bidirectional")), "[2,3] 0 0 0 1 1 1");
  EXPECT_EQ(text_of(broadcast(iota({2, 3}), i64s({3}), "BIDIRECTIONAL")), "[2,3] 0 1 2 3 4 5");
  EXPECT_EQ(text_of(broadcast(iota({2}), i64s({2, 1, 1}), "bidirectional")), "[2,1,2] 0 1 0 1");
}

TEST(Broadcast, PlacesAxesExplicitly) {
  EXPECT_EQ(text_of(broadcast_explicit(iota({2}), i64s({2, 3}), i64s({0}))), "[2,3] 0 0 0 1 1 1");
  EXPECT_EQ(text_of(broadcast_explicit(iota({2}), i64s({3, 2}), i64s({1}))), "[3,2] 0 1 0 1 0 1");
  EXPECT_EQ(text_of(broadcast_explicit(iota({2, 1}), i64s({2, 2, 2}), i64s({0, 1}))),
            "[2,2,2] 0 0 0 0 1 1 1 1");
  EXPECT_EQ(text_of(broadcast_explicit(iota({2}), i64s({2, 3}), i64s({0}), "none", 1)), "[2,3] 0 0 0 1 1 1");
}

TEST(Broadcast, AlignsLeadingAxesInPdpd) {
  EXPECT_EQ(text_of(broadcast(iota({2}), i64s({2, 3}), "pdpd", 1)), "[2,3] 0 0 0 1 1 1");
}

TEST(Broadcast, MovesElementsOfAllWidths) {
  EXPECT_EQ(text_of(broadcast(iota<uint8_t>({2, 1}), i64s({2, 3}))), "[2,3] 0 0 0 1 1 1");
  EXPECT_EQ(text_of(broadcast(iota<int16_t>({2, 1}), i64s({2, 3}))), "[2,3] 0 0 0 1 1 1");
  EXPECT_EQ(text_of(broadcast(iota<int64_t>({1, 2}), i64s({3, 2}))), "[3,2] 0 1 0 1 0 1");
  EXPECT_EQ(text_of(broadcast(strings({2, 1}), i64s({2, 3}))), "[2,3] 0 0 0 1 1 1");
}

TEST(Broadcast, FillsLongRows) {
  const Tensor output = broadcast(iota({3, 1}), i64s({3, 20000}));
  for (size_t i = 0; i < output.size(); ++i)
    ASSERT_EQ(output.data<float>()[i], static_cast<float>(i / 20000)) << i;
}

TEST(Broadcast, InfersOpenShapes) {
  const ValueInfo data = open(ElementType::kF32, {2, Dimension()});
  EXPECT_EQ(infer_shape("Broadcast", 3, {}, {data, open(ElementType::kI64, {3})}), "[?,?,?]");
  EXPECT_EQ(infer_shape("Broadcast", 3, {}, {data, ValueInfo::of(i64s({4, 2, 5}))}), "[4,2,5]");
  EXPECT_EQ(infer_shape("Broadcast", 3, {{"mode", "bidirectional"}}, {data, ValueInfo::of(i64s({4, 1, 5}))}),
            "[4,2,5]");
}

TEST(Broadcast, RefusesWhatDoesNotFit) {
  expect_error(ErrorCode::kInvalidShape, "data of shape [2,1] cannot be broadcast to [1,3]",
               [] { broadcast(iota({2, 1}), i64s({1, 3})); });
  expect_error(ErrorCode::kInvalidShape, "cannot be broadcast to [3]",
               [] { broadcast(iota({2, 1}), i64s({3})); });
  expect_error(ErrorCode::kInvalidShape, "cannot be broadcast",
               [] { broadcast(iota({2}), i64s({3}), "bidirectional"); });
  expect_error(ErrorCode::kInvalidValue, "has a negative size", [] { broadcast(iota({1}), i64s({-3})); });
  expect_error(ErrorCode::kInvalidValue, "not in ascending order",
               [] { broadcast_explicit(iota({3, 2}), i64s({2, 3}), i64s({1, 0})); });
  expect_error(ErrorCode::kInvalidValue, "axes_mapping[0] is 5",
               [] { broadcast_explicit(iota({2}), i64s({2, 3}), i64s({5})); });
  expect_error(ErrorCode::kInvalidModel, "the layer has 2 inputs, expected 3",
               [] { broadcast(iota({2}), i64s({2, 3}), "explicit"); });
}

}  // namespace
}  // namespace wasmvino::test::broadcast_test
