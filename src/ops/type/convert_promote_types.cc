// SPDX-License-Identifier: Apache-2.0
// ConvertPromoteTypes: converts both inputs to one element type that holds the values of both, if there is
// one.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/type/convert-promote-types-14.html
#include <algorithm>

#include "model/registry.h"
#include "ops/elements/convert.h"

namespace wasmvino::ops::convert_promote_types {

// Floating point before integers before boolean.
int priority(ElementType type) { return type == ElementType::kBoolean ? 0 : is_integral(type) ? 1 : 2; }

constexpr TypeSet kPromoted =
    kNumbers | kBoolean |
    TypeSet{ElementType::kU1, ElementType::kI4, ElementType::kU4, ElementType::kF8e4m3, ElementType::kF8e5m2};

class ConvertPromoteTypes final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("promote_unsafe", unsafe_);
    visitor.on("pytorch_scalar_promotion", pytorch_scalars_);
    visitor.on("u64_integer_promotion_target", u64_target_);
  }

  size_t least_outputs() const override { return 2; }
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const ElementType type = common_type(context);
    context.set_output(0, type, context.input_shape(0));
    context.set_output(1, type, context.input_shape(1));
  }

  std::optional<ViewOf> view_of(const CompileContext& context, size_t output) const override {
    if (context.input_type(output) != context.output_type(output)) return std::nullopt;
    return ViewOf{output, 0};
  }

  void evaluate(EvalContext& context) const override {
    for (const size_t i : {0, 1}) {
      if (context.output(i).memory == context.input(i).memory) continue;  // a view
      convert_elements(context.input(i), context.output(i), context.parallel());
    }
  }

 private:
  ElementType common_type(const InferContext& context) const {
    const ElementType a = context.input_type(0);
    const ElementType b = context.input_type(1);
    if (a == ElementType::kDynamic || b == ElementType::kDynamic) return ElementType::kDynamic;
    if (a == b) return a;
    if (priority(a) != priority(b)) return priority(a) > priority(b) ? of_kinds(a, b) : of_kinds(b, a);
    const PartialShape& a_shape = context.input_shape(0);
    const PartialShape& b_shape = context.input_shape(1);
    if (pytorch_scalars_) {
      if (!a_shape.has_rank() || !b_shape.has_rank()) return ElementType::kDynamic;
      if (a_shape.rank() == 0 && b_shape.rank() > 0) return of_scalar(a, b);
      if (b_shape.rank() == 0 && a_shape.rank() > 0) return of_scalar(b, a);
    }
    if (is_real(a)) return of_reals(a, b);
    return is_signed(a) == is_signed(b) ? wider(a, b) : is_signed(a) ? of_signs(a, b) : of_signs(b, a);
  }

  static ElementType wider(ElementType a, ElementType b) { return bit_width(a) > bit_width(b) ? a : b; }

  // Throws if the conversion to `type` is unsafe and the attributes require safety.
  ElementType unless_safe(ElementType type, ElementType a, ElementType b) const {
    if (!unsafe_) {
      fail(ErrorCode::kInvalidType, "types ", a, " and ", b,
           " have no safe common type ('promote_unsafe' is false)");
    }
    return type;
  }

  ElementType of_kinds(ElementType higher, ElementType lower) const {
    const bool safe = !is_integral(lower) || bit_width(higher) >= 2 * bit_width(lower);
    return safe ? higher : unless_safe(higher, higher, lower);
  }

  // The array's type. OpenVINO considers a scalar safe if it is not wider than the array; an unsigned scalar
  // may be twice as wide as a signed array.
  ElementType of_scalar(ElementType scalar, ElementType array) const {
    const bool array_is_signed = is_signed(array);
    const size_t limit = bit_width(array) * (array_is_signed && !is_signed(scalar) ? 2 : 1);
    const bool safe = bit_width(scalar) <= limit && (array_is_signed || !is_signed(scalar));
    return safe ? array : unless_safe(array, scalar, array);
  }

  ElementType of_reals(ElementType a, ElementType b) const {
    if (bit_width(a) != bit_width(b)) return wider(a, b);
    // The two 16-bit types, or the two 8-bit types: neither holds the other.
    return unless_safe(bit_width(a) == 16 ? ElementType::kF32 : ElementType::kF16, a, b);
  }

  ElementType of_signs(ElementType with_sign, ElementType without) const {
    if (bit_width(with_sign) >= 2 * bit_width(without)) return with_sign;
    switch (without) {
      case ElementType::kU4:
        return unless_safe(ElementType::kI8, with_sign, without);
      case ElementType::kU8:
        return unless_safe(ElementType::kI16, with_sign, without);
      case ElementType::kU16:
        return unless_safe(ElementType::kI32, with_sign, without);
      case ElementType::kU32:
        return unless_safe(ElementType::kI64, with_sign, without);
      default:
        return unless_safe(u64_target_, with_sign, without);
    }
  }

  bool unsafe_ = false;
  bool pytorch_scalars_ = false;
  ElementType u64_target_ = ElementType::kF32;
};

}  // namespace wasmvino::ops::convert_promote_types

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(convert_promote_types) {
  registry.add<convert_promote_types::ConvertPromoteTypes>(
      {"ConvertPromoteTypes",
       {14},
       "type/convert-promote-types-14",
       {{"input 0", convert_promote_types::kPromoted}, {"input 1", convert_promote_types::kPromoted}}});
}
}  // namespace wasmvino::ops
