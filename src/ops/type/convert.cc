// SPDX-License-Identifier: Apache-2.0
#include "ops/type/convert.h"

namespace wasmvino::ops::convert {

void Convert::visit_attributes(AttributeVisitor& visitor) {
  visitor.require("destination_type");
  visitor.on("destination_type", attributes_.destination_type);
}

void Convert::infer(InferContext& context) const {
  context.expect_inputs(1);
  set_result(context, attributes_.destination_type);
}

std::optional<Source> Convert::simplify(const Node& node, Model&) const {
  const ElementType type = port_of(node.inputs[0]).type;
  const bool same = type != ElementType::kDynamic && type == node.outputs[0].type;
  return same ? std::optional(node.inputs[0]) : std::nullopt;
}

std::shared_ptr<Op> Convert::with_f32_results() const {
  if (!is_half_precision(attributes_.destination_type)) return nullptr;
  auto op = std::make_shared<Convert>(*this);
  op->attributes_.destination_type = ElementType::kF32;
  return op;
}

}  // namespace wasmvino::ops::convert

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(convert) {
  registry.add<convert::Convert>({"Convert", {1}, "type/convert-1", {{"data", kAllTypes}}, 17});
}
}  // namespace wasmvino::ops
