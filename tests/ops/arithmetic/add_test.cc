// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::add_test {
namespace {

using model::ValueInfo;

Tensor add(const Tensor& a, const Tensor& b, const char* rule = "numpy") {
  return run_op("Add", 1, {{"auto_broadcast", rule}}, {a, b})[0];
}

// What OpenVINO's CPU plugin gives: 8 bits saturate, 16 wrap.
TEST(Add, NarrowIntegersOverflow) {
  const auto sum = []<typename T>(std::vector<T> a, std::vector<T> b) {
    const Shape shape = {static_cast<int64_t>(a.size())};
    return add(Tensor::of<T>(shape, a.data()), Tensor::of<T>(shape, b.data()));
  };
  expect_tensor<uint8_t>(sum(std::vector<uint8_t>{200, 5, 250}, {100, 10, 250}), {3}, {255, 15, 255});
  expect_tensor<int8_t>(sum(std::vector<int8_t>{100, -100, -128}, {100, 100, -128}), {3}, {127, 0, -128});
  expect_tensor<int16_t>(sum(std::vector<int16_t>{30000, -30000, 3}, {30000, 30000, 5}), {3}, {-5536, 0, 8});
  expect_tensor<uint16_t>(sum(std::vector<uint16_t>{60000, 5}, {60000, 10}), {2}, {54464, 15});
}

TEST(Add, BroadcastsByNumpysRule) {
  const Tensor column = Tensor::of<float>({2, 1}, {10, 20});
  const Tensor row = Tensor::of<float>({3}, {1, 2, 3});
  expect_tensor<float>(add(column, row), {2, 3}, {11, 12, 13, 21, 22, 23});
  expect_tensor<float>(add(row, Tensor::scalar(0.5f)), {3}, {1.5f, 2.5f, 3.5f});
  expect_tensor<float>(add(Tensor::scalar(1.0f), Tensor::scalar(2.0f)), {}, {3});
  expect_tensor<float>(add(Tensor(ElementType::kF32, {2, 0}), Tensor::of<float>({1}, {1})), {2, 0}, {});
}

TEST(Add, PdpdAlignsTheSecondAtTheFirstAxis) {
  const Tensor a = Tensor::of<int32_t>({2, 3}, {0, 1, 2, 3, 4, 5});
  expect_tensor<int32_t>(add(a, Tensor::of<int32_t>({2}, {10, 20}), "pdpd"), {2, 3},
                         {10, 11, 12, 23, 24, 25});
  expect_tensor<int32_t>(add(a, Tensor::of<int32_t>({2, 1}, {10, 20}), "PDPD"), {2, 3},
                         {10, 11, 12, 23, 24, 25});
  expect_tensor<int32_t>(add(a, Tensor::scalar<int32_t>(7), "pdpd"), {2, 3}, {7, 8, 9, 10, 11, 12});
  expect_error(ErrorCode::kInvalidShape, "shapes [2,3] and [3] cannot be broadcast (auto_broadcast pdpd)",
               [&] { add(a, Tensor(ElementType::kI32, {3}), "pdpd"); });
  expect_error(ErrorCode::kInvalidShape, "shapes [1,3] and [2,3] cannot be broadcast (auto_broadcast pdpd)",
               [&] { add(Tensor(ElementType::kI32, {1, 3}), a, "pdpd"); });
}

TEST(Add, NoneWantsEqualShapes) {
  const Tensor a = Tensor::of<float>({2}, {1, 2});
  expect_tensor<float>(add(a, a, "none"), {2}, {2, 4});
  expect_error(ErrorCode::kInvalidShape, "shapes [2] and [1] cannot be broadcast (auto_broadcast none)",
               [&] { add(a, Tensor::of<float>({1}, {1}), "none"); });
}

TEST(Add, IntegersWrapAround) {
  expect_tensor<int32_t>(add(Tensor::scalar<int32_t>(2147483647), Tensor::scalar<int32_t>(1)), {},
                         {-2147483647 - 1});
  expect_tensor<uint64_t>(add(Tensor::scalar<uint64_t>(~0ull), Tensor::scalar<uint64_t>(2)), {}, {1});
  expect_tensor<int64_t>(add(Tensor::scalar<int64_t>(1ll << 40), Tensor::scalar<int64_t>(1)), {},
                         {(1ll << 40) + 1});
}

TEST(Add, RefusesTypesThatDiffer) {
  expect_error(ErrorCode::kInvalidType, "input 1 has element type f32, input 0 has i32",
               [] { add(Tensor::scalar<int32_t>(1), Tensor::scalar(1.0f)); });
  expect_error(ErrorCode::kInvalidType, "has element type boolean, expected a numeric type",
               [] { add(Tensor::scalar(true), Tensor::scalar(true)); });
  expect_error(ErrorCode::kInvalidType, "has element type u4, expected a numeric type",
               [] { add(Tensor(ElementType::kU4, {2}), Tensor(ElementType::kU4, {2})); });
  expect_error(ErrorCode::kInvalidModel, "the layer has 1 inputs, expected 2",
               [] { run_op("Add", 1, {}, {Tensor::scalar(1.0f)}); });
}

TEST(Add, InfersOpenShapes) {
  const ValueInfo a{ElementType::kF32, PartialShape{Dimension(), 3, 1}, nullptr};
  const ValueInfo b{ElementType::kF32, PartialShape{4, Dimension(), Dimension(2, 5)}, nullptr};
  const ValueInfo open{ElementType::kF32, PartialShape(), nullptr};
  EXPECT_EQ(to_string(infer_op("Add", 1, {}, {a, b})[0].shape), "[4,3,2..5]");
  EXPECT_EQ(to_string(infer_op("Add", 1, {}, {a, open})[0].shape), "[...]");
  EXPECT_EQ(to_string(infer_op("Add", 1, {{"auto_broadcast", "pdpd"}}, {a, open})[0].shape), "[?,3,1]");
  const ValueInfo ones{ElementType::kF32, {1, 1}, nullptr};
  EXPECT_EQ(to_string(infer_op("Add", 1, {{"auto_broadcast", "pdpd"}}, {ones, open})[0].shape), "[1,1]");
  EXPECT_EQ(to_string(infer_op("Add", 1, {{"auto_broadcast", "none"}}, {b, open})[0].shape), "[4,?,2..5]");
}

}  // namespace
}  // namespace wasmvino::test::add_test
