// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::grid_sample_nd_test {
namespace {

Tensor sample(const Tensor& data, const Tensor& grid, const char* mode, const char* padding = "zeros",
              const char* aligned = "false") {
  const model::AttributeTexts attributes = {
      {"mode", mode}, {"padding_mode", padding}, {"align_corners", aligned}};
  run_domain_op_open("ai.onnx", "GridSampleNd", attributes, {data, grid}, {}, 3);
  return run_domain_op("ai.onnx", "GridSampleNd", attributes, {data, grid});
}

// Expected values: onnx 1.23's reference implementation.
TEST(GridSampleNd, ThreeAxes) {
  const Tensor data = Tensor::of<float>({1, 1, 3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Tensor grid = Tensor::of<float>({1, 1, 1, 3, 3}, {-1, -1, -1, -0.5f, 0.25f, 0.1f, 1.2f, 1, 0.9f});
  const Shape shape = {1, 1, 1, 1, 3};
  expect_near(sample(data, grid, "linear"), shape, {0.125f, 7.1f, 1.17f});
  expect_near(sample(data, grid, "linear", "border", "true"), shape, {1, 6.9f, 11.6f});
  expect_near(sample(data, grid, "linear", "reflection"), shape, {1, 7.1f, 12});
  expect_near(sample(data, grid, "nearest"), shape, {1, 7, 0});
  expect_near(sample(data, grid, "nearest", "reflection", "true"), shape, {1, 7, 12});
}

TEST(GridSampleNd, OneAxisCubic) {
  const Tensor data = Tensor::of<float>({1, 1, 5}, {1, 4, 2, 8, 5});
  const Tensor grid = Tensor::of<float>({1, 4, 1}, {-0.9f, -0.3f, 0.2f, 1.1f});
  expect_near(sample(data, grid, "cubic"), {1, 1, 4}, {0.4570313f, 3.6523438f, 5.09375f, 1.0273438f});
  expect_near(sample(data, grid, "cubic", "border"), {1, 1, 4}, {0.6835937f, 3.6523438f, 5.09375f, 5});
  expect_near(sample(data, grid, "cubic", "reflection"), {1, 1, 4},
              {0.5781249f, 3.6523438f, 5.09375f, 4.578125f});
}

TEST(GridSampleNd, PlacesThatAreNoNumbersAreOutside) {
  const Tensor data = Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4});
  const Tensor grid = Tensor::of<float>({1, 2, 1}, {NAN, HUGE_VALF});
  for (const char* padding : {"zeros", "reflection"})
    expect_near(sample(data, grid, "linear", padding), {1, 2, 2}, {0, 0, 0, 0});
}

TEST(GridSampleNd, Refuses) {
  expect_error(
      ErrorCode::kInvalidShape, "axis 2 of grid [1,4,2] is 2, the number of spatial axes of data is 1",
      [] { sample(Tensor(ElementType::kF32, {1, 1, 5}), Tensor(ElementType::kF32, {1, 4, 2}), "linear"); });
  expect_error(ErrorCode::kInvalidShape, "data [1,1,0] has no elements along axis 2", [] {
    sample(Tensor(ElementType::kF32, {1, 1, 0}), Tensor(ElementType::kF32, {1, 4, 1}), "linear");
  });
}

}  // namespace
}  // namespace wasmvino::test::grid_sample_nd_test
