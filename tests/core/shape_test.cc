// SPDX-License-Identifier: Apache-2.0
#include "core/shape.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace wasmvino {
namespace {

std::string merged(Dimension a, Dimension b) {
  const auto result = a.merge(b);
  return result ? to_string(*result) : "none";
}

std::string broadcasted(Dimension a, Dimension b) {
  const auto result = broadcast(a, b);
  return result ? to_string(*result) : "none";
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_EQ(element_count({2, 3, 4}), 24u);
  EXPECT_EQ(element_count({1 << 10, 0, 1 << 10}), 0u);
}

TEST(Shape, RefusesCountsBeyondTheAddressSpace) {
  EXPECT_THROW(element_count({int64_t{1} << 32, int64_t{1} << 32}), Error);
  EXPECT_THROW(element_count({2, -1}), Error);
  // As in numpy: a tensor without elements, too, has sizes whose products fit.
  EXPECT_THROW(element_count({int64_t{1} << 40, 0, int64_t{1} << 40}), Error);
}

TEST(Shape, HasRowMajorStrides) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), (Ints{12, 4, 1}));
  EXPECT_EQ(row_major_strides({}), Ints{});
}

TEST(SmallVector, GrowsBeyondItsInlinePlacesAndMoves) {
  Ints many;
  for (int64_t i = 0; i < 100; ++i) many.push_back(i);
  const Ints copy = many;
  const Ints moved = std::move(many);
  EXPECT_EQ(copy, moved);
  EXPECT_EQ(moved.size(), 100u);
  EXPECT_EQ(moved[99], 99);
  Ints few = {1, 2, 3};
  few.insert(1, 9);
  few.erase(0);
  EXPECT_EQ(few, (Ints{9, 2, 3}));
}

TEST(Dimension, Merges) {
  EXPECT_EQ(merged({}, 3), "3");
  EXPECT_EQ(merged({1, 5}, {3, 8}), "3..5");
  EXPECT_EQ(merged(2, 3), "none");
}

TEST(Dimension, BroadcastsByNumpysRule) {
  EXPECT_EQ(broadcasted(1, 7), "7");
  EXPECT_EQ(broadcasted(7, {}), "7");
  EXPECT_EQ(broadcasted({}, {}), "?");
  EXPECT_EQ(broadcasted(1, {}), "?");
  EXPECT_EQ(broadcasted(2, 3), "none");
  EXPECT_EQ(broadcasted(5, {2, 3}), "none");
  EXPECT_EQ(broadcasted(0, 1), "0");
}

TEST(Dimension, DoesArithmetic) {
  EXPECT_EQ(to_string(Dimension(1, 5) + Dimension(2)), "3..7");
  EXPECT_EQ(to_string(Dimension() * Dimension(0)), "0");
  EXPECT_EQ(to_string(Dimension(4, 8) * Dimension(2)), "8..16");
  EXPECT_EQ(to_string(Dimension(3) - 5), "0");
}

TEST(PartialShape, ReadsAndPrints) {
  for (const char* text : {"[1,?,2..5]", "[]", "[...]", "[..5,2..]", "[3]"}) {
    const auto shape = parse_partial_shape(text);
    ASSERT_TRUE(shape) << text;
    EXPECT_EQ(to_string(*shape), text);
  }
  EXPECT_EQ(to_string(*parse_partial_shape("1, -1 ,3")), "[1,?,3]");
  EXPECT_EQ(to_string(*parse_partial_shape("")), "[]");
  for (const char* text : {"1,,2", "a", "5..2", "-2", "..", "99999999999999999999"}) {
    EXPECT_FALSE(parse_partial_shape(text)) << text;
  }
}

TEST(PartialShape, KnowsWhatFits) {
  const PartialShape shape = {1, Dimension(), Dimension(2, 5)};
  EXPECT_TRUE(shape.contains({1, 9, 2}));
  EXPECT_FALSE(shape.contains({1, 9, 6}));
  EXPECT_FALSE(shape.contains({1, 9}));
  EXPECT_TRUE(PartialShape().contains({4, 4}));
  EXPECT_FALSE(shape.is_static());
  EXPECT_EQ(to_string(*shape.merge({Dimension(), 7, 3})), "[1,7,3]");
  EXPECT_FALSE(shape.compatible({2, 7, 3}));
  EXPECT_EQ(to_string(*broadcast(shape, {4, 1, 1, 1})), "[4,1,?,2..5]");
}

}  // namespace
}  // namespace wasmvino
