// SPDX-License-Identifier: Apache-2.0
// Transpose: permutes axes; an empty order reverses them.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/transpose-1.html
#pragma once

#include "model/node.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::transpose {

class Transpose final : public CopyOp {
 public:
  static constexpr std::string_view kType = "Transpose";
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }

  void infer(InferContext& context) const override;
  // Gives the data if the order is the identity, and merges two consecutive Transposes into one.
  std::optional<Source> simplify(const Node& node, Model& model) const override;
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override;

 protected:
  StridedCopy plan(const CompileContext& context) const override;

 private:
  // The order as axes 0..rank-1, each exactly once.
  static Ints normalized(const Ints& order, size_t rank);
};

}  // namespace wasmvino::ops::transpose
