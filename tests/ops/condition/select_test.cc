// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::select_test {
namespace {

using model::ValueInfo;

Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no, const char* rule = "numpy") {
  return run_op("Select", 1, {{"auto_broadcast", rule}}, {condition, yes, no})[0];
}

TEST(Select, BroadcastsAllThree) {
  const Tensor condition = Tensor::of<bool>({2, 1}, {true, false});
  const Tensor yes = Tensor::of<float>({3}, {1, 2, 3});
  expect_tensor<float>(select(condition, yes, Tensor::scalar(-1.0f)), {2, 3}, {1, 2, 3, -1, -1, -1});
  expect_tensor<float>(select(Tensor::scalar(true), Tensor::scalar(1.0f), Tensor::of<float>({2}, {8, 9})),
                       {2}, {1, 1});
}

TEST(Select, MovesElementsOfAnyWidth) {
  const Tensor condition = Tensor::of<bool>({2}, {true, false});
  expect_tensor<int64_t>(
      select(condition, Tensor::of<int64_t>({2}, {1, 2}), Tensor::of<int64_t>({2}, {3, 4})), {2}, {1, 4});
  expect_tensor<uint8_t>(
      select(condition, Tensor::of<uint8_t>({2}, {1, 2}), Tensor::of<uint8_t>({2}, {3, 4})), {2}, {1, 4});
  expect_tensor<bool>(select(condition, Tensor::scalar(true), Tensor::scalar(false)), {2}, {true, false});
  const uint16_t halves[] = {0x3c00, 0x4000};
  const Tensor half(ElementType::kF16, {2}, const_cast<uint16_t*>(halves));
  const Tensor got = select(condition, half, half);
  EXPECT_EQ(name(got.type()), "f16");
  EXPECT_EQ(got.data<uint16_t>()[1], 0x4000);
}

TEST(Select, ChoosesNanOnlyWhereItIsChosen) {
  const Tensor condition = Tensor::of<bool>({2}, {true, false});
  expect_near(select(condition, Tensor::of<float>({2}, {NAN, NAN}), Tensor::of<float>({2}, {1, 2})), {2},
              {NAN, 2});
}

TEST(Select, PdpdBringsElseAndConditionToThen) {
  const Tensor condition = Tensor::of<bool>({2}, {true, false});
  const Tensor yes = Tensor::of<int32_t>({2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor no = Tensor::of<int32_t>({2}, {10, 20});
  expect_tensor<int32_t>(select(condition, yes, no, "pdpd"), {2, 3}, {0, 1, 2, 20, 20, 20});
  expect_error(ErrorCode::kInvalidShape, "shapes [2] and [2,3] cannot be broadcast",
               [&] { select(condition, no, yes, "pdpd"); });
}

TEST(Select, NoneWantsEqualShapes) {
  const Tensor condition = Tensor::of<bool>({2}, {true, false});
  const Tensor two = Tensor::of<int32_t>({2}, {1, 2});
  expect_tensor<int32_t>(select(condition, two, two, "none"), {2}, {1, 2});
  expect_error(ErrorCode::kInvalidShape, "auto_broadcast none",
               [&] { select(condition, two, Tensor::scalar<int32_t>(1), "none"); });
}

TEST(Select, RefusesWhatIsNoCondition) {
  expect_error(ErrorCode::kInvalidType, "cond has element type i32, expected boolean",
               [] { select(Tensor::scalar<int32_t>(1), Tensor::scalar(1.0f), Tensor::scalar(2.0f)); });
  expect_error(ErrorCode::kInvalidType, "else has element type i32, then has f32",
               [] { select(Tensor::scalar(true), Tensor::scalar(1.0f), Tensor::scalar<int32_t>(2)); });
}

TEST(Select, InfersOpenShapes) {
  const ValueInfo condition{ElementType::kBoolean, PartialShape{Dimension(), 1}, nullptr};
  const ValueInfo yes{ElementType::kF32, PartialShape{3}, nullptr};
  const ValueInfo no{ElementType::kF32, PartialShape{4, 1}, nullptr};
  EXPECT_EQ(to_string(infer_op("Select", 1, {}, {condition, yes, no})[0].shape), "[4,3]");
}

}  // namespace
}  // namespace wasmvino::test::select_test
