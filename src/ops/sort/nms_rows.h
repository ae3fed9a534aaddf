// SPDX-License-Identifier: Apache-2.0
// Shared by MatrixNms and MulticlassNms: attributes, the order of the selected rows, and the outputs.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/multiclass-non-max-suppression-9.html
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/boxes.h"
#include "model/op.h"
#include "ops/sort/nms.h"

namespace wasmvino::ops {

enum class NmsOrder { kClass, kScore, kNone };

struct NmsRowOptions {
  NmsOrder order = NmsOrder::kNone;
  bool across_batch = false;
  ElementType output_type = ElementType::kI64;
  float score_threshold = 0.0f;
  int64_t nms_top_k = -1, keep_top_k = -1;
  int64_t background_class = -1;
  bool normalized = true;

  // Added to widths and heights: coordinates that are not normalised are pixel indices.
  float offset() const { return normalized ? 0.0f : 1.0f; }
};

void visit_nms_row_options(AttributeVisitor& visitor, NmsRowOptions& options);

// A selected box.
struct NmsRow {
  float score;
  int32_t batch, box_class;
  int64_t index;  // as in the output
  kernels::Box box;
};

// Orders by score, then image, class and index.
bool is_better_row(const NmsRow& a, const NmsRow& b);
// Orders by class, then image, score and index.
bool is_earlier_class(const NmsRow& a, const NmsRow& b);

// Of rows `first` to the end, which belong to one image, keeps the `keep_top_k` best, best first.
void keep_best_rows(std::vector<NmsRow>& rows, size_t first, int64_t keep_top_k);

// Selects rows class by class, with several classes in parallel. Keeps its memory from one run to the next.
template <typename Candidate>
class NmsRowSelector {
 public:
  // Calls select(i, candidates, rows) for the `count` classes of all images. Each class has `boxes` boxes, of
  // which at most options.nms_top_k are compared with each other. select() appends the selected rows to
  // `rows` and may use `candidates` as scratch memory.
  template <typename Select>
  void run(const Parallel& parallel, size_t count, size_t boxes, const NmsRowOptions& options,
           const Select& select) {
    workers_.resize(parallel.threads());
    for (Worker& worker : workers_) worker.rows.clear();
    found_.resize(count);
    const size_t compared = std::min(boxes, static_cast<size_t>(options.nms_top_k));
    const size_t cost = std::max<size_t>(1, boxes + compared * compared / 16);
    parallel_for(parallel, count, kNmsGrain / cost, [&](size_t begin, size_t end, size_t thread) {
      Worker& worker = workers_[thread];
      for (size_t i = begin; i < end; ++i) {
        const size_t first = worker.rows.size();
        select(i, worker.candidates, worker.rows);
        found_[i] = {thread, first, worker.rows.size()};
      }
    });
  }

  // Appends the rows of class `i` to `rows`.
  void append(size_t i, std::vector<NmsRow>& rows) const {
    const NmsRow* from = workers_[found_[i].thread].rows.data();
    rows.insert(rows.end(), from + found_[i].begin, from + found_[i].end);
  }

 private:
  struct Worker {
    std::vector<Candidate> candidates;
    std::vector<NmsRow> rows;
  };
  // The result of one class: rows [begin, end) of a thread.
  struct Found {
    size_t thread, begin, end;
  };

  std::vector<Worker> workers_;
  std::vector<Found> found_;
};

// Sets the outputs: [class, score, x1, y1, x2, y2] and the index of each row. `counts` holds the number of
// rows of each image.
void write_nms_rows(const EvalContext& context, const std::vector<NmsRow>& rows,
                    const std::vector<size_t>& counts);

// Sets the outputs for at most `rows` rows of `images` images.
void set_nms_row_outputs(InferContext& context, const NmsRowOptions& options, ElementType type,
                         Dimension rows, Dimension images);

}  // namespace wasmvino::ops
