// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::reshape_test {
namespace {

Tensor numbers(Shape shape) {
  Tensor tensor(ElementType::kI32, shape);
  for (size_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  return tensor;
}

Tensor reshape(const Tensor& data, std::initializer_list<int64_t> pattern,
               const char* special_zero = "false") {
  const Tensor target = Tensor::of<int64_t>({static_cast<int64_t>(pattern.size())}, pattern);
  return run_op("Reshape", 1, {{"special_zero", special_zero}}, {data, target})[0];
}

TEST(Reshape, KeepsElementsInOrder) {
  expect_tensor<int32_t>(reshape(numbers({2, 3}), {3, 2}), {3, 2}, {0, 1, 2, 3, 4, 5});
}

TEST(Reshape, MinusOneIsWhatIsLeft) {
  EXPECT_EQ(to_string(reshape(numbers({2, 3, 4}), {4, -1}).shape()), "[4,6]");
  EXPECT_EQ(to_string(reshape(numbers({2, 0}), {-1, 5}).shape()), "[0,5]");
}

TEST(Reshape, ZeroCopiesOnlyWithSpecialZero) {
  EXPECT_EQ(to_string(reshape(numbers({2, 3, 4}), {0, -1}, "true").shape()), "[2,12]");
  EXPECT_EQ(to_string(reshape(numbers({2, 0}), {0, 7}).shape()), "[0,7]");
}

// OpenVINO 2026.4.1 gives the same shapes.
TEST(Reshape, CopiesEmptyAxes) {
  EXPECT_EQ(to_string(reshape(numbers({1, 0, 2, 4}), {0, 0, -1}, "true").shape()), "[1,0,8]");
  EXPECT_EQ(to_string(reshape(numbers({0, 3}), {0, -1}, "true").shape()), "[0,3]");
  EXPECT_EQ(to_string(reshape(numbers({2, 0}), {0, 3, -1}, "true").shape()), "[2,3,0]");
  expect_error(ErrorCode::kInvalidShape, "shape [0,3] cannot be reshaped to [0,2,-1]",
               [] { reshape(numbers({0, 3}), {0, 2, -1}, "true"); });
}

TEST(Reshape, RefusesWhatDoesNotFit) {
  expect_error(ErrorCode::kInvalidShape, "shape [2,3] cannot be reshaped to [4,2]",
               [] { reshape(numbers({2, 3}), {4, 2}); });
  expect_error(ErrorCode::kInvalidValue, "contains -1 twice", [] { reshape(numbers({2, 3}), {-1, -1}); });
}

TEST(Reshape, InfersThePartsThatAreKnown) {
  const auto pattern = model::ValueInfo::of(Tensor::of<int64_t>({3}, {0, -1, 4}));
  const model::ValueInfo data{ElementType::kF32, PartialShape{Dimension(), 3, 8}, nullptr};
  EXPECT_EQ(to_string(infer_op("Reshape", 1, {{"special_zero", "true"}}, {data, pattern})[0].shape),
            "[?,6,4]");
}

}  // namespace
}  // namespace wasmvino::test::reshape_test
