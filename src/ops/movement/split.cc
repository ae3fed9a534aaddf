// SPDX-License-Identifier: Apache-2.0
// Split: equal parts along an axis.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/split-1.html
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/split_outputs.h"

namespace wasmvino::ops::split {

class Split final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("num_splits");
    visitor.on("num_splits", num_splits_);
  }

  bool copies_elements() const override { return true; }
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    if (num_splits_ < 1)
      fail(ErrorCode::kInvalidModel, "attribute 'num_splits' is ", num_splits_, ", expected 1 or more");
    if (context.output_count() > static_cast<size_t>(num_splits_)) {
      fail(ErrorCode::kInvalidModel, "the layer has ", context.output_count(),
           " outputs, but attribute 'num_splits' is ", num_splits_);
    }
    PartialShape part = context.input_shape(0);
    const std::optional<int64_t> axis = known_int(context, 1, "axis");
    if (part.has_rank() && axis) {
      Dimension& size = part[normalize_axis(*axis, part.rank())];
      if (size.is_static() && size.size() % num_splits_ != 0) {
        fail(ErrorCode::kInvalidShape, "axis ", *axis, " of shape ", part, " is not divisible into ",
             num_splits_, " parts");
      }
      size = {(size.min + num_splits_ - 1) / num_splits_,
              size.max == Dimension::kUnbounded ? size.max : size.max / num_splits_};
    } else if (part.has_rank()) {
      part = PartialShape::of_rank(part.rank());
    }
    for (size_t i = 0; i < context.output_count(); ++i) context.set_output(i, context.input_type(0), part);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return split_kernel(context, axis_of(context));
  }
  std::vector<std::optional<ViewOf>> views(const CompileContext& context) const override {
    return split_views(context, axis_of(context));
  }
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override {
    return channels_last_split(node);
  }

 private:
  static size_t axis_of(const CompileContext& context) {
    return normalize_axis(context.constant_ints(1)->front(), context.input_shape(0).size());
  }

  int64_t num_splits_ = 1;
};

}  // namespace wasmvino::ops::split

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(split) {
  registry.add<split::Split>(
      {"Split", {1}, "movement/split-1", {{"data", kAllTypes}, {"axis", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
