// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression of one class: the boxes with the highest scores that overlap no better one.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/call.h"

namespace wasmvino::kernels {

struct NmsLimits {
  size_t boxes_per_class = 0;
  float overlap = 0.0f;
  float score = 0.0f;
  float sigma = 0.0f;  // of soft suppression; 0: hard
};

struct NmsChoice {
  float score;
  int32_t batch, box_class, box;
};

// Candidates between two looks at the clock: with 10,000 boxes before them some milliseconds.
inline constexpr size_t kNmsPolls = 256;

// Chooses boxes of one class at a time; keeps its memory from one run to the next.
class NmsSelector {
 public:
  void clear() { chosen_.clear(); }
  const std::vector<NmsChoice>& chosen() const { return chosen_; }

  // Polls `call`, for which it works. Of boxes 0 .. count, which `boxes` knows: what it has been told to
  // choose() it keeps in a list, until it is told to forget() it; box i suppressed_by() numbers first .. last
  // - 1 of that list, and its overlap() with one of them.
  template <typename Boxes>
  void select(const float* scores, size_t count, const NmsLimits& limits, int32_t batch, int32_t box_class,
              Boxes& boxes, const Call& call) {
    collect(scores, count, limits.score);
    boxes.forget();
    size_t looked_at = 0;
    for (size_t chosen = 0; !waiting_.empty() && chosen < limits.boxes_per_class;) {
      if (++looked_at % kNmsPolls == 0) call.poll();
      Candidate next = pop();
      const auto box = static_cast<size_t>(next.box);
      const float score = next.score;
      bool suppressed = false;
      if (limits.sigma <= 0.0f) {
        suppressed = boxes.suppressed_by(box, 0, chosen, limits.overlap);
      } else {
        // Only by those chosen since it was last looked at.
        for (size_t j = chosen; j-- > next.seen && !suppressed;) {
          const float shared = boxes.overlap(box, j);
          next.score *= std::exp(-0.5f * shared * shared / limits.sigma);
          suppressed = !(next.score > limits.score);  // infinite boxes make it NaN
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
    // As in a heap: the one that comes first is the greatest.
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

// The highest scores first.
void sort_choices(std::vector<NmsChoice>& choices);
}  // namespace wasmvino::kernels
