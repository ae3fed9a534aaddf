// SPDX-License-Identifier: Apache-2.0
// DetectionOutput: decodes boxes from predictions and priors and keeps the best of each class that do not
// overlap.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/detectionoutput-8.html
#include <algorithm>
#include <cmath>

#include "core/sort.h"
#include "core/work.h"
#include "kernels/boxes.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::detection_output {

constexpr size_t kGrain = size_t{1} << 12;  // in boxes
// Steps of count_work() to compare two boxes.
constexpr size_t kStepsPerOverlap = 8;

enum class CodeType { kCorner, kCenterSize };

struct Options {
  int64_t background = 0;
  int64_t top_k = -1;
  int64_t keep_top_k = -1;
  CodeType code_type = CodeType::kCorner;
  bool variance_encoded = false;
  bool share_location = true;
  bool clip_before_nms = false;
  bool clip_after_nms = false;
  bool decrease_label_id = false;
  bool normalized = false;
  float nms_threshold = 0.0f;
  float confidence_threshold = 0.0f;
  float objectness_score = 0.0f;
  float input_width = 1.0f;
  float input_height = 1.0f;
};

// Sizes on which all inputs must agree.
struct Sizes {
  size_t images = 0, priors = 0, classes = 0, prior_batch = 1;
  bool refined = false;  // inputs 3 and 4 exist

  size_t location_classes(const Options& options) const { return options.share_location ? 1 : classes; }
};

struct Candidate {
  float score;
  int32_t label;
  int32_t prior;
};

bool is_better(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.prior != b.prior ? a.prior < b.prior : a.label < b.label;
}
bool is_before(const Candidate& a, const Candidate& b) {
  return a.label != b.label ? a.label < b.label : is_better(a, b);
}

void clip(kernels::Box& box) {
  for (float* value : {&box.x1, &box.y1, &box.x2, &box.y2}) *value = std::max(0.0f, std::min(1.0f, *value));
}

class DetectionKernel final : public Kernel {
 public:
  DetectionKernel(const Options& options, const Sizes& sizes, size_t results)
      : options_(options), sizes_(sizes), results_(results) {}

  CheckedSize scratch_bytes() const {
    return CheckedSize(sizes_.location_classes(options_)) * sizes_.priors * sizeof(kernels::Box) +
           (CheckedSize(sizes_.classes) + 1) * sizes_.priors * sizeof(Candidate);
  }

  void run(EvalContext& context) override {
    kernels::Box* const boxes = static_cast<kernels::Box*>(context.scratch());
    Candidate* const kept = reinterpret_cast<Candidate*>(boxes + this->boxes());
    Candidate* const queue = kept + candidates();
    float* const output = context.output(0).mutable_data<float>();
    std::fill_n(output, results_ * 7, 0.0f);
    size_t count = 0;
    for (size_t image = 0; image < sizes_.images; ++image) {
      decode_all(context, image, boxes);
      size_t found = options_.decrease_label_id ? keep_best_class(context, image, boxes, kept, queue)
                                                : keep_each_class(context, image, boxes, kept, queue);
      if (options_.keep_top_k > -1 && found > static_cast<size_t>(options_.keep_top_k)) {
        sort_all(kept, kept + found, is_better);
        found = static_cast<size_t>(options_.keep_top_k);
      }
      sort_all(kept, kept + found, is_before);
      for (size_t i = 0; i < found && count < results_; ++i) {
        write(output + 7 * count++, image, kept[i], box_of(boxes, kept[i].label, kept[i].prior));
      }
    }
    // "The first tuple with batch_id equal to -1 means end of output."
    if (count < results_) output[7 * count] = -1.0f;
  }

 private:
  size_t boxes() const { return sizes_.location_classes(options_) * sizes_.priors; }
  size_t candidates() const { return sizes_.classes * sizes_.priors; }
  const kernels::Box& box_of(const kernels::Box* boxes, int32_t label, int32_t prior) const {
    const size_t first = options_.share_location ? 0 : static_cast<size_t>(label) * sizes_.priors;
    return boxes[first + static_cast<size_t>(prior)];
  }

  // Decodes the boxes of all location classes, class by class.
  void decode_all(const EvalContext& context, size_t image, kernels::Box* boxes) const {
    const size_t classes = sizes_.location_classes(options_);
    const size_t prior_size = options_.normalized ? 4 : 5, rows = options_.variance_encoded ? 1 : 2;
    const size_t batch = sizes_.prior_batch == 1 ? 0 : image;
    const float* priors = context.input(2).data<float>() + batch * rows * sizes_.priors * prior_size;
    const float* variances = options_.variance_encoded ? nullptr : priors + sizes_.priors * prior_size;
    const auto location = [&](size_t input, size_t c, size_t p) {
      return context.input(input).data<float>() + ((image * sizes_.priors + p) * classes + c) * 4;
    };
    for (size_t c = 0; c < classes; ++c) {
      if (!options_.share_location && static_cast<int64_t>(c) == options_.background) continue;
      parallel_for(context.parallel(), sizes_.priors, kGrain, [&](size_t begin, size_t end) {
        for (size_t p = begin; p < end; ++p) {
          const float* prior = priors + p * prior_size + (options_.normalized ? 0 : 1);
          kernels::Box box = {prior[0], prior[1], prior[2], prior[3]};
          const float* variance = variances == nullptr ? nullptr : variances + p * 4;
          if (sizes_.refined) box = decode(box, variance, location(4, c, p));
          boxes[c * sizes_.priors + p] = decode(box, variance, location(0, c, p));
        }
      });
    }
  }

  // In each stage, also for refined priors, OpenVINO divides priors that are not normalised by the size of
  // the image.
  kernels::Box decode(kernels::Box prior, const float* variance, const float* location) const {
    if (!options_.normalized) {
      prior.x1 /= options_.input_width, prior.x2 /= options_.input_width;
      prior.y1 /= options_.input_height, prior.y2 /= options_.input_height;
    }
    float l[4];
    for (size_t i = 0; i < 4; ++i) l[i] = variance == nullptr ? location[i] : variance[i] * location[i];
    kernels::Box box;
    if (options_.code_type == CodeType::kCorner) {
      box = {prior.x1 + l[0], prior.y1 + l[1], prior.x2 + l[2], prior.y2 + l[3]};
    } else {
      const float width = prior.x2 - prior.x1, height = prior.y2 - prior.y1;
      const float x = l[0] * width + (prior.x1 + prior.x2) / 2, y = l[1] * height + (prior.y1 + prior.y2) / 2;
      const float half_width = std::exp(l[2]) * width / 2, half_height = std::exp(l[3]) * height / 2;
      box = {x - half_width, y - half_height, x + half_width, y + half_height};
    }
    if (options_.clip_before_nms) clip(box);
    return box;
  }

  float score(const EvalContext& context, size_t image, size_t p, size_t c) const {
    const size_t prior = image * sizes_.priors + p;
    if (sizes_.refined && context.input(3).data<float>()[prior * 2 + 1] < options_.objectness_score) {
      return static_cast<int64_t>(c) == options_.background ? 1.0f : 0.0f;
    }
    return context.input(1).data<float>()[prior * sizes_.classes + c];
  }

  size_t shorten(Candidate* queue, size_t count) const {
    sort_all(queue, queue + count, is_better);
    return options_.top_k > -1 ? std::min(count, static_cast<size_t>(options_.top_k)) : count;
  }

  // Caffe's rule: each class separately.
  size_t keep_each_class(const EvalContext& context, size_t image, const kernels::Box* boxes, Candidate* kept,
                         Candidate* queue) const {
    size_t found = 0;
    for (size_t c = 0; c < sizes_.classes; ++c) {
      if (static_cast<int64_t>(c) == options_.background) continue;
      size_t waiting = 0;
      count_work(sizes_.priors);
      for (size_t p = 0; p < sizes_.priors; ++p) {
        const float value = score(context, image, p, c);
        if (value > options_.confidence_threshold) {
          queue[waiting++] = {value, static_cast<int32_t>(c), static_cast<int32_t>(p)};
        }
      }
      waiting = shorten(queue, waiting);
      const size_t first = found;
      for (size_t i = 0; i < waiting; ++i) {
        if (!overlaps_kept(boxes, queue[i], kept + first, found - first)) kept[found++] = queue[i];
      }
    }
    return found;
  }

  // MXNet's rule: each prior only in its best class.
  size_t keep_best_class(const EvalContext& context, size_t image, const kernels::Box* boxes, Candidate* kept,
                         Candidate* queue) const {
    size_t waiting = 0, found = 0;
    for (size_t p = 0; p < sizes_.priors; ++p) {
      Candidate best = {-1.0f, 0, static_cast<int32_t>(p)};
      count_work(sizes_.classes);
      for (size_t c = 1; c < sizes_.classes; ++c) {
        if (static_cast<int64_t>(c) == options_.background) continue;
        const float value = score(context, image, p, c);
        if (value > best.score) best.score = value, best.label = static_cast<int32_t>(c);
      }
      if (best.label > 0 && best.score >= options_.confidence_threshold) queue[waiting++] = best;
    }
    waiting = shorten(queue, waiting);
    for (size_t i = 0; i < waiting; ++i) {
      if (!overlaps_kept(boxes, queue[i], kept, found)) kept[found++] = queue[i];
    }
    return found;
  }

  bool overlaps_kept(const kernels::Box* boxes, const Candidate& candidate, const Candidate* kept,
                     size_t count) const {
    const kernels::Box& box = box_of(boxes, candidate.label, candidate.prior);
    count_work(kStepsPerOverlap * count);
    return std::any_of(kept, kept + count, [&](const Candidate& other) {
      return other.label == candidate.label &&
             kernels::box_overlap(box, box_of(boxes, other.label, other.prior)) > options_.nms_threshold;
    });
  }

  void write(float* to, size_t image, const Candidate& candidate, kernels::Box box) const {
    if (options_.clip_after_nms) clip(box);
    to[0] = static_cast<float>(image);
    to[1] = static_cast<float>(candidate.label - (options_.decrease_label_id ? 1 : 0));
    to[2] = candidate.score;
    to[3] = box.x1, to[4] = box.y1, to[5] = box.x2, to[6] = box.y2;
  }

  Options options_;
  Sizes sizes_;
  size_t results_;
};

class DetectionOutput final : public Op {
 public:
  explicit DetectionOutput(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ < 8) {
      visitor.require("num_classes");
      visitor.on("num_classes", num_classes_);
    }
    visitor.on("background_label_id", options_.background);
    visitor.on("top_k", options_.top_k);
    visitor.on("variance_encoded_in_target", options_.variance_encoded);
    visitor.on("keep_top_k", keep_top_k_);
    visitor.on_enum("code_type", options_.code_type,
                    {"caffe.PriorBoxParameter.CORNER", "caffe.PriorBoxParameter.CENTER_SIZE"});
    visitor.on("share_location", options_.share_location);
    visitor.on("nms_threshold", options_.nms_threshold);
    visitor.on("confidence_threshold", options_.confidence_threshold);
    visitor.on("clip_after_nms", options_.clip_after_nms);
    visitor.on("clip_before_nms", options_.clip_before_nms);
    visitor.on("decrease_label_id", options_.decrease_label_id);
    visitor.on("normalized", options_.normalized);
    visitor.on("input_height", options_.input_height);
    visitor.on("input_width", options_.input_width);
    visitor.on("objectness_score", options_.objectness_score);
    options_.keep_top_k = keep_top_k_.empty() ? -1 : keep_top_k_[0];
    if (version_ < 8 && num_classes_ < 1) {
      fail(ErrorCode::kInvalidModel, "attribute 'num_classes' is ", num_classes_, ", expected 1 or more");
    }
  }

  void infer(InferContext& context) const override {
    if (context.input_count() == 4) context.expect_inputs(5);
    context.expect_inputs(3, 5);
    const std::string_view names[] = {"box_logits", "class_preds", "proposals", "aux_class_preds",
                                      "aux_box_preds"};
    ElementType type = context.input_type(0);
    Dimension images;
    for (size_t i = 0; i < context.input_count(); ++i) {
      if (type == ElementType::kDynamic) type = context.input_type(i);
      const size_t rank = i == 2 ? 3 : 2;
      expect_rank(context, i, rank, rank, names[i]);
      if (i != 2) images = expect_size(context, i, names[i], 0, images, "the number of images");
    }
    const Dimension priors = prior_count(context);
    Dimension classes = version_ < 8 ? Dimension(num_classes_) : Dimension();
    if (version_ >= 8) classes = divided(context, 1, names[1], priors, "num_prior_boxes");
    const Dimension sets = options_.share_location ? Dimension(1) : classes;
    expect_size(context, 0, names[0], 1, priors * sets * Dimension(4),
                "num_prior_boxes * num_loc_classes * 4");
    expect_size(context, 1, names[1], 1, priors * classes, "num_prior_boxes * num_classes");
    expect_size(context, 2, names[2], 1, options_.variance_encoded ? 1 : 2,
                "by variance_encoded_in_target it");
    const PartialShape& proposals = context.input_shape(2);
    if (proposals.has_rank() && !proposals[0].compatible(1)) {
      expect_size(context, 2, names[2], 0, images, "the number of images");
    }
    if (context.input_count() == 5) {
      expect_size(context, 3, names[3], 1, priors * Dimension(2), "num_prior_boxes * 2");
      expect_size(context, 4, names[4], 1, priors * sets * Dimension(4),
                  "num_prior_boxes * num_loc_classes * 4");
    }
    const Dimension each = options_.keep_top_k > 0 ? Dimension(options_.keep_top_k)
                           : options_.keep_top_k == -1 && options_.top_k > 0
                               ? Dimension(options_.top_k) * classes
                               : classes * priors;
    context.set_output(0, type, {1, 1, images * each, 7});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      Sizes sizes;
      sizes.images = static_cast<size_t>(inner.input_shape(0)[0]);
      sizes.priors = static_cast<size_t>(inner.input_shape(2)[2]) / prior_size();
      sizes.prior_batch = static_cast<size_t>(inner.input_shape(2)[0]);
      sizes.classes = sizes.priors == 0 ? 0 : static_cast<size_t>(inner.input_shape(1)[1]) / sizes.priors;
      sizes.refined = inner.input_count() == 5;
      auto kernel =
          std::make_unique<DetectionKernel>(options_, sizes, static_cast<size_t>(inner.output_shape(0)[2]));
      inner.request_scratch(kernel->scratch_bytes());
      return kernel;
    });
  }

 private:
  size_t prior_size() const { return options_.normalized ? 4 : 5; }

  // Axis 1 (for proposals: 2) of input `i` divided by `divisor`, if both are known.
  static Dimension divided(const InferContext& context, size_t i, std::string_view name, Dimension divisor,
                           std::string_view what) {
    const PartialShape& shape = context.input_shape(i);
    const size_t axis = i == 2 ? 2 : 1;
    if (!shape.has_rank() || !shape[axis].is_static() || !divisor.is_static() || divisor.size() == 0)
      return {};
    if (shape[axis].size() % divisor.size() != 0) {
      fail(ErrorCode::kInvalidShape, "axis ", axis, " of ", name, " ", shape, " is not a multiple of ", what,
           ", ", divisor);
    }
    return shape[axis].size() / divisor.size();
  }

  Dimension prior_count(const InferContext& context) const {
    const Dimension size = static_cast<int64_t>(prior_size());
    const Dimension count = divided(context, 2, "proposals", size, "the size of a prior box");
    if (count.is_static()) return count;
    if (options_.share_location) return divided(context, 0, "box_logits", 4, "4");
    if (version_ < 8) return divided(context, 1, "class_preds", num_classes_, "num_classes");
    return {};
  }

  int version_;
  int64_t num_classes_ = 0;
  Ints keep_top_k_;
  Options options_;
};

}  // namespace wasmvino::ops::detection_output

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(detection_output) {
  registry.add<detection_output::DetectionOutput>({"DetectionOutput",
                                                   {1, 8},
                                                   "detection/detectionoutput-8",
                                                   {{"box_logits", kFloats},
                                                    {"class_preds", kFloats, 0},
                                                    {"proposals", kFloats},
                                                    {"aux_class_preds", kFloats, 0},
                                                    {"aux_box_preds", kFloats, 0}}});
}
}  // namespace wasmvino::ops
