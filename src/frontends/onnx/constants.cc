// SPDX-License-Identifier: Apache-2.0
// Operators that make values from attributes and shapes.
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

template <typename T, typename List>
Tensor tensor_of(Shape shape, const List& values) {
  Tensor made(ElementTypeOf<T>::value, std::move(shape));
  std::copy(values.begin(), values.end(), made.mutable_data<T>());
  return made;
}

template <typename List>
Shape length(const List& list) {
  return {static_cast<int64_t>(list.size())};
}

void constant(Context& c) {
  model::Builder& b = c.b();
  if (c.has("value")) return c.give(c.tensor("value"));
  if (c.has("sparse_value")) return c.give(c.tensor("sparse_value"));
  if (c.has("value_float"))
    return c.give(b.constant(Tensor::scalar(static_cast<float>(c.real("value_float")))));
  if (c.has("value_int")) return c.give(b.scalar(c.integer("value_int")));
  if (c.has("value_string")) return c.give(b.constant(Tensor::scalar(c.word("value_string"))));
  if (c.has("value_floats")) {
    const model::Floats list = c.reals("value_floats");
    return c.give(b.constant(tensor_of<float>(length(list), list)));
  }
  if (c.has("value_ints")) return c.give(b.list(c.ints("value_ints")));
  if (c.has("value_strings")) {
    const std::vector<std::string> list = c.words("value_strings");
    return c.give(b.constant(tensor_of<std::string>(length(list), list)));
  }
  fail(ErrorCode::kInvalidModel, "has no value");
}

void constant_of_shape(Context& c) {
  const Source value =
      c.has("value") ? reshape(c.b(), c.tensor("value"), Ints()) : c.b().scalar(0, ElementType::kF32);
  c.give(c.b().add("Broadcast", {value, c.input()}));
}

// ConstantFill, an experimental operator of old models.
void constant_fill(Context& c) {
  const ElementType type = c.element_type("dtype", ElementType::kF32);
  if (c.flag("input_as_shape") || !c.has_input(0)) {
    const Source shape =
        c.has_input(0) ? convert(c.b(), c.input(), ElementType::kI64) : c.b().list(c.ints("shape"));
    return c.give(c.b().add("Broadcast", {c.b().scalar(c.real("value", 0), type), shape}));
  }
  c.give(c.b().add("Broadcast", {c.b().scalar(c.real("value", 0), type), shape_of(c.b(), c.input())}));
}

void eye_like(Context& c) {
  const Source x = c.input(), shape = shape_of(c.b(), x);
  const ElementType type = c.element_type("dtype", c.b().type(x));
  c.give(c.b().add("Eye",
                   {select(c.b(), shape, 0, 0), select(c.b(), shape, 0, 1), c.b().scalar(c.integer("k", 0))},
                   {{"output_type", type}}));
}

void range(Context& c) {
  const auto scalar = [&](size_t i) {
    const PartialShape& shape = c.b().shape(c.input(i));
    return shape.has_rank() && shape.rank() == 0 ? c.input(i) : reshape(c.b(), c.input(i), Ints());
  };
  c.give(c.b().add("Range", {scalar(0), scalar(1), scalar(2)}, {{"output_type", c.b().type(c.input(0))}}));
}

constexpr Entry kEntries[] = {
    {"Constant", kAllOpsets, constant, ""},
    {"ConstantFill", kAllOpsets, constant_fill, "Broadcast"},
    {"ConstantOfShape", kAllOpsets, constant_of_shape, "Broadcast"},
    {"EyeLike", kAllOpsets, eye_like, "Eye"},
    {"Range", kAllOpsets, range, "Range"},
};

}  // namespace

std::span<const Entry> constants() { return kEntries; }

}  // namespace wasmvino::onnx
