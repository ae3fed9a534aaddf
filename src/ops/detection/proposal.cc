// SPDX-License-Identifier: Apache-2.0
// Proposal: moves and scales anchors as predicted and keeps the best that do not overlap.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/proposal-4.html
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/sort.h"
#include "kernels/boxes.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::proposal {

struct Options {
  int64_t base_size = 0, feat_stride = 0, min_size = 0;
  int64_t pre_nms_topn = 0, post_nms_topn = 0;
  float nms_thresh = 0.0f, box_size_scale = 1.0f, box_coordinate_scale = 1.0f;
  bool clip_before_nms = true, clip_after_nms = false, normalize = false;
  bool tensorflow = false;

  // In Caffe, coordinates are pixel indices; in TensorFlow, they are positions.
  float offset() const { return tensorflow ? 0.0f : 1.0f; }
};

// Grain: anchors to move in about 10 µs of work, most of it exponentials.
constexpr size_t kGrain = size_t{1} << 9;

struct Candidate {
  kernels::Box box;
  float score;
  size_t index;
};

// [ratio][scale]
std::vector<kernels::Box> make_anchors(const Options& options, const Floats& ratios, const Floats& scales) {
  const float base = static_cast<float>(options.base_size);
  const float center = 0.5f * (base - options.offset()) - (options.tensorflow ? 0.5f * base : 0.0f);
  std::vector<kernels::Box> anchors;
  for (const float ratio : ratios) {
    float width = std::sqrt(base * base / ratio);
    if (!options.tensorflow) width = std::round(width);
    const float height = options.tensorflow ? width * ratio : std::round(width * ratio);
    for (const float scale : scales) {
      const float half_width = 0.5f * (width * scale - options.offset());
      const float half_height = 0.5f * (height * scale - options.offset());
      anchors.push_back(
          {center - half_width, center - half_height, center + half_width, center + half_height});
    }
  }
  return anchors;
}

void clip(kernels::Box& box, float width, float height) {
  box.x1 = std::max(0.0f, std::min(box.x1, width));
  box.y1 = std::max(0.0f, std::min(box.y1, height));
  box.x2 = std::max(0.0f, std::min(box.x2, width));
  box.y2 = std::max(0.0f, std::min(box.y2, height));
}

class ProposalKernel final : public Kernel {
 public:
  ProposalKernel(const Options& options, std::vector<kernels::Box> anchors, const Shape& scores)
      : options_(options),
        anchors_(std::move(anchors)),
        batches_(static_cast<size_t>(scores[0])),
        height_(static_cast<size_t>(scores[2])),
        width_(static_cast<size_t>(scores[3])) {}

  CheckedSize scratch_bytes() const {
    return (CheckedSize(anchors_.size()) * height_ * width_ + static_cast<size_t>(options_.post_nms_topn)) *
           sizeof(Candidate);
  }

  void run(EvalContext& context) override {
    Candidate* const candidates = static_cast<Candidate*>(context.scratch());
    Candidate* const kept = candidates + count();
    const auto wanted = static_cast<size_t>(options_.post_nms_topn);
    const Image image = read_image(context.input(2));
    for (size_t batch = 0; batch < batches_; ++batch) {
      // The first half of the scores belongs to the background.
      const float* scores = context.input(0).data<float>() + (2 * batch + 1) * count();
      const float* deltas = context.input(1).data<float>() + 4 * batch * count();
      parallel_for(context.parallel(), height_ * width_, kGrain / std::max<size_t>(1, anchors_.size()),
                   [&](size_t begin, size_t end) { predict(scores, deltas, image, begin, end, candidates); });
      const size_t best = std::min(count(), static_cast<size_t>(options_.pre_nms_topn));
      sort_best(candidates, candidates + count(), best, [](const Candidate& a, const Candidate& b) {
        return a.score > b.score || (a.score == b.score && a.index < b.index);
      });
      size_t found = 0;
      for (size_t i = 0; i < best && found < wanted; ++i) {
        const bool overlaps = std::any_of(kept, kept + found, [&](const Candidate& other) {
          return kernels::box_overlap(candidates[i].box, other.box, options_.offset()) > options_.nms_thresh;
        });
        if (!overlaps) kept[found++] = candidates[i];
      }
      write(context, batch, kept, found, image);
    }
  }

 private:
  size_t count() const { return anchors_.size() * height_ * width_; }

  struct Image {
    float height, width, least_height, least_width;
  };
  // [height, width, scale] or [height, width, height scale, width scale]
  Image read_image(const TensorView& view) const {
    const float* numbers = view.data<float>();
    const float size = static_cast<float>(options_.min_size);
    Image image = {numbers[0], numbers[1], size * numbers[2], size * numbers[view.size() < 4 ? 2 : 3]};
    // TensorFlow's maps are transposed.
    if (options_.tensorflow) std::swap(image.height, image.width);
    return image;
  }

  // Predicts boxes at places [begin, end) of the map.
  void predict(const float* scores, const float* deltas, const Image& image, size_t begin, size_t end,
               Candidate* candidates) const {
    const size_t area = height_ * width_;
    for (size_t place = begin; place < end; ++place) {
      const size_t h = place / width_, w = place % width_;
      const auto stride = static_cast<size_t>(options_.feat_stride);
      const float x = static_cast<float>((options_.tensorflow ? h : w) * stride);
      const float y = static_cast<float>((options_.tensorflow ? w : h) * stride);
      for (size_t a = 0; a < anchors_.size(); ++a) {
        const auto delta = [&](size_t i) { return deltas[(4 * a + i) * area + place]; };
        kernels::Box box = anchors_[a];
        box.x1 += x, box.y1 += y, box.x2 += x, box.y2 += y;
        if (options_.tensorflow) clip(box, image.width, image.height);
        const float width = box.x2 - box.x1 + options_.offset(), height = box.y2 - box.y1 + options_.offset();
        const float center_x = delta(0) / options_.box_coordinate_scale * width + box.x1 + 0.5f * width;
        const float center_y = delta(1) / options_.box_coordinate_scale * height + box.y1 + 0.5f * height;
        const float half_width = 0.5f * std::exp(delta(2) / options_.box_size_scale) * width;
        const float half_height = 0.5f * std::exp(delta(3) / options_.box_size_scale) * height;
        box = {center_x - half_width, center_y - half_height, center_x + half_width, center_y + half_height};
        if (options_.clip_before_nms) {
          clip(box, image.width - options_.offset(), image.height - options_.offset());
        }
        const bool large = box.x2 - box.x1 + options_.offset() >= image.least_width &&
                           box.y2 - box.y1 + options_.offset() >= image.least_height;
        const size_t index = place * anchors_.size() + a;
        candidates[index] = {box, large ? scores[a * area + place] : 0.0f, index};
      }
    }
  }

  void write(const EvalContext& context, size_t batch, const Candidate* kept, size_t found,
             const Image& image) const {
    const auto rows = static_cast<size_t>(options_.post_nms_topn);
    float* to = context.output(0).mutable_data<float>() + batch * rows * 5;
    float* scores =
        context.output_count() > 1 ? context.output(1).mutable_data<float>() + batch * rows : nullptr;
    std::fill_n(to, rows * 5, 0.0f);
    if (scores != nullptr) std::fill_n(scores, rows, 0.0f);
    const float height = image.height, width = image.width;
    for (size_t i = 0; i < found; ++i) {
      kernels::Box box = kept[i].box;
      if (options_.clip_after_nms) clip(box, width, height);
      if (options_.normalize) box.x1 /= width, box.y1 /= height, box.x2 /= width, box.y2 /= height;
      float* row = to + 5 * i;
      row[0] = static_cast<float>(batch);
      row[1] = box.x1, row[2] = box.y1, row[3] = box.x2, row[4] = box.y2;
      if (scores != nullptr) scores[i] = kept[i].score;
    }
    if (found < rows) to[5 * found] = -1.0f;
  }

  Options options_;
  std::vector<kernels::Box> anchors_;
  size_t batches_, height_, width_;
};

class Proposal final : public Op {
 public:
  explicit Proposal(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("base_size", options_.base_size);
    visitor.on("pre_nms_topn", options_.pre_nms_topn);
    visitor.on("post_nms_topn", options_.post_nms_topn);
    visitor.on("nms_thresh", options_.nms_thresh);
    visitor.on("feat_stride", options_.feat_stride);
    visitor.on("min_size", options_.min_size);
    visitor.on("ratio", ratios_);
    visitor.on("scale", scales_);
    visitor.on("clip_before_nms", options_.clip_before_nms);
    visitor.on("clip_after_nms", options_.clip_after_nms);
    visitor.on("normalize", options_.normalize);
    visitor.on("box_size_scale", options_.box_size_scale);
    visitor.on("box_coordinate_scale", options_.box_coordinate_scale);
    visitor.on_enum("framework", options_.tensorflow, {"", "tensorflow"});
    if (options_.pre_nms_topn < 1 || options_.post_nms_topn < 1) {
      fail(ErrorCode::kInvalidModel, "attributes 'pre_nms_topn' and 'post_nms_topn' are ",
           options_.pre_nms_topn, " and ", options_.post_nms_topn, ", expected 1 or more");
    }
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    const std::string_view names[] = {"class_probs", "bbox_deltas", "image_shape"};
    const ElementType type = context.input_type(0);
    for (size_t i = 0; i < 3; ++i) {
      expect_rank(context, i, i == 2 ? 1 : 4, i == 2 ? 1 : 4, names[i]);
    }
    const auto anchors = static_cast<int64_t>(ratios_.size() * scales_.size());
    expect_size(context, 0, names[0], 1, 2 * anchors, "2 for each anchor");
    expect_size(context, 1, names[1], 1, 4 * anchors, "4 for each anchor");
    expect_size(context, 2, names[2], 0, Dimension(3, 4), "that of height, width and scales");
    const PartialShape& scores = context.input_shape(0);
    Dimension batch;
    if (scores.has_rank()) {
      batch = scores[0];
      for (const size_t axis : {size_t{0}, size_t{2}, size_t{3}}) {
        expect_size(context, 1, names[1], axis, scores[axis], cat("axis ", axis, " of class_probs"));
      }
    }
    const Dimension rows = batch * Dimension(options_.post_nms_topn);
    context.set_output(0, type, {rows, 5});
    if (version_ >= 4 && context.output_count() > 1) context.set_output(1, type, {rows});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      auto kernel = std::make_unique<ProposalKernel>(options_, make_anchors(options_, ratios_, scales_),
                                                     inner.input_shape(0));
      inner.request_scratch(kernel->scratch_bytes());
      return kernel;
    });
  }

 private:
  int version_;
  Options options_;
  Floats ratios_, scales_;
};

}  // namespace wasmvino::ops::proposal

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(proposal) {
  registry.add<proposal::Proposal>(
      {"Proposal",
       {1, 4},
       "detection/proposal-4",
       {{"class_probs", kFloats}, {"bbox_deltas", kFloats}, {"image_shape", kFloats}}});
}
}  // namespace wasmvino::ops
