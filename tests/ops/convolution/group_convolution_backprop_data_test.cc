// SPDX-License-Identifier: Apache-2.0
#include "core/call.h"
#include "tests/ops/convolution/convolution_tester.h"

namespace wasmvino::test::group_convolution_backprop_data_test {
namespace {

TEST(GroupConvolutionBackpropData, ByHand) {
  const Tensor data = Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4});
  const Tensor filters = Tensor::of<float>({2, 1, 1, 2}, {1, 10, 2, -1});
  expect_tensor<float>(run_op("GroupConvolutionBackpropData", 1, {}, {data, filters})[0], {1, 2, 3},
                       {1, 12, 20, 6, 5, -4});
}

TEST(GroupConvolutionBackpropData, GroupsOfChannels) {
  for (const int64_t groups : {1, 2, 5}) {
    for (const int64_t in : {1, 3}) {
      for (const int64_t out : {1, 4}) {
        check_convolution(
            "GroupConvolutionBackpropData",
            {{2, groups * in, 5, 6}, {groups, in, out, 4, 3}, true, {2, 2}, {1, 1}, {1, 1}, {10, 12}, true},
            {{"pads_begin", "1,1"}, {"pads_end", "1,1"}, {"output_padding", "0,1"}});
        check_convolution("GroupConvolutionBackpropData",
                          {{1, groups * in, 7}, {groups, in, out, 3}, true, {1}, {2}, {0}, {11}, true});
      }
    }
  }
  check_convolution("GroupConvolutionBackpropData",
                    {{1, 4, 5, 6}, {4, 1, 1, 3, 3}, true, {2, 2}, {1, 1}, {0, 0}, {10, 12}, true},
                    {{"auto_pad", "same_lower"}}, {i64s({10, 12})});
}

TEST(GroupConvolutionBackpropData, OpenShapesAndErrors) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const PartialShape& filters) {
    return infer_shape("GroupConvolutionBackpropData", 1, {},
                       {open(ElementType::kF32, data), open(ElementType::kF32, filters)});
  };
  EXPECT_EQ(shape({any, 8, 10}, {4, 2, 3, 3}), "[?,12,12]");
  expect_error(ErrorCode::kInvalidShape, "data [1,9,10] has 9 channels, but filters [4,2,3,3] expect 8",
               [&] { shape({1, 9, 10}, {4, 2, 3, 3}); });
}

// A single row of outputs takes minutes.
TEST(GroupConvolutionBackpropData, EndsByTheClockWithinARow) {
  Tensor data(ElementType::kF32, {1, 3, 3300}), filters(ElementType::kF32, {3, 1, 1, 65536});
  std::fill_n(data.mutable_data<float>(), data.size(), 1.0f);
  std::fill_n(filters.mutable_data<float>(), filters.size(), 1.0f);
  const Limits limits{.milliseconds = 50};
  const Call call(limits);
  const CallScope scope(call);
  expect_error(ErrorCode::kLimitExceeded, "50 ms",
               [&] { run_op("GroupConvolutionBackpropData", 1, {}, {data, filters}); });
}

}  // namespace
}  // namespace wasmvino::test::group_convolution_backprop_data_test
