// SPDX-License-Identifier: Apache-2.0
// MaxPool without indices, or AvgPool, whose data and output may be channels last. Made by passes.
#pragma once

#include <memory>

#include "model/node.h"
#include "ops/pooling/pooling.h"

namespace wasmvino::ops {

class ChannelsLastPooling final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "ChannelsLastPooling";

  // `version` is that of the original MaxPool or AvgPool, which errors name.
  ChannelsLastPooling(kernels::Pooling kind, int version, PoolAttributes attributes, EdgeLayouts layouts)
      : kind_(kind), version_(version), attributes_(std::move(attributes)), layouts_(layouts) {}

  kernels::Pooling kind() const { return kind_; }
  int version() const { return version_; }
  const PoolAttributes& attributes() const { return attributes_; }
  std::optional<EdgeLayouts> edge_layouts() const override { return layouts_; }
  std::shared_ptr<Op> with_edge_layouts(EdgeLayouts layouts) const override {
    return std::make_shared<ChannelsLastPooling>(kind_, version_, attributes_, layouts);
  }

  void infer(InferContext& context) const override {
    try {
      context.expect_inputs(1);
      const PartialShape output =
          infer_pooling(relaid(context.input_shape(0), layouts_.in, Layout::kChannelsFirst), attributes_);
      context.set_output(0, context.input_type(0), relaid(output, Layout::kChannelsFirst, layouts_.out));
    } catch (Error& error) {
      const Node& node = context.node();
      error.at_layer(node.name, kind_ == kernels::Pooling::kMaximum ? "MaxPool" : "AvgPool", node.id,
                     version_, node.line);
      throw;
    }
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  kernels::Pooling kind_;
  int version_;
  PoolAttributes attributes_;
  EdgeLayouts layouts_;
};

}  // namespace wasmvino::ops
