// SPDX-License-Identifier: Apache-2.0
// Moves and scales boxes by predicted deltas and selects the best ones. Shared by the Detectron operations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/parallel.h"
#include "kernels/boxes.h"

namespace wasmvino::kernels {

// [dx, dy] move the center by fractions of the box size. e^[dw, dh] scale the box, up to a factor of e^limit.
// `offset` is 1 if coordinates are pixel indices, else 0.
inline Box move_box(const Box& box, const float* deltas, float limit, float offset) {
  const float width = box.x2 - box.x1 + offset, height = box.y2 - box.y1 + offset;
  const float x = deltas[0] * width + box.x1 + 0.5f * width;
  const float y = deltas[1] * height + box.y1 + 0.5f * height;
  const float half_width = 0.5f * std::exp(std::min(deltas[2], limit)) * width;
  const float half_height = 0.5f * std::exp(std::min(deltas[3], limit)) * height;
  return {x - half_width, y - half_height, x + half_width - offset, y + half_height - offset};
}

// Grain: boxes to move in about 10 µs of work, most of it exponentials.
inline constexpr size_t kMoveGrain = size_t{1} << 9;

struct ScoredBox {
  Box box;
  float score;
  size_t index;
  bool large;  // large enough to be proposed
};

// The inputs of GenerateProposals and its predecessor for one image.
struct AnchorField {
  const float* anchors;  // [height * width][anchors][4]
  const float* deltas;   // [anchors][4][height * width]
  const float* scores;   // [anchors][height * width]
  size_t anchor_count, area;
  float image_width, image_height;
  float least_width, least_height;
  float offset;
};

// Moves all anchors, clips them to the image, and writes the `count` boxes with the highest scores to
// `boxes`, best first.
void propose_boxes(const Parallel& parallel, const AnchorField& field, size_t count,
                   std::vector<ScoredBox>& boxes);
// Keeps the `count` boxes with the highest scores, best first. Of equal scores, the lower index comes first.
void keep_best(std::vector<ScoredBox>& boxes, size_t count);

// Keeps the first `most` boxes that overlap no better box by more than `threshold`.
void drop_overlapping(std::vector<ScoredBox>& boxes, float threshold, float offset, size_t most);

}  // namespace wasmvino::kernels
