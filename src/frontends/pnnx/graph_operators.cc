// SPDX-License-Identifier: Apache-2.0
// pnnx's own operators: constants, expressions, tuples.
#include <cmath>
#include <limits>

#include "core/saturate.h"
#include "frontends/pnnx/arithmetic.h"
#include "frontends/pnnx/calls.h"
#include "frontends/pnnx/complex.h"
#include "frontends/pnnx/expression.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

void attribute(Context& c) {
  if (c.op().attributes.size() != 1) {
    fail(ErrorCode::kInvalidModel, "has ", c.op().attributes.size(), " attributes, expected one");
  }
  const AttributeText& text = c.op().attributes[0];
  Value value;
  value.tensors = {c.weight(text.name)};
  value.is_complex = text.is_complex;
  c.give_value(std::move(value));
}

// A tuple may contain the one before it twice, so its length may double with each line of the file.
constexpr size_t kLongestTuple = size_t{1} << 16;

void tuple(Context& c) {
  Value value;
  value.is_tuple = true;
  size_t length = 0;
  for (size_t i = 0; i < c.input_count(); ++i) length += c.value(i).tensors.size();
  if (length > kLongestTuple) {
    fail(ErrorCode::kUnsupported, "makes a tuple of ", length, " tensors, expected at most ", kLongestTuple);
  }
  for (size_t i = 0; i < c.input_count(); ++i) {
    const std::vector<Source>& parts = c.value(i).tensors;
    value.tensors.insert(value.tensors.end(), parts.begin(), parts.end());
    value.is_complex |= c.is_complex(i);
  }
  c.give_value(std::move(value));
}

void untuple(Context& c) {
  if (!c.value(0).is_tuple) fail(ErrorCode::kInvalidModel, "its input is no tuple");
  if (c.is_complex(0)) fail(ErrorCode::kUnsupported, "takes complex numbers out of a tuple");
  c.give(tensors_of(c, 0));
}

// A value of an expression: either a number, which takes the type of the tensor it is combined with, or a
// tensor. Sizes, and values computed from them, are 0-D tensors.
struct Term {
  std::optional<double> number;
  bool integral = false;
  Source tensor;
  bool is_complex = false;
  double imaginary = 0;  // of a complex number
};

Source scalar_of(Context& c, const Term& term, ElementType type) {
  if (!term.is_complex) return c.b().scalar(*term.number, type);
  const double parts[] = {*term.number, term.imaginary};
  return convert(c, c.b().constant(Tensor::of<double>({2}, parts)), type);
}

Source tensor_of(Context& c, const Term& term) {
  if (!term.number) return term.tensor;
  return scalar_of(c, term, term.integral ? ElementType::kI64 : ElementType::kF32);
}

Term evaluate(Context& c, const Expression& expression);

// A number takes the type of the tensor if that type can hold it.
Source operand(Context& c, const Term& term, const Term& other) {
  if (!term.number || other.number) return tensor_of(c, term);
  const ElementType type = c.b().type(other.tensor);
  if (is_real(type)) return scalar_of(c, term, type);
  return term.integral && type != ElementType::kBoolean ? c.b().scalar(*term.number, type)
                                                        : tensor_of(c, term);
}

Term evaluate_complex(Context& c, std::string_view name, const std::vector<Term>& arguments) {
  const auto number = [&](size_t i) {
    const Term& other = arguments[arguments.size() - 1 - i];
    return Number{operand(c, arguments[i], other), arguments[i].is_complex};
  };
  const Number made = arguments.size() == 1 ? complex_unary(c, name, number(0).value)
                                            : complex_binary(c, name, number(0), number(1));
  Term term;
  term.tensor = made.value;
  term.is_complex = made.is_complex;
  return term;
}

// pnnx drops the rounding of torch.div. If the file declares integers for the result, a quotient of integers
// is rounded down.
std::string_view integral_name(Context& c, std::string_view name, const std::vector<Term>& arguments) {
  if (name != "div" || c.op().outputs.empty()) return name;
  const ElementType declared = c.declared_output().type;
  const auto is_integer = [](ElementType type) {
    return type != ElementType::kDynamic && type != ElementType::kBoolean && !is_real(type);
  };
  for (const Term& argument : arguments) {
    if (argument.number ? !argument.integral : !is_integer(c.b().type(argument.tensor))) return name;
  }
  return is_integer(declared) ? "floor_divide" : name;
}

Term evaluate_call(Context& c, const Expression& call) {
  std::vector<Term> arguments;
  bool any_complex = false;
  for (const Expression& argument : call.arguments) {
    arguments.push_back(evaluate(c, argument));
    any_complex |= arguments.back().is_complex;
  }
  const auto made = [](const Source& tensor) { return Term{std::nullopt, false, tensor}; };
  if (call.text == "size" && (arguments.size() == 1 || arguments.size() == 2)) {
    const Source x = tensor_of(c, arguments[0]);
    if (arguments.size() == 1 && !any_complex) return made(shape_of(c, x));
    if (arguments.size() == 1) return made(slice(c, shape_of(c, x), 0, 0, -1));
    if (!arguments[1].number) fail(ErrorCode::kUnsupported, "asks for the size of an axis that is computed");
    const size_t rank = c.b().rank(x) - (any_complex ? 1 : 0);
    const int64_t axis = c.axis(saturated_int64(*arguments[1].number), rank);
    const Dimension size = c.b().shape(x)[static_cast<size_t>(axis)];
    if (size.is_static()) return {static_cast<double>(size.size()), true, {}};
    return made(length_of(c, x, axis));
  }
  if (any_complex && (arguments.size() == 1 || arguments.size() == 2)) {
    return evaluate_complex(c, call.text, arguments);
  }
  if (call.text == "int" && arguments.size() == 1) {
    if (arguments[0].number) return {std::trunc(*arguments[0].number), true, {}};
    return made(convert(c, arguments[0].tensor, ElementType::kI64));
  }
  if (call.text == "torch.float" && arguments.size() == 1) {
    if (arguments[0].number) return {*arguments[0].number, false, {}};
    return made(convert(c, arguments[0].tensor, ElementType::kF32));
  }
  if (const Unary unary = find_unary(call.text); unary != nullptr && arguments.size() == 1) {
    return made(unary(c, tensor_of(c, arguments[0])));
  }
  if (const Binary binary = find_binary(integral_name(c, call.text, arguments));
      binary != nullptr && arguments.size() == 2) {
    return made(binary(c, operand(c, arguments[0], arguments[1]), operand(c, arguments[1], arguments[0])));
  }
  fail(ErrorCode::kUnsupported, "calls ", call.text, " with ", arguments.size(),
       " arguments, which is no known function");
}

Term evaluate(Context& c, const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::kInput:
      return {std::nullopt, false, c.any_input(expression.input), c.is_complex(expression.input)};
    case Expression::Kind::kNumber:
      return {expression.number, expression.integral, {}};
    case Expression::Kind::kComplex:
      return {expression.number, false, {}, true, expression.imaginary};
    case Expression::Kind::kCall:
      return evaluate_call(c, expression);
    case Expression::Kind::kWord:
      if (expression.text == "True" || expression.text == "False") {
        return {std::nullopt, false, c.b().scalar(expression.text == "True", ElementType::kBoolean)};
      }
      break;
    case Expression::Kind::kList:
      break;
  }
  fail(ErrorCode::kUnsupported, "has a part that is neither a number nor a tensor: '", expression.text, "'");
}

// Sizes and indices are real.
Term real_term(Context& c, const Expression& expression) {
  Term term = evaluate(c, expression);
  if (term.is_complex)
    fail(ErrorCode::kUnsupported,
         "a size, an index or an element of its list is complex, expected real numbers");
  return term;
}

// The elements of a list; none if one of them is None, a word or a list.
std::vector<Element> elements_of(Context& c, const Expression& list) {
  std::vector<Element> elements;
  for (const Expression& part : list.arguments) {
    if (part.kind == Expression::Kind::kWord || part.kind == Expression::Kind::kList) return {};
  }
  for (const Expression& part : list.arguments) {
    const Term term = real_term(c, part);
    elements.push_back({term.number, term.integral, term.tensor});
  }
  return elements;
}

// A list of sizes: a 1-D i64 tensor.
Source list_of(Context& c, const std::vector<Element>& elements) {
  Ints known;
  std::vector<Source> parts;
  bool all_known = true;
  for (const Element& element : elements) {
    all_known &= element.number.has_value();
    known.push_back(element.number ? saturated_int64(*element.number) : 0);
    parts.push_back(element.number ? c.b().list({known.back()})
                                   : reshape(c, convert(c, element.tensor, ElementType::kI64), {1}));
  }
  return all_known ? c.b().list(known) : concat_lists(c, parts);
}

// Whether all tensors of a list are numbers: computed from sizes, or integers of one element. Otherwise it is
// a list of tensors or indices.
bool is_list_of_sizes(Context& c, const Expression& list, const std::vector<Element>& elements) {
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].number) continue;
    const PartialShape& shape = c.b().shape(elements[i].tensor);
    const ElementType type = c.b().type(elements[i].tensor);
    if (list.arguments[i].kind == Expression::Kind::kCall && shape.has_rank() && shape.rank() == 0) continue;
    if (is_real(type) || type == ElementType::kBoolean || !shape.is_static() ||
        element_count(shape.to_shape()) != 1) {
      return false;
    }
  }
  return elements.size() == list.arguments.size();
}

void expression(Context& c) {
  const Parameter* text = c.find("expr");
  if (text == nullptr) fail(ErrorCode::kInvalidModel, "lacks its parameter expr");
  Value value;
  value.literal = *text;
  if (const auto* number = std::get_if<int64_t>(text)) {
    value.tensors = {c.b().scalar(*number)};
  } else if (const auto* real = std::get_if<double>(text)) {
    value.tensors = {c.b().scalar(*real, ElementType::kF32)};
  } else if (const auto* flag = std::get_if<bool>(text)) {
    value.tensors = {c.b().scalar(*flag, ElementType::kBoolean)};
  } else if (const auto* words = std::get_if<std::string>(text)) {
    const Expression parsed = parse_expression(*words);
    if (parsed.kind == Expression::Kind::kList) {
      for (size_t i = 0; i < c.input_count(); ++i) value.list_inputs.push_back(c.any_input(i));
      value.elements = elements_of(c, parsed);
      // Tensors stay separate, for the operator that uses them.
      value.is_tuple = !is_list_of_sizes(c, parsed, value.elements);
      if (!value.is_tuple) value.tensors = {list_of(c, value.elements)};
    } else if (parsed.kind != Expression::Kind::kWord) {
      const Term term = evaluate(c, parsed);
      value.tensors = {tensor_of(c, term)};
      value.is_complex = term.is_complex;
      // Infinity and NaN are words to the parser of parameters.
      value.literal =
          parsed.kind == Expression::Kind::kNumber ? std::optional<Parameter>(parsed.number) : std::nullopt;
    }
  }
  c.give_value(std::move(value));
}

// Indices for Tensor.slice: numbers, and inputs as @0.
void slice_indexes(Context& c) {
  const Parameter* found = c.find("indexes");
  Value value;
  value.is_tuple = true;
  if (found == nullptr) fail(ErrorCode::kInvalidModel, "lacks its parameter indexes");
  if (const auto* numbers = std::get_if<Ints>(found)) {
    for (const int64_t number : *numbers) value.tensors.push_back(c.b().list({number}));
  } else if (const auto* words = std::get_if<std::vector<std::string>>(found)) {
    for (const std::string& word : *words) {
      const Term term = real_term(c, parse_expression(word));
      value.tensors.push_back(reshape(c, convert(c, tensor_of(c, term), ElementType::kI64), {1}));
    }
  } else {
    fail(ErrorCode::kInvalidModel, "its parameter indexes is no list (", c.op().parameter_text, ")");
  }
  c.give_value(std::move(value));
}

// The operations that the functions of arithmetic.cc make.
constexpr std::string_view kExpressionOperations =
    "Abs Acos Acosh Add Asin Asinh Atan Atanh BitwiseAnd BitwiseLeftShift BitwiseNot BitwiseOr "
    "BitwiseRightShift BitwiseXor Ceiling Cos Cosh Divide Equal Erf Exp Floor FloorMod Greater "
    "GreaterEqual IsInf IsNaN Less LessEqual Log LogicalAnd LogicalNot LogicalOr LogicalXor Maximum Minimum "
    "Mod Multiply Negative NotEqual Pad Power ReduceL2 ReduceSum Relu Round Select Sigmoid Sign Sin Sinh "
    "Sqrt Subtract Tan Tanh";

constexpr Entry kEntries[] = {
    {"pnnx.Attribute", attribute, "Constant"}, {"pnnx.Expression", expression, kExpressionOperations},
    {"pnnx.SliceIndexes", slice_indexes, ""},  {"prim::ListConstruct", tuple, ""},
    {"prim::ListUnpack", untuple, ""},         {"prim::TupleConstruct", tuple, ""},
    {"prim::TupleUnpack", untuple, ""},
};

}  // namespace

std::span<const Entry> graph_operators() { return kEntries; }

}  // namespace wasmvino::pnnx
