// SPDX-License-Identifier: Apache-2.0
#include "kernels/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

struct Boxes {
  std::vector<float> x1, y1, x2, y2, area;

  void add(float left, float top, float right, float bottom) {
    x1.push_back(left), y1.push_back(top), x2.push_back(right), y2.push_back(bottom);
    area.push_back((right - left) * (bottom - top));
  }
  BoxList list() const { return {x1.data(), y1.data(), x2.data(), y2.data(), area.data()}; }
};

double overlap(const Boxes& boxes, size_t i, size_t j) {
  const double width = static_cast<double>(std::min(boxes.x2[i], boxes.x2[j])) -
                       static_cast<double>(std::max(boxes.x1[i], boxes.x1[j]));
  const double height = static_cast<double>(std::min(boxes.y2[i], boxes.y2[j])) -
                        static_cast<double>(std::max(boxes.y1[i], boxes.y1[j]));
  if (width <= 0 || height <= 0) return 0;
  const double shared = width * height;
  return shared / (static_cast<double>(boxes.area[i]) + static_cast<double>(boxes.area[j]) - shared);
}

TEST(Overlap, AnyOfTheChosen) {
  Random random(3);
  Boxes boxes;
  for (size_t i = 0; i < 60; ++i) {
    const float x = random.real(), y = random.real();
    boxes.add(x, y, x + 1 + random.real(), y + 1 + random.real());
  }
  for (const float threshold : {0.05f, 0.3f, 0.6f, 0.9f}) {
    for (size_t i = 0; i < 20; ++i) {
      for (size_t first = 20; first < 27; ++first) {
        for (size_t last = first; last < 40; ++last) {
          bool expected = false;
          for (size_t j = first; j < last; ++j)
            expected |= overlap(boxes, i, j) >= static_cast<double>(threshold);
          EXPECT_EQ(overlaps_any(boxes.list(), i, boxes.list(), first, last, threshold), expected);
        }
      }
    }
  }
}

TEST(Overlap, Edges) {
  Boxes boxes;
  boxes.add(0, 0, 2, 1);  // shares half with the next one
  boxes.add(0, 0, 1, 1);
  boxes.add(5, 5, 6, 6);  // apart
  boxes.add(7, 7, 7, 7);  // without area
  const auto shares = [&](size_t i, size_t j, float threshold) {
    // By itself, and as one of four.
    Boxes four;
    for (size_t k = 0; k < 4; ++k) four.add(boxes.x1[j], boxes.y1[j], boxes.x2[j], boxes.y2[j]);
    const bool one = overlaps_any(boxes.list(), i, boxes.list(), j, j + 1, threshold);
    EXPECT_EQ(overlaps_any(boxes.list(), i, four.list(), 0, 4, threshold), one);
    return one;
  };
  EXPECT_TRUE(shares(0, 1, 0.5f));
  EXPECT_FALSE(shares(0, 1, 0.51f));
  EXPECT_FALSE(shares(0, 2, 0.01f));
  EXPECT_TRUE(shares(0, 2, 0.0f));  // nothing is as much as nothing
  EXPECT_FALSE(shares(3, 3, 0.5f));
  EXPECT_TRUE(shares(3, 3, 0.0f));
  EXPECT_FALSE(overlaps_any(boxes.list(), 0, boxes.list(), 0, 0, 0.0f));
}

}  // namespace
}  // namespace wasmvino::kernels
