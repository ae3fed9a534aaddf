// SPDX-License-Identifier: Apache-2.0
// Base class of operations whose only result is input 0 in another element type.
#pragma once

#include "model/registry.h"
#include "ops/elements/convert.h"

namespace wasmvino::ops {

class TypeOp : public Op {
 public:
  std::optional<ViewOf> view_of(const CompileContext& context, size_t) const override {
    if (context.input_type(0) != context.output_type(0)) return std::nullopt;
    return ViewOf{0, 0};
  }
  bool can_overwrite(const CompileContext& context, size_t input, size_t) const override {
    return input == 0 && bit_width(context.input_type(0)) == bit_width(context.output_type(0));
  }
  void evaluate(EvalContext& context) const override {
    convert_elements(context.input(0), context.output(0), context.parallel());
  }

 protected:
  // Sets output 0. Throws Error(kUnsupported) for types without conversion.
  static void set_result(InferContext& context, ElementType type) {
    const ElementType from = context.input_type(0);
    if (from != type && (from == ElementType::kString || type == ElementType::kString)) {
      fail(ErrorCode::kUnsupported, "conversion from type ", from, " to ", type, " is not supported");
    }
    context.set_output(0, type, context.input_shape(0));
  }
};

}  // namespace wasmvino::ops
