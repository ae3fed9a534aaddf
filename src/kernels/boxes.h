// SPDX-License-Identifier: Apache-2.0
// Boxes, their areas and their overlap.
#pragma once

#include <algorithm>

namespace wasmvino::kernels {

// A box given by two corners; empty where x2 < x1 or y2 < y1. With `offset` 1, coordinates are pixel indices:
// a box from 2 to 4 has a width of 3.
struct Box {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

inline float box_area(const Box& box, float offset = 0.0f) {
  if (box.x2 < box.x1 || box.y2 < box.y1) return 0.0f;
  return (box.x2 - box.x1 + offset) * (box.y2 - box.y1 + offset);
}

// Intersection over union; 0 for disjoint boxes.
inline float box_overlap(const Box& a, const Box& b, float offset = 0.0f) {
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1) + offset;
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1) + offset;
  if (!(width > 0.0f) || !(height > 0.0f)) return 0.0f;
  const float shared = width * height;
  return shared / (box_area(a, offset) + box_area(b, offset) - shared);
}

}  // namespace wasmvino::kernels
