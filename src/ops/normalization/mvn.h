// SPDX-License-Identifier: Apache-2.0
// MVN: subtracts the mean along axes and divides by the standard deviation.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/normalization/mvn-6.html
#pragma once

#include "model/node.h"

namespace wasmvino::ops::mvn {

enum class EpsMode { kInsideSqrt, kOutsideSqrt };

struct MvnAttributes {
  double eps = 1e-9;
  bool normalize_variance = true;
  EpsMode eps_mode = EpsMode::kInsideSqrt;
  // Only in MVN-1, which has no input for axes.
  bool across_channels = true;
  Ints reduction_axes = {};
};

class MVN final : public OpWithAttributes<MVN, MvnAttributes> {
 public:
  static constexpr std::string_view kType = "MVN";

  explicit MVN(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override;

  void infer(InferContext& context) const override;

  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

  // Only for quantised data, which are computed in integers. In f32, rows are faster than columns.
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override;

  // For MVN-1: the axes that the attribute lists, or all axes after the batch, or after the channels.
  Ints attribute_axes(size_t rank) const;

 private:
  int version_;
};

}  // namespace wasmvino::ops::mvn
