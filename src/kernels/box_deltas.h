// SPDX-License-Identifier: Apache-2.0
// Boxes moved and scaled as a network predicts, and the best of them: what the operations of Detectron share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/parallel.h"
#include "kernels/boxes.h"

namespace wasmvino::kernels {

// [dx, dy] move the center by parts of the size, e^[dw, dh] scale it, up to e^limit. With `offset` 1
// coordinates are those of pixels.
inline Box move_box(const Box& box, const float* deltas, float limit, float offset) {
  const float width = box.x2 - box.x1 + offset, height = box.y2 - box.y1 + offset;
  const float x = deltas[0] * width + box.x1 + 0.5f * width;
  const float y = deltas[1] * height + box.y1 + 0.5f * height;
  const float half_width = 0.5f * std::exp(std::min(deltas[2], limit)) * width;
  const float half_height = 0.5f * std::exp(std::min(deltas[3], limit)) * height;
  return {x - half_width, y - half_height, x + half_width - offset, y + half_height - offset};
}

// Boxes to move that are worth a thread: some 10 µs of one, most of it exponentials.
inline constexpr size_t kMoveGrain = size_t{1} << 9;

struct ScoredBox {
  Box box;
  float score;
  size_t index;
  bool large;  // enough to be proposed
};

// What GenerateProposals and its predecessor take from one image.
struct AnchorField {
  const float* anchors;  // [height * width][anchors][4]
  const float* deltas;   // [anchors][4][height * width]
  const float* scores;   // [anchors][height * width]
  size_t anchor_count, area;
  float image_width, image_height;
  float least_width, least_height;
  float offset;
};

// All anchors, moved and cut at the borders of the image: the `count` with the highest scores, best first.
void propose_boxes(const Parallel& parallel, const AnchorField& field, size_t count,
                   std::vector<ScoredBox>& boxes);
// The `count` with the highest scores, best first; of equal ones that with the lower index.
void keep_best(std::vector<ScoredBox>& boxes, size_t count);

// The first `most` of `boxes` that overlap no better one by more than `threshold`.
void drop_overlapping(std::vector<ScoredBox>& boxes, float threshold, float offset, size_t most);

}  // namespace wasmvino::kernels
