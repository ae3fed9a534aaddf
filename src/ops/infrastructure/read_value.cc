// SPDX-License-Identifier: Apache-2.0
// ReadValue: the value of a variable, or its initial value while the variable is not set.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/infrastructure/read-value-6.html
#include <algorithm>

#include "model/registry.h"

namespace wasmvino::ops::read_value {

class ReadValue final : public Op {
 public:
  explicit ReadValue(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("variable_id");
    visitor.on("variable_id", variable_id_);
    if (version_ >= 6) {
      visitor.on("variable_type", type_);
      visitor.on("variable_shape", shape_);
    }
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(version_ >= 6 ? 0 : 1, 1);
    if (const Variable* variable = context.variable(variable_id_); variable != nullptr && variable->value) {
      context.set_output(0, variable->value.type(), variable->value.shape());
      return;
    }
    if (context.input_count() == 0) {
      infer_without_initial_value(context);
      return;
    }
    const ElementType type = context.input_type(0);
    if (type_ != ElementType::kDynamic && type != ElementType::kDynamic && type != type_) {
      fail(ErrorCode::kInvalidType, "the initial value is of type ", type, ", variable '", variable_id_,
           "' of ", type_);
    }
    // While a request runs the shape is that of the initial value; before, all that the variable allows.
    const PartialShape& initial = context.input_shape(0);
    if (version_ >= 6 && !shape_.compatible(initial)) {
      fail(ErrorCode::kInvalidShape, "the initial value has shape ", initial, ", variable '", variable_id_,
           "' ", shape_);
    }
    const bool running = context.variable(variable_id_) != nullptr;
    context.set_output(0, type, running || version_ < 6 ? initial : shape_);
  }

  std::optional<ViewOf> view_of(const CompileContext&, size_t) const override { return ViewOf{0, 0}; }
  bool is_pure() const override { return false; }
  std::string_view reads_variable() const override { return variable_id_; }
  std::shared_ptr<Op> with_variable_shape(const PartialShape& shape) const override {
    if (version_ < 6) return nullptr;
    auto op = std::make_shared<ReadValue>(*this);
    op->shape_ = shape;
    return op;
  }

 private:
  // OpenVINO starts such a variable with zeros; dynamic dimensions are 0.
  void infer_without_initial_value(InferContext& context) const {
    if (type_ == ElementType::kDynamic) {
      fail(ErrorCode::kInvalidType, "variable '", variable_id_,
           "' has neither an initial value nor an element type: expected one in variable_type");
    }
    if (context.variable(variable_id_) == nullptr) {
      context.set_output(0, type_, shape_);
      return;
    }
    Shape shape;
    if (shape_.has_rank()) {
      for (const Dimension size : shape_) shape.push_back(size.min);
    }
    Tensor zeros(type_, shape);
    if (type_ != ElementType::kString) std::fill_n(zeros.mutable_data<char>(), zeros.byte_size(), char{0});
    context.set_output_value(0, std::move(zeros));
  }

  int version_;
  std::string variable_id_;
  ElementType type_ = ElementType::kDynamic;
  PartialShape shape_;
};

}  // namespace wasmvino::ops::read_value

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(read_value) {
  registry.add<read_value::ReadValue>(
      {"ReadValue", {3, 6}, "infrastructure/read-value-6", {{"the initial value", kAllTypes}}});
}
}  // namespace wasmvino::ops
