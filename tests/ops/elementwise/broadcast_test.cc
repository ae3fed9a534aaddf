// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/broadcast.h"

#include "../op_tester.h"

namespace wasmvino::test::common_broadcast_test {
namespace {

using ops::LoopNest;

std::string nest(const Shape& result, std::initializer_list<Shape> operands) {
  const LoopNest loops = ops::make_loop_nest(result, std::span(operands.begin(), operands.size()));
  std::string text = to_string(loops.sizes);
  for (size_t i = 0; i < operands.size(); ++i) text += " " + to_string(loops.strides[i]);
  return text;
}

TEST(LoopNest, MergesAxesThatAllOperandsWalkAlike) {
  EXPECT_EQ(nest({2, 3, 4}, {{2, 3, 4}, {2, 3, 4}}), "[24] [1] [1]");
  EXPECT_EQ(nest({2, 3, 4}, {{2, 3, 4}, {1, 1, 1}}), "[24] [1] [0]");
  EXPECT_EQ(nest({2, 3, 4, 5}, {{2, 3, 4, 5}, {1, 3, 1, 1}}), "[2,3,20] [60,20,1] [0,1,0]");
  EXPECT_EQ(nest({2, 3, 4, 5}, {{2, 3, 4, 5}, {1, 1, 4, 5}}), "[6,20] [20,1] [0,1]");
  EXPECT_EQ(nest({2, 3, 4, 5}, {{2, 3, 1, 1}, {1, 1, 4, 5}}), "[6,20] [1,0] [0,1]");
}

TEST(LoopNest, DropsAxesOfSizeOne) {
  EXPECT_EQ(nest({1, 5, 1}, {{1, 5, 1}, {1, 1, 1}}), "[5] [1] [0]");
  EXPECT_EQ(nest({2, 1, 3}, {{2, 1, 3}, {2, 1, 3}, {2, 1, 1}}), "[2,3] [3,1] [3,1] [1,0]");
  EXPECT_EQ(nest({}, {{}, {}}), "[1] [0] [0]");
  EXPECT_EQ(nest({1, 1}, {{1, 1}}), "[1] [0]");
}

TEST(LoopNest, KeepsEmptyAxes) { EXPECT_EQ(nest({2, 0}, {{2, 0}, {1, 1}}), "[0] [1] [0]"); }

TEST(AlignShape, PutsOnesInFrontOrBehind) {
  using ops::AutoBroadcast;
  EXPECT_EQ(to_string(ops::align_shape(AutoBroadcast::kNumpy, {2, 3}, 4)), "[1,1,2,3]");
  EXPECT_EQ(to_string(ops::align_shape(AutoBroadcast::kPdpd, {2, 3}, 4)), "[2,3,1,1]");
}

}  // namespace
}  // namespace wasmvino::test::common_broadcast_test
