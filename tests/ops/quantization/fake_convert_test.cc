// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/float_types.h"

namespace wasmvino::test::fake_convert_test {
namespace {

Tensor convert(const std::string& type, const std::vector<Tensor>& inputs) {
  return run_op("FakeConvert", 13, {{"destination_type", type}}, inputs)[0];
}

TEST(FakeConvert, RoundsToFloat8) {
  const Tensor x = Tensor::of<float>({6}, {1.06f, 1.07f, 1000, -1e9f, 0.001f, 70000});
  const Tensor one = Tensor::scalar(1.0f);
  expect_tensor<float>(convert("f8e4m3", {x, one}), {6}, {1, 1.125f, 448, -448, 0.001953125f, 448});
  expect_tensor<float>(convert("f8e5m2", {x, one}), {6}, {1, 1, 1024, -57344, 0.0009765625f, 57344});
}

TEST(FakeConvert, ScalesAndShiftsByChannel) {
  const Tensor x = Tensor::of<float>({2, 2}, {1.06f, 2.2f, 1.06f, 2.2f});
  const Tensor scale = Tensor::of<float>({2, 1}, {1, 2});
  const Tensor shift = Tensor::of<float>({2, 1}, {0, 1});
  // 1.06 * 2 - 1 = 1.12 becomes 1.125; 2.2 * 2 - 1 = 3.4 becomes 3.5.
  expect_near(convert("f8e4m3", {x, scale, shift}), {2, 2}, {1, 2.25f, 1.0625f, 2.25f});
  // Without a shift, 2.12 becomes 2 and 4.4 becomes 4.5.
  expect_near(convert("f8e4m3", {x, scale}), {2, 2}, {1, 2.25f, 1, 2.25f});
}

TEST(FakeConvert, KeepsTheTypeOfItsInput) {
  const auto half = [](float value) { return Tensor::scalar(Float16(value)); };
  const auto brain = [](float value) { return Tensor::scalar(BFloat16(value)); };
  EXPECT_EQ(text_of(convert("f8e4m3", {half(3.3f), half(1)})), "[] 3.25");
  EXPECT_EQ(text_of(convert("f8e5m2", {brain(3.3f), brain(1)})), "[] 3.5");
  EXPECT_EQ(name(convert("f8e5m2", {brain(3.3f), brain(1)}).type()), "bf16");
}

TEST(FakeConvert, Refuses) {
  const Tensor x(ElementType::kF32, {2, 3});
  const Tensor one = Tensor::scalar(1.0f);
  expect_error(ErrorCode::kInvalidModel, "destination_type", [&] { convert("f8e8m0", {x, one}); });
  expect_error(ErrorCode::kInvalidModel, "destination_type",
               [&] { run_op("FakeConvert", 13, {}, {x, one}); });
  expect_error(ErrorCode::kInvalidShape, "scale has shape [2,2,3], which cannot be broadcast to data [2,3]",
               [&] { convert("f8e4m3", {x, Tensor(ElementType::kF32, {2, 2, 3})}); });
  expect_error(ErrorCode::kInvalidShape, "shift has shape [2,1]", [&] {
    convert("f8e4m3", {Tensor(ElementType::kF32, {1, 3}), one, Tensor(ElementType::kF32, {2, 1})});
  });
  const Tensor wide = Tensor::scalar(1.0);
  expect_error(ErrorCode::kInvalidType, "has element type f64, expected bf16, f16 or f32",
               [&] { convert("f8e4m3", {wide, wide}); });
}

}  // namespace
}  // namespace wasmvino::test::fake_convert_test
