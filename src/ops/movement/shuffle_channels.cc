// SPDX-License-Identifier: Apache-2.0
// ShuffleChannels: takes channels from each group in turn.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/shuffle-channels-1.html
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::shuffle_channels {

class ShuffleChannels final : public CopyOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("axis", axis_);
    visitor.on("group", group_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    const PartialShape& data = context.input_shape(0);
    if (group_ < 1) fail(ErrorCode::kInvalidModel, "attribute 'group' is ", group_, ", expected 1 or more");
    if (data.has_rank()) {
      const Dimension channels = data[normalize_axis(axis_, data.rank(), "attribute 'axis'")];
      if (channels.is_static() && channels.size() % group_ != 0) {
        fail(ErrorCode::kInvalidShape, "axis ", axis_, " of data ", data, " is not divisible into ", group_,
             " groups");
      }
    }
    context.set_output(0, context.input_type(0), data);
  }

 protected:
  StridedCopy plan(const CompileContext& context) const override {
    const Shape data = context.input_shape(0);
    const size_t axis = normalize_axis(axis_, data.size());
    const int64_t outer = static_cast<int64_t>(product(data, 0, axis));
    const int64_t inner = static_cast<int64_t>(product(data, axis + 1, data.size()));
    const int64_t in_group = data[axis] / group_;
    const Shape shape = {outer, in_group, group_, inner};
    return StridedCopy(context.output_type(0), shape, {data[axis] * inner, inner, in_group * inner, 1},
                       row_major_strides(shape));
  }

 private:
  int64_t axis_ = 1;
  int64_t group_ = 1;
};

}  // namespace wasmvino::ops::shuffle_channels

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(shuffle_channels) {
  registry.add<shuffle_channels::ShuffleChannels>(
      {"ShuffleChannels", {1}, "movement/shuffle-channels-1", {{"data", kAllTypes}}});
}
}  // namespace wasmvino::ops
