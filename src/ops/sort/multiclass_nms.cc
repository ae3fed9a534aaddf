// SPDX-License-Identifier: Apache-2.0
// MulticlassNms: of overlapping boxes of a class, the one with the highest score; then the best of all
// classes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/multiclass-non-max-suppression-9.html
#include <algorithm>

#include "core/sort.h"
#include "core/work.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"
#include "ops/sort/nms.h"
#include "ops/sort/nms_rows.h"

namespace wasmvino::ops::multiclass_nms {

// Steps of count_work() to compare two boxes.
constexpr size_t kStepsPerOverlap = 8;

struct Options : NmsRowOptions {
  float overlap_threshold = 0.0f;
  float eta = 1.0f;
};

// The boxes of one class of one image.
struct ClassView {
  const float* boxes;  // 4 numbers each
  const float* scores;
  size_t count;
  int32_t batch, box_class;
  int64_t first_index, index_step;  // the output's index of the first box, and step to the next
};

class MulticlassNmsKernel final : public Kernel {
 public:
  explicit MulticlassNmsKernel(const Options& options) : options_(options) {}

  void run(EvalContext& context) override {
    const float* boxes = as_floats(context.input(0), box_memory_);
    const float* scores = as_floats(context.input(1), score_memory_);
    const Shape& shape = context.input(1).shape;
    views_.clear();
    if (shape.size() == 3) {
      list_shared(boxes, scores, shape);
    } else {
      list_separate(boxes, scores, shape, context.input(2));
    }
    selector_.run(context.parallel(), views_.size(), static_cast<size_t>(shape.back()), options_,
                  [&](size_t i, std::vector<size_t>& candidates, std::vector<NmsRow>& rows) {
                    select(views_[i], candidates, rows);
                  });
    rows_.clear();
    counts_.clear();
    const auto classes = static_cast<size_t>(shape[shape.size() - 2]);
    for (size_t image = 0; image < context.output(2).size(); ++image) {
      const size_t first = rows_.size();
      for (size_t c = 0; c < classes; ++c) selector_.append(image * classes + c, rows_);
      finish_image(first);
    }
    if (options_.across_batch) sort(0);
    write_nms_rows(context, rows_, counts_);
  }

 private:
  // boxes [images, boxes, 4], scores [images, classes, boxes]
  void list_shared(const float* boxes, const float* scores, const Shape& shape) {
    const int64_t classes = shape[1], count = shape[2];
    for (int64_t batch = 0; batch < shape[0]; ++batch) {
      for (int64_t c = 0; c < classes; ++c) {
        views_.push_back({boxes + batch * count * 4, scores + (batch * classes + c) * count,
                          static_cast<size_t>(count), static_cast<int32_t>(batch), static_cast<int32_t>(c),
                          batch * count, 1});
      }
    }
  }

  // boxes [classes, boxes of all images, 4], scores [classes, boxes of all images]; `numbers` has the number
  // of boxes per image
  void list_separate(const float* boxes, const float* scores, const Shape& shape, const TensorView& numbers) {
    const int64_t classes = shape[0], count = shape[1];
    int64_t begin = 0;
    for (size_t batch = 0; batch < numbers.size(); ++batch) {
      const int64_t number = std::max<int64_t>(0, load_integer(numbers, batch));
      if (number > count - begin) {
        fail(ErrorCode::kInvalidValue, "roisnum[", batch, "] is ", number, ", but only ", count - begin,
             " of ", count, " boxes are left");
      }
      for (int64_t c = 0; c < classes; ++c) {
        const int64_t place = c * count + begin;
        views_.push_back({boxes + place * 4, scores + place, static_cast<size_t>(number),
                          static_cast<int32_t>(batch), static_cast<int32_t>(c), begin * classes + c,
                          classes});
      }
      begin += number;
    }
  }

  void select(const ClassView& view, std::vector<size_t>& candidates, std::vector<NmsRow>& rows) const {
    if (view.box_class == options_.background_class) return;
    candidates.clear();
    count_work(view.count);
    for (size_t i = 0; i < view.count; ++i) {
      if (view.scores[i] >= options_.score_threshold) candidates.push_back(i);
    }
    sort_all(candidates.data(), candidates.data() + candidates.size(), [&](size_t a, size_t b) {
      return view.scores[a] > view.scores[b] || (view.scores[a] == view.scores[b] && a < b);
    });
    if (options_.nms_top_k > -1 && candidates.size() > static_cast<size_t>(options_.nms_top_k)) {
      candidates.resize(static_cast<size_t>(options_.nms_top_k));
    }
    float threshold = options_.overlap_threshold;
    const size_t first = rows.size();
    for (const size_t i : candidates) {
      const float* numbers = view.boxes + 4 * i;
      const kernels::Box box = {numbers[0], numbers[1], numbers[2], numbers[3]};
      count_work(kStepsPerOverlap * (rows.size() - first));
      const bool suppressed =
          std::any_of(rows.begin() + static_cast<ptrdiff_t>(first), rows.end(),
                      [&](const NmsRow& row) { return overlap(box, row.box) >= threshold; });
      if (suppressed) continue;
      if (options_.eta < 1.0f && threshold > 0.5f) threshold *= options_.eta;
      rows.push_back({view.scores[i], view.batch, view.box_class,
                      view.first_index + static_cast<int64_t>(i) * view.index_step, box});
    }
  }

  float overlap(const kernels::Box& a, const kernels::Box& b) const {
    const float offset = options_.offset();
    return kernels::box_area(a, offset) <= 0.0f || kernels::box_area(b, offset) <= 0.0f
               ? 0.0f
               : kernels::box_overlap(a, b, offset);
  }

  void finish_image(size_t first) {
    keep_best_rows(rows_, first, options_.keep_top_k);
    counts_.push_back(rows_.size() - first);
    if (!options_.across_batch) sort(first);
  }

  void sort(size_t first) {
    if (options_.order == NmsOrder::kNone) return;
    sort_all(rows_.data() + first, rows_.data() + rows_.size(),
             options_.order == NmsOrder::kScore ? is_better_row : is_earlier_class);
  }

  Options options_;
  std::vector<float> box_memory_, score_memory_;
  std::vector<ClassView> views_;
  NmsRowSelector<size_t> selector_;
  std::vector<NmsRow> rows_;
  std::vector<size_t> counts_;
};

class MulticlassNms final : public Op {
 public:
  explicit MulticlassNms(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visit_nms_row_options(visitor, options_);
    visitor.on("iou_threshold", options_.overlap_threshold);
    visitor.on("nms_eta", options_.eta);
  }

  size_t least_outputs() const override { return 3; }
  void infer(InferContext& context) const override {
    context.expect_inputs(2, version_ >= 9 ? 3 : 2);
    const bool separate = context.input_count() == 3;
    const ElementType type = context.common_type(0, 1);
    expect_rank(context, 0, 3, 3, "boxes");
    expect_rank(context, 1, separate ? 2 : 3, 3, "scores");
    expect_size(context, 0, "boxes", 2, 4, "that of a box");
    const PartialShape& scores = context.input_shape(1);
    Dimension images, rows;
    if (scores.has_rank() && scores.rank() == 3) {
      images = expect_size(context, 0, "boxes", 0, scores[0], "axis 0 of scores");
      expect_size(context, 0, "boxes", 1, scores[2], "axis 2 of scores");
      rows = scores[0] * scores[1] * scores[2];
    } else if (scores.has_rank()) {
      expect_size(context, 0, "boxes", 0, scores[0], "axis 0 of scores");
      expect_size(context, 0, "boxes", 1, scores[1], "axis 1 of scores");
      rows = scores[0] * scores[1];
    }
    if (separate) {
      expect_rank(context, 2, 1, 1, "roisnum");
      if (context.input_shape(2).has_rank()) images = context.input_shape(2)[0];
    }
    set_nms_row_outputs(context, options_, type, rows, images);
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    return std::make_unique<MulticlassNmsKernel>(options_);
  }

 private:
  int version_;
  Options options_;
};

}  // namespace wasmvino::ops::multiclass_nms

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(multiclass_nms) {
  registry.add<multiclass_nms::MulticlassNms>(
      {"MulticlassNms",
       {8, 9},
       "sort/multiclass-non-max-suppression-9",
       {{"boxes", kFloats}, {"scores", kFloats, 0}, {"roisnum", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
