// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::tile_test {
namespace {

using model::ValueInfo;

std::string tile(const Tensor& data, const Tensor& repeats) {
  return text_of(run_op("Tile", 1, {}, {data, repeats})[0]);
}

TEST(Tile, RepeatsAlongEachAxis) {
  EXPECT_EQ(tile(iota({2, 2}), i64s({1, 2})), "[2,4] 0 1 0 1 2 3 2 3");
  EXPECT_EQ(tile(iota({2, 2}), i64s({2, 1})), "[4,2] 0 1 2 3 0 1 2 3");
  EXPECT_EQ(tile(iota({2, 1}), i32s({2, 2})), "[4,2] 0 0 1 1 0 0 1 1");
  EXPECT_EQ(tile(iota({}), i64s({3})), "[3] 0 0 0");
}

TEST(Tile, AlignsRanksAtTheEnd) {
  EXPECT_EQ(tile(iota({2, 2}), i64s({2})), "[2,4] 0 1 0 1 2 3 2 3");
  EXPECT_EQ(tile(iota({2}), i64s({2, 1, 2})), "[2,1,4] 0 1 0 1 0 1 0 1");
  EXPECT_EQ(tile(iota({2}), i64s({})), "[2] 0 1");
}

TEST(Tile, GivesNothingForNoRepeats) {
  EXPECT_EQ(tile(iota({2, 2}), i64s({2, 0})), "[4,0]");
  EXPECT_EQ(tile(iota({2, 2}), i64s({-1, 2})), "[0,4]");
  EXPECT_EQ(tile(iota({2, 0}), i64s({2, 2})), "[4,0]");
}

TEST(Tile, MovesElementsOfAllWidths) {
  EXPECT_EQ(tile(iota<uint8_t>({1, 3}), i64s({2, 2})), "[2,6] 0 1 2 0 1 2 0 1 2 0 1 2");
  EXPECT_EQ(tile(iota<int64_t>({3}), i64s({2})), "[6] 0 1 2 0 1 2");
  EXPECT_EQ(tile(strings({2}), i64s({2, 2})), "[2,4] 0 1 0 1 0 1 0 1");
}

TEST(Tile, InfersOpenShapes) {
  EXPECT_EQ(infer_shape("Tile", 1, {},
                        {open(ElementType::kF32, {Dimension(1, 3), 2}), ValueInfo::of(i64s({5, 2, 2}))}),
            "[5,2..6,4]");
  EXPECT_EQ(infer_shape("Tile", 1, {}, {open(ElementType::kF32, {2}), open(ElementType::kI64, {3})}),
            "[?,?,?]");
  EXPECT_EQ(
      infer_shape("Tile", 1, {}, {open(ElementType::kF32, {2}), open(ElementType::kI64, {Dimension()})}),
      "[...]");
}

TEST(Tile, RefusesRepeatsThatAreNoList) {
  expect_error(ErrorCode::kInvalidShape, "repeats has shape [1,1], expected rank 1",
               [] { tile(iota({2}), Tensor::of<int64_t>({1, 1}, {2})); });
}

}  // namespace
}  // namespace wasmvino::test::tile_test
