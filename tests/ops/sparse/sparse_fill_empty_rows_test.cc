// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "../open_inputs.h"

namespace wasmvino::test::sparse_fill_empty_rows_test {
namespace {

std::string texts(const std::vector<Tensor>& outputs) {
  return text_of(outputs[0]) + " | " + text_of(outputs[1]) + " | " + text_of(outputs[2]);
}

std::string fill(const Tensor& values, const Tensor& shape, const Tensor& indices, const Tensor& value) {
  return texts(run_op("SparseFillEmptyRows", 16, {}, {values, shape, indices, value}, 3));
}

const Tensor kNine = Tensor::scalar(9.0f);

// The specification's examples.
TEST(SparseFillEmptyRows, AddsAnElementToEachEmptyRow) {
  const Tensor indices = Tensor::of<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 3, 1});
  const Tensor values = Tensor::of<float>({4}, {1, 2, 3, 4});
  const std::string filled = "[6,2] 0 1 0 3 1 0 2 0 3 1 4 0 | [6] 1 2 9 3 4 9 | [5] 0 1 0 0 1";
  EXPECT_EQ(fill(values, i64s({5, 6}), indices, kNine), filled);
  EXPECT_EQ(texts(run_op_open("SparseFillEmptyRows", 16, {}, {values, i64s({5, 6}), indices, kNine}, 3)),
            filled);
  EXPECT_EQ(fill(Tensor::of<int8_t>({2}, {1, 3}), i32s({3, 3}), Tensor::of<int32_t>({2, 2}, {0, 0, 2, 2}),
                 Tensor::scalar<int8_t>(42)),
            "[3,2] 0 0 1 0 2 2 | [3] 1 42 3 | [3] 0 1 0");
}

// As OpenVINO's CPU plugin has it.
TEST(SparseFillEmptyRows, SortsElements) {
  const Tensor indices = Tensor::of<int64_t>({4, 2}, {2, 3, 0, 1, 2, 1, 0, 0});
  EXPECT_EQ(fill(Tensor::of<float>({4}, {1, 2, 3, 4}), i64s({4, 5}), indices, kNine),
            "[6,2] 0 0 0 1 1 0 2 1 2 3 3 0 | [6] 4 2 9 3 1 9 | [4] 0 1 0 1");
}

TEST(SparseFillEmptyRows, TakesEmptyMatrices) {
  const Tensor none(ElementType::kI64, {0, 2});
  const Tensor values(ElementType::kF32, {0});
  EXPECT_EQ(fill(values, i64s({3, 4}), none, kNine), "[3,2] 0 0 1 0 2 0 | [3] 9 9 9 | [3] 1 1 1");
  EXPECT_EQ(fill(values, i64s({0, 4}), none, kNine), "[0,2] | [0] | [0]");
}

TEST(SparseFillEmptyRows, InfersBounds) {
  const auto infer = [](const model::ValueInfo& shape) {
    const auto outputs = infer_op("SparseFillEmptyRows", 16, {},
                                  {open(ElementType::kF32, {4}), shape, open(ElementType::kI64, {4, 2}),
                                   open(ElementType::kF32, PartialShape::of_rank(0))},
                                  3);
    return to_string(outputs[0].shape) + to_string(outputs[1].shape) + to_string(outputs[2].shape);
  };
  EXPECT_EQ(infer(model::ValueInfo::of(i64s({6, 2}))), "[6..10,2][6..10][6]");
  EXPECT_EQ(infer(open(ElementType::kI64, {2})), "[4..,2][4..][?]");
}

TEST(SparseFillEmptyRows, Refuses) {
  const Tensor one = Tensor::of<float>({1}, {1});
  const auto at = [](int64_t row, int64_t column) { return Tensor::of<int64_t>({1, 2}, {row, column}); };
  expect_error(ErrorCode::kInvalidValue, "pair 0 of indices is in row 4, outside 0..3",
               [&] { fill(one, i64s({4, 5}), at(4, 0), kNine); });
  expect_error(ErrorCode::kInvalidValue, "in column -1, outside 0..4",
               [&] { fill(one, i64s({4, 5}), at(0, -1), kNine); });
  expect_error(ErrorCode::kInvalidShape, "dense_shape has 3 elements, expected 2",
               [&] { fill(one, i64s({4, 5, 6}), at(0, 0), kNine); });
  expect_error(ErrorCode::kInvalidShape, "they differ on axis 0",
               [&] { fill(Tensor::of<float>({2}, {1, 2}), i64s({4, 5}), at(0, 0), kNine); });
  expect_error(ErrorCode::kInvalidShape, "expected pairs",
               [&] { fill(one, i64s({4, 5}), Tensor::of<int64_t>({1, 3}, {0, 0, 0}), kNine); });
  expect_error(ErrorCode::kInvalidShape, "default_value has shape [2], expected a scalar",
               [&] { fill(one, i64s({4, 5}), at(0, 0), Tensor::of<float>({2}, {1, 2})); });
  expect_error(ErrorCode::kInvalidType, "f32",
               [&] { fill(one, i64s({4, 5}), at(0, 0), Tensor::scalar<int32_t>(1)); });
  expect_error(ErrorCode::kInvalidType, "expected i32 or i64", [&] {
    fill(one, Tensor::of<int8_t>({2}, {4, 5}), Tensor::of<int8_t>({1, 2}, {0, 0}), kNine);
  });
  expect_error(ErrorCode::kInvalidValue, "dense_shape contains -1",
               [&] { fill(one, i64s({-1, 5}), at(0, 0), kNine); });
}

}  // namespace
}  // namespace wasmvino::test::sparse_fill_empty_rows_test
