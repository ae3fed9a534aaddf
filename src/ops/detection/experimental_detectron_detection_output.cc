// SPDX-License-Identifier: Apache-2.0
// ExperimentalDetectronDetectionOutput: moves regions as predicted for each class and keeps the best that do
// not overlap.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/experimental-detectron-detection-output-6.html
#include "core/sort.h"
#include "kernels/box_deltas.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::experimental_detectron_detection_output {

struct Options {
  float score_threshold = 0, nms_threshold = 0, max_delta_log_wh = 0;
  int64_t num_classes = 0, post_nms_count = 0, max_detections = 0;
  Floats deltas_weights;
};

// Grain: regions of a class in about 10 µs of work.
constexpr size_t kGrain = size_t{1} << 10;

struct Detection {
  kernels::Box box;
  float score;
  int32_t box_class;
  size_t region;
};

class DetectionKernel final : public Kernel {
 public:
  DetectionKernel(const Options& options, size_t regions) : options_(options), regions_(regions) {}

  void run(EvalContext& context) override {
    const float* rois = context.input(0).data<float>();
    const float* deltas = context.input(1).data<float>();
    const float* scores = context.input(2).data<float>();
    const auto classes = static_cast<size_t>(options_.num_classes);
    const auto rows = static_cast<size_t>(options_.max_detections);
    by_class_.resize(classes);
    parallel_for(context.parallel(), classes - 1, kGrain / std::max<size_t>(1, regions_),
                 [&](size_t begin, size_t end) {
                   // Class 0 is the background.
                   for (size_t c = begin + 1; c < end + 1; ++c) select(rois, deltas, scores, c, by_class_[c]);
                 });
    found_.clear();
    for (size_t c = 1; c < classes; ++c) {
      for (const kernels::ScoredBox& box : by_class_[c]) {
        found_.push_back({box.box, box.score, static_cast<int32_t>(c), box.index});
      }
    }
    if (found_.size() > rows) {
      sort_all(found_.data(), found_.data() + found_.size(), [](const Detection& a, const Detection& b) {
        if (a.score != b.score) return a.score > b.score;
        return a.region != b.region ? a.region < b.region : a.box_class < b.box_class;
      });
      found_.resize(rows);
    }
    write(context, rows);
  }

 private:
  // Selects the boxes of class c that exceed the score threshold and do not overlap.
  void select(const float* rois, const float* deltas, const float* scores, size_t c,
              std::vector<kernels::ScoredBox>& boxes) const {
    const auto classes = static_cast<size_t>(options_.num_classes);
    boxes.clear();
    for (size_t i = 0; i < regions_; ++i) {
      const float score = scores[i * classes + c];
      const kernels::Box roi = {rois[4 * i], rois[4 * i + 1], rois[4 * i + 2], rois[4 * i + 3]};
      // Empty regions have a score of 0.
      const bool empty = roi.x2 - roi.x1 <= 0 || roi.y2 - roi.y1 <= 0;
      if ((empty ? 0.0f : score) > options_.score_threshold) {
        boxes.push_back({moved(roi, deltas + 4 * (i * classes + c)), score, i, true});
      }
    }
    sort_all(boxes.data(), boxes.data() + boxes.size(),
             [](const kernels::ScoredBox& a, const kernels::ScoredBox& b) {
               return a.score > b.score || (a.score == b.score && a.index < b.index);
             });
    kernels::drop_overlapping(boxes, options_.nms_threshold, 1.0f,
                              static_cast<size_t>(options_.post_nms_count));
  }

  kernels::Box moved(const kernels::Box& roi, const float* deltas) const {
    float weighted[4];
    for (size_t k = 0; k < 4; ++k) weighted[k] = deltas[k] / options_.deltas_weights[k];
    const kernels::Box box = kernels::move_box(roi, weighted, options_.max_delta_log_wh, 1.0f);
    return {std::max(0.0f, box.x1), std::max(0.0f, box.y1), std::max(0.0f, box.x2), std::max(0.0f, box.y2)};
  }

  void write(const EvalContext& context, size_t rows) const {
    float* boxes = context.output(0).mutable_data<float>();
    int32_t* classes = context.output(1).mutable_data<int32_t>();
    float* scores = context.output(2).mutable_data<float>();
    std::fill_n(boxes, 4 * rows, 0.0f);
    std::fill_n(classes, rows, 0);
    std::fill_n(scores, rows, 0.0f);
    for (const Detection& found : found_) {
      *classes++ = found.box_class;
      *scores++ = found.score;
      for (const float number : {found.box.x1, found.box.y1, found.box.x2, found.box.y2}) *boxes++ = number;
    }
  }

  Options options_;
  size_t regions_;
  std::vector<std::vector<kernels::ScoredBox>> by_class_;
  std::vector<Detection> found_;
};

class ExperimentalDetectronDetectionOutput final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("score_threshold", options_.score_threshold);
    visitor.on("nms_threshold", options_.nms_threshold);
    visitor.on("max_delta_log_wh", options_.max_delta_log_wh);
    visitor.on("num_classes", options_.num_classes);
    visitor.on("post_nms_count", options_.post_nms_count);
    visitor.on("max_detections_per_image", options_.max_detections);
    visitor.on("deltas_weights", options_.deltas_weights);
    if (options_.deltas_weights.size() != 4) {
      fail(ErrorCode::kInvalidModel, "attribute 'deltas_weights' has ", options_.deltas_weights.size(),
           " elements, expected 4");
    }
    for (const int64_t value : {options_.num_classes, options_.post_nms_count, options_.max_detections}) {
      if (value < 1) {
        fail(ErrorCode::kInvalidModel,
             "one of the attributes 'num_classes', 'post_nms_count', 'max_detections_per_image' is ", value,
             ", expected 1 or more");
      }
    }
  }

  size_t least_outputs() const override { return 3; }
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    const std::string_view names[] = {"rois", "deltas", "scores", "im_info"};
    const Dimension columns[] = {4, 4 * options_.num_classes, options_.num_classes, 3};
    ElementType type = context.input_type(0);
    Dimension regions;
    for (size_t i = 0; i < 4; ++i) {
      if (type == ElementType::kDynamic) type = context.input_type(i);
      expect_rank(context, i, 2, 2, names[i]);
      expect_size(context, i, names[i], 1, columns[i], "by num_classes it");
      if (i < 3) regions = expect_size(context, i, names[i], 0, regions, "the number of regions");
    }
    expect_size(context, 3, names[3], 0, 1, "for one image it");
    context.set_output(0, type, {options_.max_detections, 4});
    context.set_output(1, ElementType::kI32, {options_.max_detections});
    context.set_output(2, type, {options_.max_detections});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      return std::make_unique<DetectionKernel>(options_, static_cast<size_t>(inner.input_shape(0)[0]));
    });
  }

 private:
  Options options_;
};

}  // namespace wasmvino::ops::experimental_detectron_detection_output

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(experimental_detectron_detection_output) {
  registry.add<experimental_detectron_detection_output::ExperimentalDetectronDetectionOutput>(
      {"ExperimentalDetectronDetectionOutput",
       {6},
       "detection/experimental-detectron-detection-output-6",
       {{"rois", kFloats}, {"deltas", kFloats, 0}, {"scores", kFloats, 0}, {"im_info", kFloats, 0}}});
}
}  // namespace wasmvino::ops
