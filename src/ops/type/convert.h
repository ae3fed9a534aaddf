// SPDX-License-Identifier: Apache-2.0
// Convert: the same values in another element type.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/type/convert-1.html
#pragma once

#include "ops/elementwise/type_op.h"

namespace wasmvino::ops::convert {

struct ConvertAttributes {
  ElementType destination_type = ElementType::kDynamic;
};

class Convert final : public OpWithAttributes<Convert, ConvertAttributes, TypeOp> {
 public:
  static constexpr std::string_view kType = "Convert";

  void visit_attributes(AttributeVisitor& visitor) override;

  void infer(InferContext& context) const override;

  // Gives the data if the type stays the same.
  std::optional<Source> simplify(const Node& node, Model&) const override;

  std::shared_ptr<Op> with_f32_results() const override;
};

}  // namespace wasmvino::ops::convert
