// SPDX-License-Identifier: Apache-2.0
#include "ops/infrastructure/read_value.h"

#include <algorithm>

#include "model/registry.h"

namespace wasmvino::ops::read_value {

void ReadValue::visit_attributes(AttributeVisitor& visitor) {
  visitor.require("variable_id");
  visitor.on("variable_id", attributes_.variable_id);
  if (version_ >= 6) {
    visitor.on("variable_type", attributes_.type);
    visitor.on("variable_shape", attributes_.shape);
  }
}

void ReadValue::infer(InferContext& context) const {
  context.expect_inputs(version_ >= 6 ? 0 : 1, 1);
  if (const Variable* variable = context.variable(attributes_.variable_id);
      variable != nullptr && variable->value) {
    context.set_output(0, variable->value.type(), variable->value.shape());
    return;
  }
  if (context.input_count() == 0) {
    infer_without_initial_value(context);
    return;
  }
  const ElementType type = context.input_type(0);
  if (attributes_.type != ElementType::kDynamic && type != ElementType::kDynamic &&
      type != attributes_.type) {
    fail(ErrorCode::kInvalidType, "the initial value is of type ", type, ", variable '",
         attributes_.variable_id, "' of ", attributes_.type);
  }
  // While a request runs the shape is that of the initial value; before, all that the variable allows.
  const PartialShape& initial = context.input_shape(0);
  if (version_ >= 6 && !attributes_.shape.compatible(initial)) {
    fail(ErrorCode::kInvalidShape, "the initial value has shape ", initial, ", variable '",
         attributes_.variable_id, "' ", attributes_.shape);
  }
  const bool running = context.variable(attributes_.variable_id) != nullptr;
  context.set_output(0, type, running || version_ < 6 ? initial : attributes_.shape);
}

std::shared_ptr<Op> ReadValue::with_variable_shape(const PartialShape& shape) const {
  if (version_ < 6) return nullptr;
  auto op = std::make_shared<ReadValue>(*this);
  op->attributes_.shape = shape;
  return op;
}

// OpenVINO starts such a variable with zeros; dynamic dimensions are 0.
void ReadValue::infer_without_initial_value(InferContext& context) const {
  if (attributes_.type == ElementType::kDynamic) {
    fail(ErrorCode::kInvalidType, "variable '", attributes_.variable_id,
         "' has neither an initial value nor an element type: expected one in variable_type");
  }
  if (context.variable(attributes_.variable_id) == nullptr) {
    context.set_output(0, attributes_.type, attributes_.shape);
    return;
  }
  Shape shape;
  if (attributes_.shape.has_rank()) {
    for (const Dimension size : attributes_.shape) shape.push_back(size.min);
  }
  Tensor zeros(attributes_.type, shape);
  if (attributes_.type != ElementType::kString)
    std::fill_n(zeros.mutable_data<char>(), zeros.byte_size(), char{0});
  context.set_output_value(0, std::move(zeros));
}

}  // namespace wasmvino::ops::read_value

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(read_value) {
  registry.add<read_value::ReadValue>(
      {"ReadValue", {3, 6}, "infrastructure/read-value-6", {{"the initial value", kAllTypes}}});
}
}  // namespace wasmvino::ops
