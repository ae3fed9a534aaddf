// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/convolution/convolution_tester.h"

namespace wasmvino::test::deformable_convolution_test {
namespace {

Tensor zeros(const Shape& shape) {
  Tensor tensor(ElementType::kF32, shape);
  std::fill_n(tensor.mutable_data<float>(), tensor.size(), 0.0f);
  return tensor;
}

// 1 2 3
// 4 5 6
const Tensor kPicture = Tensor::of<float>({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor kOne = Tensor::of<float>({1, 1, 1, 1}, {1});

// Offsets of a 1x1 kernel: down and right, for all six pixels.
Tensor shift(float down, float right) {
  Tensor offsets(ElementType::kF32, {1, 2, 2, 3});
  std::fill_n(offsets.mutable_data<float>(), 6, down);
  std::fill_n(offsets.mutable_data<float>() + 6, 6, right);
  return offsets;
}

TEST(DeformableConvolution, OffsetsMoveTaps) {
  for (const int opset : {1, 8}) {
    const auto run = [&](float down, float right) {
      return run_op("DeformableConvolution", opset, {}, {kPicture, shift(down, right), kOne})[0];
    };
    expect_near(run(0, 0), {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
    expect_near(run(0, 1), {1, 1, 2, 3}, {2, 3, 0, 5, 6, 0});
    expect_near(run(0.5f, 0), {1, 1, 2, 3},
                {2.5f, 3.5f, 4.5f, 4, 5, 6});  // the last row is its own neighbour
    expect_near(run(0.25f, 0.5f), {1, 1, 2, 3}, {2.25f, 3.25f, 3.75f, 4.5f, 5.5f, 6});
    expect_near(run(0, -0.5f), {1, 1, 2, 3}, {0, 1.5f, 2.5f, 0, 4.5f, 5.5f});
    expect_near(run(std::nanf(""), 0), {1, 1, 2, 3}, {0, 0, 0, 0, 0, 0});
  }
}

TEST(DeformableConvolution, PaddingTakesPartInInterpolation) {
  const auto run = [&](float down, float right) {
    return run_op("DeformableConvolution", 8, {{"bilinear_interpolation_pad", "true"}},
                  {kPicture, shift(down, right), kOne})[0];
  };
  expect_near(run(0, -0.5f), {1, 1, 2, 3}, {0.5f, 1.5f, 2.5f, 2, 4.5f, 5.5f});
  expect_near(run(0.5f, 0), {1, 1, 2, 3}, {2.5f, 3.5f, 4.5f, 2, 2.5f, 3});
  expect_near(run(0, -1), {1, 1, 2, 3}, {0, 1, 2, 0, 4, 5});
}

TEST(DeformableConvolution, MaskScalesTaps) {
  const Tensor mask = Tensor::of<float>({1, 1, 2, 3}, {1, 0, 2, 0.5f, 1, -1});
  expect_near(run_op("DeformableConvolution", 8, {}, {kPicture, shift(0, 0), kOne, mask})[0], {1, 1, 2, 3},
              {1, 0, 6, 2, 5, -6});
}

// Without offsets it is a convolution.
TEST(DeformableConvolution, AgainstConvolution) {
  for (const int64_t groups : {1, 2}) {
    for (const int64_t offset_groups : {1, 2, 4}) {
      for (const bool open : {false, true}) {
        const Tensor data = random_tensor({2, 8, 9, 11}, 1),
                     filters = random_tensor({6, 8 / groups, 3, 2}, 2);
        const Tensor offsets = zeros({2, offset_groups * 12, 5, 10});
        const model::AttributeTexts window = {
            {"strides", "2,1"}, {"dilations", "1,2"}, {"pads_begin", "1,0"}, {"pads_end", "1,1"}};
        model::AttributeTexts attributes = window;
        attributes.emplace_back("group", std::to_string(groups));
        attributes.emplace_back("deformable_group", std::to_string(offset_groups));
        const std::vector<size_t> constants = open ? std::vector<size_t>{} : std::vector<size_t>{2};
        const Tensor got = run_op_open("DeformableConvolution", 8, attributes, {data, offsets, filters}, 1,
                                       constants, open ? 3 : 1)[0];
        const Tensor grouped = filters.reshape({groups, 6 / groups, 8 / groups, 3, 2});
        const Tensor expected = run_op("GroupConvolution", 1, window, {data, grouped})[0];
        ASSERT_EQ(to_string(got.shape()), to_string(expected.shape()));
        for (size_t i = 0; i < got.size(); ++i)
          ASSERT_NEAR(got.data<float>()[i], expected.data<float>()[i], 2e-5) << i;
      }
    }
  }
}

TEST(DeformableConvolution, GroupsOfOffsets) {
  // Two channels, each with offsets of its own: the first stays, the second moves right.
  const Tensor data = Tensor::of<float>({1, 2, 1, 3}, {1, 2, 3, 10, 20, 30});
  const Tensor offsets = Tensor::of<float>({1, 4, 1, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1});
  const Tensor filters = Tensor::of<float>({1, 2, 1, 1}, {1, 1});
  expect_near(run_op("DeformableConvolution", 1, {{"deformable_group", "2"}}, {data, offsets, filters})[0],
              {1, 1, 1, 3}, {21, 32, 3});
}

TEST(DeformableConvolution, OpenShapesAndErrors) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const PartialShape& offsets, const PartialShape& filters,
                        const model::AttributeTexts& attributes = {}) {
    return infer_shape(
        "DeformableConvolution", 8, attributes,
        {open(ElementType::kF32, data), open(ElementType::kF32, offsets), open(ElementType::kF32, filters)});
  };
  EXPECT_EQ(shape({any, 4, any, 8}, {2, 18, 5, any}, {6, 4, 3, 3}), "[2,6,5,6]");
  EXPECT_EQ(shape(PartialShape(), PartialShape(), {6, 4, 3, 3}), "[?,6,?,?]");
  expect_error(ErrorCode::kInvalidShape, "axis 1 of offsets [2,9,6,6] is 9, expected 18",
               [&] { shape({2, 4, 8, 8}, {2, 9, 6, 6}, {6, 4, 3, 3}); });
  expect_error(ErrorCode::kInvalidShape, "axis 2 of offsets [2,18,5,6] is 5, expected 6",
               [&] { shape({2, 4, 8, 8}, {2, 18, 5, 6}, {6, 4, 3, 3}); });
  expect_error(ErrorCode::kInvalidShape, "axis 1 of data [2,4,8,8] is 4, expected 3",
               [&] { shape({2, 4, 8, 8}, {2, 18, 6, 6}, {6, 3, 3, 3}); });
  expect_error(ErrorCode::kInvalidShape, "is not a multiple of group 4",
               [&] { shape({2, 4, 8, 8}, {2, 18, 6, 6}, {6, 1, 3, 3}, {{"group", "4"}}); });
  expect_error(ErrorCode::kInvalidValue, "deformable_group is 0",
               [&] { shape({2, 4, 8, 8}, {2, 18, 6, 6}, {6, 4, 3, 3}, {{"deformable_group", "0"}}); });
  expect_error(ErrorCode::kInvalidShape, "data has shape [2,4,8]",
               [&] { shape({2, 4, 8}, {2, 18, 6, 6}, {6, 4, 3, 3}); });
}

}  // namespace
}  // namespace wasmvino::test::deformable_convolution_test
