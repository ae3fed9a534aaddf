// SPDX-License-Identifier: Apache-2.0
// MatrixNms: scores decay with a box's overlap with better boxes, for all boxes at once.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/matrix-non-max-suppression-8.html
#include <algorithm>
#include <cmath>

#include "core/sort.h"
#include "core/work.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/sort/nms.h"
#include "ops/sort/nms_rows.h"

namespace wasmvino::ops::matrix_nms {

// Steps of count_work() for each pair of boxes.
constexpr size_t kStepsPerPair = 8;

enum class DecayFunction { kGaussian, kLinear };

struct Options : NmsRowOptions {
  DecayFunction decay = DecayFunction::kLinear;
  float sigma = 2.0f;
  float post_threshold = 0.0f;
};

class MatrixNmsKernel final : public Kernel {
 public:
  explicit MatrixNmsKernel(const Options& options) : options_(options) {}

  void run(EvalContext& context) override {
    const Shape& shape = context.input(1).shape;
    const auto batches = static_cast<size_t>(shape[0]), classes = static_cast<size_t>(shape[1]);
    const auto count = static_cast<size_t>(shape[2]);
    const float* boxes = as_floats(context.input(0), box_memory_);
    const float* scores = as_floats(context.input(1), score_memory_);
    selector_.run(context.parallel(), batches * classes, count, options_,
                  [&](size_t i, std::vector<Candidate>& candidates, std::vector<NmsRow>& rows) {
                    if (static_cast<int64_t>(i % classes) == options_.background_class) return;
                    select(boxes, scores + i * count, count, i / classes, i % classes, candidates, rows);
                  });
    rows_.clear();
    counts_.clear();
    for (size_t batch = 0; batch < batches; ++batch) {
      const size_t first = rows_.size();
      for (size_t c = 0; c < classes; ++c) selector_.append(batch * classes + c, rows_);
      keep_best_rows(rows_, first, options_.keep_top_k);
      counts_.push_back(rows_.size() - first);
    }
    // Within an image, OpenVINO sorts by score, whatever the requested order.
    if (options_.across_batch && options_.order == NmsOrder::kScore) {
      sort_all(rows_.data(), rows_.data() + rows_.size(), is_better_row);
    } else if (options_.across_batch && options_.order == NmsOrder::kClass) {
      sort_all(rows_.data(), rows_.data() + rows_.size(), is_earlier_class);
    }
    write_nms_rows(context, rows_, counts_);
  }

 private:
  struct Candidate {
    float score;
    size_t box;
    float largest_overlap;  // with the candidates before this one
  };

  static kernels::Box box_at(const float* boxes, size_t i) {
    const float* box = boxes + 4 * i;
    return {box[0], box[1], box[2], box[3]};
  }

  // As in OpenVINO. The result is arbitrary for boxes whose corners are swapped.
  float overlap(const kernels::Box& a, const kernels::Box& b) const {
    if (b.x1 > a.x2 || b.x2 < a.x1 || b.y1 > a.y2 || b.y2 < a.y1) return 0.0f;
    const float offset = options_.offset();
    const float shared = (std::min(a.x2, b.x2) - std::max(a.x1, b.x1) + offset) *
                         (std::min(a.y2, b.y2) - std::max(a.y1, b.y1) + offset);
    return shared / (kernels::box_area(a, offset) + kernels::box_area(b, offset) - shared);
  }

  float decay(float overlap, float largest) const {
    if (options_.decay == DecayFunction::kGaussian) {
      return std::exp((largest * largest - overlap * overlap) * options_.sigma);
    }
    return (1.0f - overlap) / (1.0f - largest + 1e-10f);
  }

  // Selects in one class of one image: the score of each box times the lowest decay by better boxes.
  void select(const float* boxes, const float* scores, size_t count, size_t batch, size_t box_class,
              std::vector<Candidate>& candidates, std::vector<NmsRow>& rows) const {
    candidates.clear();
    for (size_t i = 0; i < count; ++i) {
      if (scores[i] > options_.score_threshold) candidates.push_back({scores[i], i, 0.0f});
    }
    sort_all(candidates.data(), candidates.data() + candidates.size(),
             [](const Candidate& a, const Candidate& b) {
               return a.score > b.score || (a.score == b.score && a.box < b.box);
             });
    if (options_.nms_top_k > -1 && candidates.size() > static_cast<size_t>(options_.nms_top_k)) {
      candidates.resize(static_cast<size_t>(options_.nms_top_k));
    }
    for (size_t i = 0; i < candidates.size(); ++i) {
      Candidate& candidate = candidates[i];
      const size_t index = batch * count + candidate.box;
      const kernels::Box box = box_at(boxes, index);
      float least = 1.0f;
      count_work(kStepsPerPair * i);
      for (size_t j = 0; j < i; ++j) {
        const float shared = overlap(box, box_at(boxes, batch * count + candidates[j].box));
        candidate.largest_overlap = std::max(candidate.largest_overlap, shared);
        least = std::min(least, decay(shared, candidates[j].largest_overlap));
      }
      const float score = candidate.score * least;
      if (score > options_.post_threshold) {
        rows.push_back({score, static_cast<int32_t>(batch), static_cast<int32_t>(box_class),
                        static_cast<int64_t>(index), box});
      }
    }
  }

  Options options_;
  std::vector<float> box_memory_, score_memory_;
  NmsRowSelector<Candidate> selector_;
  std::vector<NmsRow> rows_;
  std::vector<size_t> counts_;
};

class MatrixNms final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visit_nms_row_options(visitor, options_);
    visitor.on_enum("decay_function", options_.decay, {"gaussian", "linear"});
    visitor.on("gaussian_sigma", options_.sigma);
    visitor.on("post_threshold", options_.post_threshold);
  }

  size_t least_outputs() const override { return 3; }
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const ElementType type = context.common_type(0, 1);
    expect_rank(context, 0, 3, 3, "boxes");
    expect_rank(context, 1, 3, 3, "scores");
    const PartialShape& scores = context.input_shape(1);
    Dimension images, rows;
    expect_size(context, 0, "boxes", 2, 4, "that of a box");
    if (scores.has_rank()) {
      images = expect_size(context, 0, "boxes", 0, scores[0], "axis 0 of scores");
      expect_size(context, 0, "boxes", 1, scores[2], "axis 2 of scores");
      rows = scores[0] * scores[1] * scores[2];
    }
    set_nms_row_outputs(context, options_, type, rows, images);
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    return std::make_unique<MatrixNmsKernel>(options_);
  }

 private:
  Options options_;
};

}  // namespace wasmvino::ops::matrix_nms

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(matrix_nms) {
  registry.add<matrix_nms::MatrixNms>(
      {"MatrixNms", {8}, "sort/matrix-non-max-suppression-8", {{"boxes", kFloats}, {"scores", kFloats, 0}}});
}
}  // namespace wasmvino::ops
