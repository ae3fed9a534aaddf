// SPDX-License-Identifier: Apache-2.0
// ExperimentalDetectronGenerateProposalsSingleImage: moves anchors by predicted deltas and keeps the best
// that do not overlap.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/experimental-detectron-generate-proposals-single-image-6.html
#include "kernels/box_deltas.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::experimental_detectron_generate_proposals_single_image {

struct Options {
  float min_size = 0, nms_threshold = 0;
  int64_t pre_nms_count = 0, post_nms_count = 0;
};

class ProposalsKernel final : public Kernel {
 public:
  ProposalsKernel(const Options& options, const Shape& scores)
      : options_(options),
        anchors_(static_cast<size_t>(scores[0])),
        area_(static_cast<size_t>(scores[1] * scores[2])) {}

  void run(EvalContext& context) override {
    const float* info = context.input(0).data<float>();
    // Boxes are moved with pixel indices as coordinates (offset 1), but compared without (offset 0).
    const kernels::AnchorField field = {context.input(1).data<float>(),
                                        context.input(2).data<float>(),
                                        context.input(3).data<float>(),
                                        anchors_,
                                        area_,
                                        info[1],
                                        info[0],
                                        options_.min_size,
                                        options_.min_size,
                                        1.0f};
    kernels::propose_boxes(context.parallel(), field, anchors_ * area_, boxes_);
    // Boxes that are too small get a score of 0, but are not removed.
    for (size_t i = 0; i < boxes_.size(); ++i) {
      boxes_[i].index = i;  // boxes with a score of 0 keep their previous order
      if (!boxes_[i].large) boxes_[i].score = 0.0f;
    }
    kernels::keep_best(boxes_, static_cast<size_t>(options_.pre_nms_count));
    const auto rows = static_cast<size_t>(options_.post_nms_count);
    kernels::drop_overlapping(boxes_, options_.nms_threshold, 0.0f, rows);
    float* rois = context.output(0).mutable_data<float>();
    float* scores = context.output(1).mutable_data<float>();
    std::fill_n(rois, 4 * rows, 0.0f);
    std::fill_n(scores, rows, 0.0f);
    for (const kernels::ScoredBox& found : boxes_) {
      *scores++ = found.score;
      for (const float number : {found.box.x1, found.box.y1, found.box.x2, found.box.y2}) *rois++ = number;
    }
  }

 private:
  Options options_;
  size_t anchors_, area_;
  std::vector<kernels::ScoredBox> boxes_;
};

class ExperimentalDetectronGenerateProposalsSingleImage final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("min_size", options_.min_size);
    visitor.on("nms_threshold", options_.nms_threshold);
    visitor.on("pre_nms_count", options_.pre_nms_count);
    visitor.on("post_nms_count", options_.post_nms_count);
    if (options_.pre_nms_count < 0 || options_.post_nms_count < 0) {
      fail(ErrorCode::kInvalidModel, "attributes 'pre_nms_count' and 'post_nms_count' are ",
           options_.pre_nms_count, " and ", options_.post_nms_count, ", expected 0 or more");
    }
  }

  size_t least_outputs() const override { return 2; }
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    const std::string_view names[] = {"im_info", "anchors", "deltas", "scores"};
    const size_t ranks[] = {1, 2, 3, 3};
    ElementType type = context.input_type(0);
    for (size_t i = 0; i < 4; ++i) {
      if (type == ElementType::kDynamic) type = context.input_type(i);
      expect_rank(context, i, ranks[i], ranks[i], names[i]);
    }
    expect_size(context, 0, names[0], 0, 3, "that of height, width and scale");
    expect_size(context, 1, names[1], 1, 4, "that of a box");
    const PartialShape& scores = context.input_shape(3);
    if (scores.has_rank()) {
      expect_size(context, 1, names[1], 0, scores[0] * scores[1] * scores[2], "the number of scores");
      expect_size(context, 2, names[2], 0, scores[0] * Dimension(4), "4 for each anchor");
      expect_size(context, 2, names[2], 1, scores[1], "that of scores");
      expect_size(context, 2, names[2], 2, scores[2], "that of scores");
    }
    context.set_output(0, type, {options_.post_nms_count, 4});
    context.set_output(1, type, {options_.post_nms_count});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      return std::make_unique<ProposalsKernel>(options_, inner.input_shape(3));
    });
  }

 private:
  Options options_;
};

}  // namespace wasmvino::ops::experimental_detectron_generate_proposals_single_image

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(experimental_detectron_generate_proposals_single_image) {
  registry.add<experimental_detectron_generate_proposals_single_image::
                   ExperimentalDetectronGenerateProposalsSingleImage>(
      {"ExperimentalDetectronGenerateProposalsSingleImage",
       {6},
       "detection/experimental-detectron-generate-proposals-single-image-6",
       {{"im_info", kFloats}, {"anchors", kFloats, 0}, {"deltas", kFloats, 0}, {"scores", kFloats, 0}}});
}
}  // namespace wasmvino::ops
