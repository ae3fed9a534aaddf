// SPDX-License-Identifier: Apache-2.0
// What NonMaxSuppression and NMSRotated share: inputs, outputs and the choice itself; they differ in how much
// two boxes overlap.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/non-max-suppression-9.html
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/call.h"
#include "model/op.h"

namespace wasmvino::ops {

// The elements of a floating point input as f32: where they lie, or converted into `memory`.
const float* as_floats(const TensorView& view, std::vector<float>& memory);

struct NmsLimits {
  size_t boxes_per_class = 0;
  float overlap = 0.0f;
  float score = 0.0f;
  float sigma = 0.0f;  // of soft suppression; 0: hard
};

// Reads inputs 2 and up; those that are not there are 0.
NmsLimits read_nms_limits(const EvalContext& context);

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
// Sets the outputs: rows [batch, class, box]; rows [batch, class, score] and the number of rows where the
// node has these outputs.
void write_choices(const EvalContext& context, const std::vector<NmsChoice>& choices);

// Scores that are worth a thread: some 10 µs of one where few are above the threshold.
inline constexpr size_t kNmsGrain = size_t{1} << 13;

// Chooses boxes of every class of every image, those of several classes in parallel. `Boxes` knows those of
// one image, as NmsSelector::select() wants it, once they are loaded from Boxes::kNumbers numbers each.
template <typename Boxes>
class NmsKernel final : public Kernel {
 public:
  NmsKernel(Boxes boxes, bool sorted) : boxes_(std::move(boxes)), sorted_(sorted) {}

  void run(EvalContext& context) override {
    const Shape& shape = context.input(1).shape;
    const auto batches = static_cast<size_t>(shape[0]), classes = static_cast<size_t>(shape[1]);
    const auto count = static_cast<size_t>(shape[2]);
    const float* numbers = as_floats(context.input(0), box_memory_);
    const float* scores = as_floats(context.input(1), score_memory_);
    const NmsLimits limits = read_nms_limits(context);
    const Call& call = current_call();
    workers_.resize(context.parallel().threads(), Worker{boxes_, {}, 0});
    for (Worker& worker : workers_) {
      worker.selector.clear();
      worker.image = batches;
    }
    found_.resize((CheckedSize(batches) * classes).value());
    parallel_for(context.parallel(), found_.size(), kNmsGrain / std::max<size_t>(1, count),
                 [&](size_t begin, size_t end, size_t thread) {
                   Worker& worker = workers_[thread];
                   const std::vector<NmsChoice>& chosen = worker.selector.chosen();
                   for (size_t i = begin; i < end; ++i) {
                     const size_t image = i / classes, first = chosen.size();
                     if (worker.image != image)
                       worker.boxes.load(numbers + image * count * Boxes::kNumbers, count);
                     worker.image = image;
                     worker.selector.select(scores + i * count, count, limits, static_cast<int32_t>(image),
                                            static_cast<int32_t>(i % classes), worker.boxes, call);
                     found_[i] = {thread, first, chosen.size()};
                   }
                 });
    // By image and class, whichever thread looked at them.
    choices_.clear();
    for (const Found& found : found_) {
      const NmsChoice* chosen = workers_[found.thread].selector.chosen().data();
      choices_.insert(choices_.end(), chosen + found.begin, chosen + found.end);
    }
    if (sorted_) sort_choices(choices_);
    write_choices(context, choices_);
  }

 private:
  struct Worker {
    Boxes boxes;
    NmsSelector selector;
    size_t image;  // that is loaded
  };
  // What a class of an image gave: choices begin..end of a thread.
  struct Found {
    size_t thread, begin, end;
  };

  Boxes boxes_;
  bool sorted_;
  std::vector<float> box_memory_, score_memory_;
  std::vector<Worker> workers_;
  std::vector<Found> found_;
  std::vector<NmsChoice> choices_;
};

// Checks the inputs, whose boxes have `box_size` numbers, and sets the outputs.
void infer_nms(InferContext& context, int64_t box_size, size_t last_input, ElementType output_type);

}  // namespace wasmvino::ops
