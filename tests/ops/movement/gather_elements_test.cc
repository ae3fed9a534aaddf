// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::gather_elements_test {
namespace {

Tensor gather(const Tensor& data, const Tensor& indices, const char* axis) {
  return run_op("GatherElements", 6, {{"axis", axis}}, {data, indices})[0];
}

// The specification's examples.
TEST(GatherElements, TakesAnElementForEachIndex) {
  EXPECT_EQ(text_of(gather(Tensor::of<float>({2, 2}, {1, 2, 3, 4}), Tensor::of<int64_t>({2, 2}, {0, 1, 0, 0}),
                           "0")),
            "[2,2] 1 4 1 2");
  EXPECT_EQ(text_of(gather(Tensor::of<float>({2, 2}, {1, 7, 4, 3}),
                           Tensor::of<int32_t>({2, 3}, {1, 1, 0, 1, 0, 1}), "1")),
            "[2,3] 7 7 1 3 4 3");
  EXPECT_EQ(text_of(gather(Tensor::of<int64_t>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                           Tensor::of<int64_t>({2, 3}, {1, 0, 1, 1, 2, 0}), "-2")),
            "[2,3] 4 2 6 4 8 3");
}

TEST(GatherElements, CountsNegativeIndicesFromTheEnd) {
  EXPECT_EQ(text_of(gather(iota({2, 3}), Tensor::of<int64_t>({2, 2}, {-1, 0, -3, 1}), "1")), "[2,2] 2 0 3 4");
}

TEST(GatherElements, WorksOnInnerAxesOfAllTypes) {
  const Tensor indices = Tensor::of<int64_t>({2, 1, 2}, {1, 0, 2, 2});
  EXPECT_EQ(text_of(gather(iota<uint8_t>({2, 3, 2}), indices, "1")), "[2,1,2] 2 1 10 11");
  EXPECT_EQ(text_of(gather(iota<int16_t>({2, 3, 2}), indices, "1")), "[2,1,2] 2 1 10 11");
  EXPECT_EQ(text_of(gather(strings({2, 3, 2}), indices, "1")), "[2,1,2] 2 1 10 11");
}

TEST(GatherElements, InfersFromBothShapes) {
  EXPECT_EQ(infer_shape(
                "GatherElements", 6, {{"axis", "1"}},
                {open(ElementType::kF32, {2, 3, Dimension()}), open(ElementType::kI64, {Dimension(), 7, 5})}),
            "[2,7,5]");
}

TEST(GatherElements, RefusesWhatDoesNotFit) {
  const Tensor data = iota({2, 3});
  expect_error(ErrorCode::kInvalidValue, "element 1 of indices is 2, outside -2..1",
               [&] { gather(data, Tensor::of<int64_t>({1, 3}, {0, 2, 1}), "0"); });
  expect_error(ErrorCode::kInvalidValue, "element 0 of indices is -3, outside -2..1",
               [&] { gather(data, Tensor::of<int64_t>({1, 3}, {-3, 0, 1}), "0"); });
  expect_error(ErrorCode::kInvalidShape, "may differ only on axis 0",
               [&] { gather(data, Tensor::of<int64_t>({1, 2}, {0, 1}), "0"); });
}

}  // namespace
}  // namespace wasmvino::test::gather_elements_test
