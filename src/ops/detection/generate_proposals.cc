// SPDX-License-Identifier: Apache-2.0
// GenerateProposals: for each image, moves anchors by predicted deltas and keeps the best that do not
// overlap.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/generate-proposals-9.html
#include "core/dispatch.h"
#include "kernels/box_deltas.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/sort/nms.h"

namespace wasmvino::ops::generate_proposals {

struct Options {
  float min_size = 0, nms_threshold = 0;
  int64_t pre_nms_count = 0, post_nms_count = 0;
  bool normalized = true;
  ElementType roi_num_type = ElementType::kI64;

  float offset() const { return normalized ? 0.0f : 1.0f; }
};

class GenerateProposalsKernel final : public Kernel {
 public:
  explicit GenerateProposalsKernel(const Options& options) : options_(options) {}

  void run(EvalContext& context) override {
    const float* inputs[4];
    for (size_t i = 0; i < 4; ++i) inputs[i] = as_floats(context.input(i), memory_[i]);
    const Shape& info = context.input(0).shape;
    const Shape& scores = context.input(3).shape;
    const auto images = static_cast<size_t>(scores[0]), columns = static_cast<size_t>(info[1]);
    kernels::AnchorField field{};
    field.anchors = inputs[1];
    field.anchor_count = static_cast<size_t>(scores[1]);
    field.area = static_cast<size_t>(scores[2] * scores[3]);
    field.offset = options_.offset();
    const size_t each = field.anchor_count * field.area;
    found_.clear();
    counts_.clear();
    for (size_t image = 0; image < images; ++image) {
      // [height, width, scale] or [height, width, height scale, width scale]
      const float* row = inputs[0] + image * columns;
      field.image_height = row[0];
      field.image_width = row[1];
      field.least_height = options_.min_size * row[2];
      field.least_width = options_.min_size * row[columns - 1];
      field.deltas = inputs[2] + 4 * image * each;
      field.scores = inputs[3] + image * each;
      kernels::propose_boxes(context.parallel(), field, static_cast<size_t>(options_.pre_nms_count), boxes_);
      boxes_.erase(std::remove_if(boxes_.begin(), boxes_.end(),
                                  [](const kernels::ScoredBox& box) { return !box.large; }),
                   boxes_.end());
      kernels::drop_overlapping(boxes_, options_.nms_threshold, options_.offset(),
                                static_cast<size_t>(options_.post_nms_count));
      found_.insert(found_.end(), boxes_.begin(), boxes_.end());
      counts_.push_back(boxes_.size());
    }
    write(context);
  }

 private:
  void write(const EvalContext& context) const {
    const auto count = static_cast<int64_t>(found_.size());
    context.set_output_shape(0, {count, 4});
    context.set_output_shape(1, {count});
    const kernels::StoreNumbers<float> store = kernels::number_storer<float>(context.output(0).type);
    for (size_t i = 0; i < found_.size(); ++i) {
      const kernels::Box& box = found_[i].box;
      const float numbers[] = {box.x1, box.y1, box.x2, box.y2};
      store(numbers, 4, context.output(0).memory, 4 * i, 1);
      store(&found_[i].score, 1, context.output(1).memory, i, 1);
    }
    with_index(context.output(2).type, [&]<typename T>() {
      for (size_t i = 0; i < counts_.size(); ++i)
        context.output(2).mutable_data<T>()[i] = static_cast<T>(counts_[i]);
    });
  }

  Options options_;
  std::vector<float> memory_[4];
  std::vector<kernels::ScoredBox> boxes_, found_;
  std::vector<size_t> counts_;
};

class GenerateProposals final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    float eta = 1.0f;
    visitor.on("min_size", options_.min_size);
    visitor.on("nms_threshold", options_.nms_threshold);
    visitor.on("pre_nms_count", options_.pre_nms_count);
    visitor.on("post_nms_count", options_.post_nms_count);
    visitor.on("normalized", options_.normalized);
    visitor.on("nms_eta", eta);
    visitor.on("roi_num_type", options_.roi_num_type);
    if (eta != 1.0f) {
      fail(ErrorCode::kUnsupported, "attribute 'nms_eta' is ", eta,
           ", expected 1, the only value in the specification");
    }
    if (options_.pre_nms_count < 0 || options_.post_nms_count < 0) {
      fail(ErrorCode::kInvalidModel, "attributes 'pre_nms_count' and 'post_nms_count' are ",
           options_.pre_nms_count, " and ", options_.post_nms_count, ", expected 0 or more");
    }
    if (options_.roi_num_type != ElementType::kI32 && options_.roi_num_type != ElementType::kI64) {
      fail(ErrorCode::kInvalidModel, "attribute 'roi_num_type' is ", options_.roi_num_type,
           ", expected i32 or i64");
    }
  }

  size_t least_outputs() const override { return 3; }
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    const std::string_view names[] = {"im_info", "anchors", "boxesdeltas", "scores"};
    ElementType type = context.input_type(0);
    for (size_t i = 0; i < 4; ++i) {
      if (type == ElementType::kDynamic) type = context.input_type(i);
      expect_rank(context, i, i == 0 ? 2 : 4, i == 0 ? 2 : 4, names[i]);
    }
    expect_size(context, 0, names[0], 1, Dimension(3, 4), "that of height, width and scales");
    expect_size(context, 1, names[1], 3, 4, "that of a box");
    const PartialShape& scores = context.input_shape(3);
    Dimension images;
    if (scores.has_rank()) {
      images = expect_size(context, 0, names[0], 0, scores[0], "axis 0 of scores");
      images = expect_size(context, 2, names[2], 0, images, "axis 0 of scores");
      expect_size(context, 1, names[1], 2, scores[1], "axis 1 of scores");
      expect_size(context, 2, names[2], 1, scores[1] * Dimension(4), "4 for each anchor");
      for (const size_t axis : {size_t{2}, size_t{3}}) {
        expect_size(context, 1, names[1], axis - 2, scores[axis], "that of scores");
        expect_size(context, 2, names[2], axis, scores[axis], "that of scores");
      }
    }
    const Dimension rows(0, (images * Dimension(options_.post_nms_count)).max);
    context.set_output(0, type, {rows, 4});
    context.set_output(1, type, {rows});
    context.set_output(2, options_.roi_num_type, {images});
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    return std::make_unique<GenerateProposalsKernel>(options_);
  }

 private:
  Options options_;
};

}  // namespace wasmvino::ops::generate_proposals

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(generate_proposals) {
  registry.add<generate_proposals::GenerateProposals>(
      {"GenerateProposals",
       {9},
       "detection/generate-proposals-9",
       {{"im_info", kNumbers}, {"anchors", kNumbers}, {"boxesdeltas", kNumbers}, {"scores", kNumbers}}});
}
}  // namespace wasmvino::ops
