// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/complex.h"

#include <utility>

#include "frontends/pnnx/arithmetic.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

int64_t last_axis(Context& c, const Source& x) { return static_cast<int64_t>(c.b().rank(x)) - 1; }

// [...] to [..., 1], which is broadcast to both parts of a complex operand.
Source with_axis(Context& c, const Source& real) { return unsqueeze(c, real, last_axis(c, real) + 1); }

Source as_complex(Context& c, Source real) {
  real = as_real(c, real);
  return pad_with_zeros(c, with_axis(c, real), {0, 1});
}

Source as_complex(Context& c, const Number& number) {
  return number.is_complex ? number.value : as_complex(c, number.value);
}

Source magnitude(Context& c, const Source& z) { return reduce(c, "ReduceL2", z, {last_axis(c, z)}, false); }

Source angle(Context& c, const Source& z) {
  return find_binary("atan2")(c, imaginary_part(c, z), real_part(c, z));
}

Source from_polar(Context& c, const Source& length, const Source& angle) {
  return join_parts(c, binary(c, "Multiply", length, c.b().add("Cos", {angle})),
                    binary(c, "Multiply", length, c.b().add("Sin", {angle})));
}

Source multiply(Context& c, const Source& a, const Source& b) {
  const Source ar = real_part(c, a), ai = imaginary_part(c, a), br = real_part(c, b),
               bi = imaginary_part(c, b);
  return join_parts(c, binary(c, "Subtract", binary(c, "Multiply", ar, br), binary(c, "Multiply", ai, bi)),
                    binary(c, "Add", binary(c, "Multiply", ar, bi), binary(c, "Multiply", ai, br)));
}

// conjugate(z) / |z|^2
Source reciprocal(Context& c, const Source& z) {
  const Source squares = reduce(c, "ReduceSum", c.b().add("Multiply", {z, z}), {last_axis(c, z)}, true);
  return c.b().add("Divide", {conjugate(c, z), squares});
}

Source power(Context& c, const Source& z, const Source& exponent) {
  return from_polar(c, binary(c, "Power", magnitude(c, z), exponent),
                    binary(c, "Multiply", angle(c, z), exponent));
}

// One part of a complex tensor, or of each tensor of a tuple.
Value part_of(Context& c, const Value& value, int64_t part) {
  Value result = value;
  result.is_complex = false;
  for (Source& tensor : result.tensors) tensor = select(c, tensor, last_axis(c, tensor), part);
  return result;
}

// Puts the inputs back, also if the build fails.
class Inputs {
 public:
  Inputs(const std::vector<size_t>& operands, std::vector<Value>& values)
      : operands_(operands), values_(values) {
    for (const size_t operand : operands) kept_.push_back(values[operand]);
  }
  ~Inputs() {
    for (size_t i = 0; i < kept_.size(); ++i) values_[operands_[i]] = std::move(kept_[i]);
  }
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  void show(Context& c, int64_t part) {
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i].is_complex) {
        values_[operands_[i]] = part_of(c, kept_[i], part);
      } else if (kept_[i].tensors.size() == 1 && is_real(c.b().type(kept_[i].tensors[0]))) {
        fail(ErrorCode::kUnsupported, "takes complex numbers and, as input ", i, ", real ones");
      }
    }
  }

 private:
  const std::vector<size_t>& operands_;
  std::vector<Value>& values_;
  std::vector<Value> kept_;
};

void complex_from(Context& c) { c.give_complex(join_parts(c, c.input(0), c.input(1))); }
void polar(Context& c) { c.give_complex(from_polar(c, c.input(0), c.input(1))); }

// The real numbers themselves are the view.
void view_as_complex(Context& c) {
  const Source x = c.input(0);
  const PartialShape& shape = c.b().shape(x);
  if (!shape.has_rank() || shape.rank() == 0 || !shape[shape.rank() - 1].compatible(2)) {
    fail(ErrorCode::kInvalidShape, "its input is ", shape, ", expected a last axis of 2");
  }
  c.give_complex(x);
}

void view_as_real(Context& c) {
  if (!c.is_complex(0)) fail(ErrorCode::kInvalidType, "its input has real numbers, expected complex ones");
  c.give(c.any_input(0));
}

void real(Context& c) { c.give(c.is_complex(0) ? real_part(c, c.any_input(0)) : c.input(0)); }
void imaginary(Context& c) { c.give(imaginary_part(c, complex_input(c, 0))); }
void angle_of(Context& c) { c.give(angle(c, complex_input(c, 0))); }

void conjugate_of(Context& c) {
  if (c.is_complex(0)) {
    c.give_complex(conjugate(c, c.any_input(0)));
  } else {
    c.give(c.input(0));
  }
}

void same(Context& c) { c.give(c.input(0)); }

constexpr std::string_view kAngle = "Abs Less LogicalOr Select Divide Atan Add Subtract Negative Equal";
constexpr Entry kEntries[] = {
    {"torch.complex", complex_from, "Concat"},  {"torch.real", real, "Gather"},
    {"torch.imag", imaginary, "Gather"},        {"torch.view_as_complex", view_as_complex, ""},
    {"torch.view_as_real", view_as_real, ""},   {"aten::angle", angle_of, kAngle},
    {"aten::polar", polar, "Cos Sin Multiply"}, {"aten::_conj", conjugate_of, "Multiply"},
    {"aten::conj", conjugate_of, "Multiply"},   {"aten::resolve_conj", same, "", true},
};

}  // namespace

Source real_part(Context& c, const Source& z) { return select(c, z, last_axis(c, z), 0); }
Source imaginary_part(Context& c, const Source& z) { return select(c, z, last_axis(c, z), 1); }

Source join_parts(Context& c, const Source& real, const Source& imaginary) {
  return concat(c, {with_axis(c, real), with_axis(c, imaginary)}, last_axis(c, real) + 1);
}

Source conjugate(Context& c, const Source& z) {
  const float signs[] = {1, -1};
  return c.b().add("Multiply", {z, convert(c, c.b().constant(Tensor::of<float>({2}, signs)), c.b().type(z))});
}

Source complex_input(Context& c, size_t i) {
  return c.is_complex(i) ? c.any_input(i) : as_complex(c, c.input(i));
}

Number complex_unary(Context& c, std::string_view name, const Source& z) {
  if (name == "abs") return {magnitude(c, z), false};
  if (name == "neg") return {c.b().add("Negative", {z}), true};
  if (name == "square") return {multiply(c, z, z), true};
  if (name == "reciprocal") return {reciprocal(c, z), true};
  if (name == "exp") return {from_polar(c, c.b().add("Exp", {real_part(c, z)}), imaginary_part(c, z)), true};
  if (name == "log") return {join_parts(c, c.b().add("Log", {magnitude(c, z)}), angle(c, z)), true};
  if (name == "sqrt") return {power(c, z, c.b().scalar(0.5, c.b().type(z))), true};
  fail(ErrorCode::kUnsupported, "applies '", model::brief(name), "' to complex numbers");
}

Number complex_binary(Context& c, std::string_view name, const Number& a, const Number& b) {
  if (name == "add") return {binary(c, "Add", as_complex(c, a), as_complex(c, b)), true};
  if (name == "sub") return {binary(c, "Subtract", as_complex(c, a), as_complex(c, b)), true};
  if (name == "rsub") return {binary(c, "Subtract", as_complex(c, b), as_complex(c, a)), true};
  if (name == "mul") {
    if (a.is_complex && b.is_complex) return {multiply(c, a.value, b.value), true};
    const Number& z = a.is_complex ? a : b;
    const Number& factor = a.is_complex ? b : a;
    return {binary(c, "Multiply", z.value, with_axis(c, factor.value)), true};
  }
  if (name == "div") {
    if (!b.is_complex) return {binary(c, "Divide", a.value, with_axis(c, b.value)), true};
    return complex_binary(c, "mul", a, {reciprocal(c, b.value), true});
  }
  if (name == "pow" && !b.is_complex) return {power(c, a.value, b.value), true};
  fail(ErrorCode::kUnsupported, "applies '", model::brief(name), "' to complex numbers");
}

void build_parts(Build build, Context& c, std::vector<Value>& values) {
  std::vector<Value> real, imaginary;
  Inputs inputs(c.op().inputs, values);
  for (std::vector<Value>* made : {&real, &imaginary}) {
    inputs.show(c, made == &real ? 0 : 1);
    build(c);
    for (const size_t output : c.op().outputs) made->push_back(std::exchange(values[output], {}));
  }
  for (size_t i = 0; i < real.size(); ++i) {
    Value& joined = values[c.op().outputs[i]];
    joined = real[i];
    joined.is_complex = true;
    for (size_t t = 0; t < joined.tensors.size(); ++t) {
      joined.tensors[t] = join_parts(c, real[i].tensors[t], imaginary[i].tensors[t]);
    }
  }
}

std::span<const Entry> complex_numbers() { return kEntries; }

}  // namespace wasmvino::pnnx
