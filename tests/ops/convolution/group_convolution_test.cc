// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/convolution/convolution_tester.h"

namespace wasmvino::test::group_convolution_test {
namespace {

TEST(GroupConvolution, ByHand) {
  const Tensor data = Tensor::of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor filters = Tensor::of<float>({2, 1, 1, 2}, {1, 10, 2, -1});
  expect_tensor<float>(run_op("GroupConvolution", 1, {}, {data, filters})[0], {1, 2, 2}, {21, 32, 3, 4});
}

TEST(GroupConvolution, GroupsOfChannels) {
  const model::AttributeTexts pads = {{"pads_begin", "1,1"}, {"pads_end", "1,1"}};
  for (const int64_t groups : {1, 2, 3, 8}) {
    for (const int64_t in : {1, 2, 5}) {
      for (const int64_t out : {1, 3, 8}) {
        check_convolution(
            "GroupConvolution",
            {{2, groups * in, 6, 7}, {groups, out, in, 3, 3}, true, {1, 1}, {1, 1}, {1, 1}, {6, 7}}, pads);
        check_convolution(
            "GroupConvolution",
            {{1, groups * in, 6, 7}, {groups, out, in, 1, 1}, true, {1, 1}, {1, 1}, {0, 0}, {6, 7}});
      }
    }
  }
}

TEST(GroupConvolution, Depthwise) {
  for (const int64_t channels : {2, 4, 13, 32}) {
    for (const int64_t stride : {1, 2}) {
      check_convolution("GroupConvolution",
                        {{2, channels, 12, 11},
                         {channels, 1, 1, 3, 3},
                         true,
                         {stride, stride},
                         {1, 1},
                         {1, 1},
                         {(12 - 1) / stride + 1, (11 - 1) / stride + 1}},
                        {{"pads_begin", "1,1"}, {"pads_end", "1,1"}});
    }
    check_convolution("GroupConvolution",
                      {{1, channels, 9, 8}, {channels, 1, 1, 5, 4}, true, {1, 1}, {2, 1}, {3, 0}, {7, 5}},
                      {{"pads_begin", "3,0"}, {"pads_end", "3,0"}});
    check_convolution("GroupConvolution", {{2, channels, 30}, {channels, 1, 1, 7}, true, {3}, {1}, {0}, {8}});
    check_convolution("GroupConvolution", {{1, channels, 4, 5, 6},
                                           {channels, 1, 1, 2, 3, 2},
                                           true,
                                           {1, 1, 2},
                                           {1, 1, 1},
                                           {0, 0, 0},
                                           {3, 3, 3}});
  }
  check_convolution("GroupConvolution",
                    {{1, 96, 40, 41}, {96, 1, 1, 3, 3}, true, {1, 1}, {1, 1}, {1, 1}, {40, 41}},
                    {{"pads_begin", "1,1"}, {"pads_end", "1,1"}});
}

TEST(GroupConvolution, OpenShapesAndErrors) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const PartialShape& filters) {
    return infer_shape("GroupConvolution", 1, {},
                       {open(ElementType::kF32, data), open(ElementType::kF32, filters)});
  };
  EXPECT_EQ(shape({any, any, 10}, {4, 3, 2, 3}), "[?,12,8]");
  EXPECT_EQ(shape({1, 8, 10}, {any, 3, 2, 3}), "[1,?,8]");
  expect_error(ErrorCode::kInvalidShape, "data [1,9,10] has 9 channels, but filters [4,3,2,3] expect 8",
               [&] { shape({1, 9, 10}, {4, 3, 2, 3}); });
  expect_error(ErrorCode::kInvalidShape, "filters has shape [4,3,2], expected rank 4 to 6",
               [&] { shape({1, 8, 10}, {4, 3, 2}); });
}

}  // namespace
}  // namespace wasmvino::test::group_convolution_test
