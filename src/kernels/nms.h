// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression for one class: selects the boxes with the highest scores that overlap no better
// box.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/work.h"

namespace wasmvino::kernels {

// The maximum number of boxes per class, and the thresholds of overlap and score.
struct NmsLimits {
  size_t boxes_per_class = 0;
  float overlap = 0.0f;
  float score = 0.0f;
  float sigma = 0.0f;  // of soft suppression; 0: hard suppression
};

// A chosen box.
struct NmsChoice {
  float score;
  int32_t batch, box_class, box;
};

// Steps of count_work() for a candidate, beside its comparisons with those chosen.
inline constexpr size_t kStepsPerCandidate = 32;

// Chooses boxes of one class at a time. Keeps its memory from one run to the next.
class NmsSelector {
 public:
  void clear() { chosen_.clear(); }
  const std::vector<NmsChoice>& chosen() const { return chosen_; }

  // Chooses among boxes 0 .. count - 1 of one class. `boxes` knows the geometry and keeps a list of chosen
  // boxes: choose() adds a box, forget() clears the list. suppressed_by(i, first, last, threshold) compares
  // box i with entries [first, last) of the list. overlap(i, j) compares box i with entry j.
  template <typename Boxes>
  void select(const float* scores, size_t count, const NmsLimits& limits, int32_t batch, int32_t box_class,
              Boxes& boxes) {
    collect(scores, count, limits.score);
    boxes.forget();
    for (size_t chosen = 0; !waiting_.empty() && chosen < limits.boxes_per_class;) {
      count_work(kStepsPerCandidate + chosen);
      Candidate next = pop();
      const auto box = static_cast<size_t>(next.box);
      const float score = next.score;
      bool suppressed = false;
      if (limits.sigma <= 0.0f) {
        suppressed = boxes.suppressed_by(box, 0, chosen, limits.overlap);
      } else {
        // Only by boxes chosen since this one was last examined.
        for (size_t j = chosen; j-- > next.seen && !suppressed;) {
          const float shared = boxes.overlap(box, j);
          next.score *= std::exp(-0.5f * shared * shared / limits.sigma);
          suppressed = !(next.score > limits.score);  // infinite boxes make the score NaN
        }
      }
      if (suppressed) continue;
      next.seen = chosen;
      if (next.score == score) {
        chosen_.push_back({score, batch, box_class, next.box});
        boxes.choose(box);
        ++chosen;
      } else {
        push(next);
      }
    }
  }

 private:
  struct Candidate {
    float score;
    int32_t box;
    size_t seen;
    // Heap order: the candidate to examine first is the greatest.
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return a.score < b.score || (a.score == b.score && a.box > b.box);
    }
  };

  void collect(const float* scores, size_t count, float threshold);
  Candidate pop();
  void push(const Candidate& candidate);

  std::vector<Candidate> waiting_;  // a heap
  std::vector<NmsChoice> chosen_;
};

// Sorts by descending score.
void sort_choices(std::vector<NmsChoice>& choices);
}  // namespace wasmvino::kernels
