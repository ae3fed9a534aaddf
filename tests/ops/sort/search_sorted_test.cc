// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::search_sorted_test {
namespace {

Tensor search(const Tensor& rows, const Tensor& values, bool right) {
  return run_op("SearchSorted", 15, {{"right_mode", right ? "true" : "false"}, {"output_type", "i32"}},
                {rows, values})[0];
}

TEST(SearchSorted, OneRowForAll) {
  const Tensor row = Tensor::of<float>({5}, {1, 3, 3, 5, 9});
  const Tensor values = Tensor::of<float>({2, 2, 2}, {0, 1, 3, 4, 5, 9, 10, 3.5f});
  expect_tensor<int32_t>(search(row, values, false), {2, 2, 2}, {0, 0, 1, 3, 3, 4, 5, 3});
  expect_tensor<int32_t>(search(row, values, true), {2, 2, 2}, {0, 1, 3, 3, 4, 5, 5, 3});
  expect_tensor<int32_t>(search(row, Tensor::scalar(3.0f), true), {}, {3});
}

TEST(SearchSorted, ARowForEach) {
  const Tensor rows = Tensor::of<int64_t>({2, 1, 3}, {1, 2, 3, 10, 20, 30});
  const Tensor values = Tensor::of<int64_t>({2, 1, 2}, {2, 5, 2, 30});
  expect_tensor<int32_t>(search(rows, values, false), {2, 1, 2}, {1, 3, 0, 2});
  expect_tensor<int32_t>(search(rows, values, true), {2, 1, 2}, {2, 3, 0, 3});
  expect_tensor<uint64_t>(Tensor::of<uint64_t>({1}, {~uint64_t{0}}), {1}, {~uint64_t{0}});
  expect_tensor<int32_t>(search(Tensor::of<uint64_t>({2}, {1, ~uint64_t{0}}),
                                Tensor::of<uint64_t>({1}, {~uint64_t{0} - 1}), false),
                         {1}, {1});
}

TEST(SearchSorted, Nothing) {
  expect_tensor<int32_t>(search(Tensor(ElementType::kF32, {2, 0}), Tensor::of<float>({2, 1}, {1, 2}), false),
                         {2, 1}, {0, 0});
  expect_tensor<int32_t>(search(Tensor::of<float>({2, 1}, {1, 2}), Tensor(ElementType::kF32, {2, 0}), false),
                         {2, 0}, {});
}

TEST(SearchSorted, Refuses) {
  const Tensor rows(ElementType::kF32, {2, 3});
  expect_error(ErrorCode::kInvalidShape, "axis 0 of values [3,1] is 3, axis 0 of sorted_sequence is 2",
               [&] { search(rows, Tensor(ElementType::kF32, {3, 1}), false); });
  expect_error(ErrorCode::kInvalidShape, "values has shape [2], expected rank 2",
               [&] { search(rows, Tensor(ElementType::kF32, {2}), false); });
  expect_error(ErrorCode::kInvalidType, "values has element type i32, sorted_sequence has f32",
               [&] { search(rows, Tensor(ElementType::kI32, {2, 1}), false); });
}

}  // namespace
}  // namespace wasmvino::test::search_sorted_test
