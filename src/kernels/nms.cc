// SPDX-License-Identifier: Apache-2.0
#include "kernels/nms.h"

#include <algorithm>

#include "core/sort.h"

namespace wasmvino::kernels {

void NmsSelector::collect(const float* scores, size_t count, float threshold) {
  waiting_.clear();
  for (size_t i = 0; i < count; ++i) {
    if (scores[i] > threshold) waiting_.push_back({scores[i], static_cast<int32_t>(i), 0});
  }
  std::make_heap(waiting_.begin(), waiting_.end());
}

NmsSelector::Candidate NmsSelector::pop() {
  std::pop_heap(waiting_.begin(), waiting_.end());
  const Candidate next = waiting_.back();
  waiting_.pop_back();
  return next;
}

void NmsSelector::push(const Candidate& candidate) {
  waiting_.push_back(candidate);
  std::push_heap(waiting_.begin(), waiting_.end());
}

void sort_choices(std::vector<NmsChoice>& choices) {
  sort_all(choices.data(), choices.data() + choices.size(), [](const NmsChoice& a, const NmsChoice& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.batch != b.batch) return a.batch < b.batch;
    return a.box_class != b.box_class ? a.box_class < b.box_class : a.box < b.box;
  });
}

}  // namespace wasmvino::kernels
