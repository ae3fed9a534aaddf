// SPDX-License-Identifier: Apache-2.0
#include "model/layout.h"

#include <gtest/gtest.h>

namespace wasmvino::model {
namespace {

TEST(Layout, OrdersAreThereAndBack) {
  EXPECT_EQ(order_to_channels_last(4), (Ints{0, 2, 3, 1}));
  EXPECT_EQ(order_to_channels_first(4), (Ints{0, 3, 1, 2}));
  for (size_t rank = 3; rank <= 5; ++rank) {
    const Ints there = order_to_channels_last(rank), back = order_to_channels_first(rank);
    for (size_t axis = 0; axis < rank; ++axis) {
      EXPECT_EQ(there[static_cast<size_t>(back[axis])], static_cast<int64_t>(axis)) << rank;
    }
  }
}

TEST(Layout, AxesGoWhereTheOrderPutsThem) {
  for (size_t rank = 3; rank <= 5; ++rank) {
    const Ints order = order_to_channels_last(rank);
    for (size_t to = 0; to < rank; ++to) {
      EXPECT_EQ(channels_last_axis(order[to], rank), static_cast<int64_t>(to)) << rank;
      EXPECT_EQ(channels_last_axis(order[to] - static_cast<int64_t>(rank), rank), static_cast<int64_t>(to))
          << rank;
    }
  }
  EXPECT_EQ(channels_last_axes({1, -1}, 4), (Ints{3, 2}));
}

TEST(Layout, ShapesFollow) {
  const PartialShape shape = {2, 3, Dimension(4, 5), 6};
  const PartialShape last = relaid(shape, Layout::kChannelsFirst, Layout::kChannelsLast);
  EXPECT_EQ(to_string(last), to_string(PartialShape{2, Dimension(4, 5), 6, 3}));
  EXPECT_TRUE(relaid(last, Layout::kChannelsLast, Layout::kChannelsFirst) == shape);
  EXPECT_TRUE(relaid(shape, Layout::kChannelsLast, Layout::kChannelsLast) == shape);
  EXPECT_FALSE(relaid(PartialShape(), Layout::kChannelsFirst, Layout::kChannelsLast).has_rank());
}

TEST(Layout, ThreeToFiveAxesHaveSpatialOnes) {
  EXPECT_FALSE(has_spatial_axes(PartialShape()));
  EXPECT_FALSE(has_spatial_axes({1, 2}));
  EXPECT_TRUE(has_spatial_axes({1, 2, 3}));
  EXPECT_TRUE(has_spatial_axes({1, 2, 3, 4, 5}));
  EXPECT_FALSE(has_spatial_axes({1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace wasmvino::model
