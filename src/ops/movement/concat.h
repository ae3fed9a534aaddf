// SPDX-License-Identifier: Apache-2.0
// Concat: joins tensors along an axis.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/concat-1.html
#pragma once

#include "model/op.h"

namespace wasmvino::ops::concat {

struct ConcatAttributes {
  int64_t axis = 0;  // negative values count from the rank
};

class Concat final : public OpWithAttributes<Concat, ConcatAttributes> {
 public:
  static constexpr std::string_view kType = "Concat";

  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("axis", attributes_.axis); }
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override;
  std::vector<size_t> places_of_inputs(const CompileContext& context) const override;
};

}  // namespace wasmvino::ops::concat
