// SPDX-License-Identifier: Apache-2.0
// ReadValue: the value of a variable, or its initial value while the variable is not set.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/infrastructure/read-value-6.html
#pragma once

#include <string>

#include "model/op.h"

namespace wasmvino::ops::read_value {

struct ReadValueAttributes {
  std::string variable_id;
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  // The form of the output, and of `type` and `shape`. Passes change it.
  VariableForm form;
};

class ReadValue final : public OpWithAttributes<ReadValue, ReadValueAttributes> {
 public:
  static constexpr std::string_view kType = "ReadValue";

  explicit ReadValue(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override;
  void infer(InferContext& context) const override;
  std::optional<ViewOf> view_of(const CompileContext&, size_t) const override { return ViewOf{0, 0}; }
  bool is_pure() const override { return false; }
  std::string_view reads_variable() const override { return attributes_.variable_id; }
  VariableForm variable_form() const override { return attributes_.form; }
  std::shared_ptr<Op> with_variable_shape(const PartialShape& shape) const override;

 private:
  void infer_without_initial_value(InferContext& context) const;

  int version_;
};

}  // namespace wasmvino::ops::read_value
