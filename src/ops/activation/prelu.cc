// SPDX-License-Identifier: Apache-2.0
// PRelu: x above 0, otherwise slope x. A 1-D slope with the length of the data's axis 1 applies to that axis.
// Any other slope is broadcast by numpy's rule.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/prelu-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::prelu {

struct Leaky {
  template <typename T>
  static T apply(T x, T slope) {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? static_cast<T>(std::make_unsigned_t<T>(x) * std::make_unsigned_t<T>(slope)) : x;
    } else {
      return x < 0 ? x * slope : x;
    }
  }
};

constexpr LoopTable kLoops = scalar_loops<Leaky>(binary_kernel_loop<float>);

class PRelu final : public ElementwiseOp {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const PartialShape& data = context.input_shape(0);
    const PartialShape& slope = context.input_shape(1);
    if (data.has_rank() && slope.has_rank()) {
      const bool channels = data.rank() > 1 && slope.rank() == 1 && slope[0].compatible(data[1]);
      const auto result = broadcast(data, channels ? along_channels(slope, data.rank()) : slope);
      if (!result || !result->compatible(data)) {
        throw Error(ErrorCode::kInvalidShape,
                    cat("a slope of shape ", slope, " cannot be broadcast to data of shape ", data))
            .expected(cat(data))
            .actual(cat(slope));
      }
    }
    context.set_output(0, context.input_type(0), data);
  }

  ElementwiseFunction function(ElementType type) const override {
    ElementwiseFunction function = choose_loop(kLoops, type);
    function.parameters.binary = kernels::Binary::kPrelu;
    return function;
  }

  Shape aligned_shape(const CompileContext& context, size_t i) const override {
    const Shape data = context.input_shape(0);
    Shape slope = context.input_shape(i);
    if (i == 1 && data.size() > 1 && slope.size() == 1 && slope[0] == data[1])
      slope.resize(data.size() - 1, 1);
    return align_shape(AutoBroadcast::kNumpy, slope, data.size());
  }

  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override {
    std::optional<ChannelsLastForm> form = ElementwiseOp::channels_last_form(node);
    const Source slope = node.inputs[1];
    if (!form || shape_of(slope).rank() != 1) return form;
    // One slope per channel. In 1-D form, it would be aligned with axis 1.
    if (!is_constant(slope)) return std::nullopt;
    const Tensor value = slope.node->constant->value();
    Shape aligned(node.outputs[0].shape.rank(), 1);
    aligned.back() = value.shape()[0];
    form->replace(1, value.reshape(aligned));
    return form;
  }

 private:
  static PartialShape along_channels(PartialShape slope, size_t rank) {
    while (slope.rank() < rank - 1) slope.push_back(1);
    return slope;
  }
};

}  // namespace wasmvino::ops::prelu

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(prelu) {
  registry.add<prelu::PRelu>({"PRelu", {1}, "activation/prelu-1", {{"data", kNumbers}, {"slope", kNumbers}}});
}
}  // namespace wasmvino::ops
