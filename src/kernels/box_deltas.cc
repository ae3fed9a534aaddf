// SPDX-License-Identifier: Apache-2.0
#include "kernels/box_deltas.h"

#include "core/checked.h"
#include "core/sort.h"

namespace wasmvino::kernels {

void propose_boxes(const Parallel& parallel, const AnchorField& field, size_t count,
                   std::vector<ScoredBox>& boxes) {
  const float limit = std::log(1000.0f / 16.0f);  // at most from size 16 to size 1000
  boxes.resize((CheckedSize(field.area) * field.anchor_count).value());
  parallel_for(parallel, boxes.size(), kMoveGrain, [&](size_t begin, size_t end) {
    for (size_t index = begin; index < end; ++index) {
      const size_t place = index / field.anchor_count, a = index % field.anchor_count;
      const float* anchor = field.anchors + 4 * index;
      float deltas[4];
      for (size_t i = 0; i < 4; ++i) deltas[i] = field.deltas[(4 * a + i) * field.area + place];
      Box box = move_box({anchor[0], anchor[1], anchor[2], anchor[3]}, deltas, limit, field.offset);
      const auto cut = [](float value, float most) { return std::max(0.0f, std::min(value, most)); };
      box = {cut(box.x1, field.image_width - field.offset), cut(box.y1, field.image_height - field.offset),
             cut(box.x2, field.image_width - field.offset), cut(box.y2, field.image_height - field.offset)};
      const bool large = box.x2 - box.x1 + field.offset >= field.least_width &&
                         box.y2 - box.y1 + field.offset >= field.least_height;
      boxes[index] = {box, field.scores[a * field.area + place], index, large};
    }
  });
  keep_best(boxes, count);
}

void keep_best(std::vector<ScoredBox>& boxes, size_t count) {
  count = std::min(count, boxes.size());
  sort_best(boxes.data(), boxes.data() + boxes.size(), count, [](const ScoredBox& a, const ScoredBox& b) {
    return a.score > b.score || (a.score == b.score && a.index < b.index);
  });
  boxes.resize(count);
}

void drop_overlapping(std::vector<ScoredBox>& boxes, float threshold, float offset, size_t most) {
  size_t kept = 0;
  for (size_t i = 0; i < boxes.size() && kept < most; ++i) {
    const ScoredBox box = boxes[i];
    const bool overlaps = std::any_of(
        boxes.begin(), boxes.begin() + static_cast<ptrdiff_t>(kept),
        [&](const ScoredBox& other) { return box_overlap(other.box, box.box, offset) > threshold; });
    if (!overlaps) boxes[kept++] = box;
  }
  boxes.resize(kept);
}

}  // namespace wasmvino::kernels
