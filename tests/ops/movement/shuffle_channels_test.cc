// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::shuffle_channels_test {
namespace {

std::string shuffle(const Tensor& data, const char* axis, const char* group) {
  return text_of(run_op("ShuffleChannels", 1, {{"axis", axis}, {"group", group}}, {data})[0]);
}

TEST(ShuffleChannels, TakesChannelsInTurnFromEachGroup) {
  EXPECT_EQ(shuffle(iota({1, 6}), "1", "2"), "[1,6] 0 3 1 4 2 5");
  EXPECT_EQ(shuffle(iota({1, 6}), "-1", "3"), "[1,6] 0 2 4 1 3 5");
  EXPECT_EQ(shuffle(iota({4, 2}), "0", "2"), "[4,2] 0 1 4 5 2 3 6 7");
  EXPECT_EQ(shuffle(iota<uint8_t>({2, 4, 1}), "1", "2"), "[2,4,1] 0 2 1 3 4 6 5 7");
  EXPECT_EQ(shuffle(iota({1, 6}), "1", "1"), "[1,6] 0 1 2 3 4 5");
}

TEST(ShuffleChannels, RefusesUnequalGroups) {
  expect_error(ErrorCode::kInvalidShape, "axis 1 of data [1,6] is not divisible into 4 groups",
               [] { shuffle(iota({1, 6}), "1", "4"); });
  expect_error(ErrorCode::kInvalidModel, "'group' is 0", [] { shuffle(iota({1, 6}), "1", "0"); });
  expect_error(ErrorCode::kInvalidValue, "attribute 'axis' is 2", [] { shuffle(iota({1, 6}), "2", "1"); });
}

}  // namespace
}  // namespace wasmvino::test::shuffle_channels_test
