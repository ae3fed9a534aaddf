// SPDX-License-Identifier: Apache-2.0
// Operators that create tensors: constants of a shape, ranges, triangles.
#include "frontends/pnnx/calls.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// The sizes of a new tensor: the parameter or the input `size`, which may be a tuple of numbers.
Source size_list(Context& c, size_t position) {
  for (const char* const name : {"size", "sizes"}) {
    if (c.find(name) != nullptr) return c.b().list(c.ints(name));
  }
  for (size_t i = 0; i < c.op().input_names.size(); ++i) {
    if (c.op().input_names[i] == "size") position = i;
  }
  const Value& value = c.value(position);
  if (!value.is_tuple) return convert(c, c.input(position), ElementType::kI64);
  std::vector<Source> parts;
  for (const Source part : tensors_of(c, position))
    parts.push_back(reshape(c, convert(c, part, ElementType::kI64), {1}));
  return parts.empty() ? c.b().list({}) : concat_lists(c, parts);
}

void give_filled(Context& c, const Source& value, const Source& sizes) {
  c.give(c.b().add("Broadcast", {value, sizes}));
}

void zeros(Context& c) { give_filled(c, c.b().scalar(0.0, c.dtype(ElementType::kF32)), size_list(c, 0)); }
void ones(Context& c) { give_filled(c, c.b().scalar(1.0, c.dtype(ElementType::kF32)), size_list(c, 0)); }

// A number without an explicit type is i64 if it is written as an integer.
Source fill_value(Context& c, ElementType otherwise) {
  if (c.find("fill_value") == nullptr) {
    const auto value = c.find_input("fill_value", 1);
    if (!value) fail(ErrorCode::kInvalidModel, "lacks its parameter fill_value");
    return otherwise == ElementType::kDynamic ? *value : convert(c, *value, otherwise);
  }
  const bool integral = std::holds_alternative<int64_t>(*c.find("fill_value"));
  if (otherwise == ElementType::kDynamic) otherwise = integral ? ElementType::kI64 : ElementType::kF32;
  return number_as(c, c.number("fill_value"), otherwise);
}

void full(Context& c) { give_filled(c, fill_value(c, c.dtype(ElementType::kDynamic)), size_list(c, 0)); }

void new_zeros(Context& c) {
  give_filled(c, c.b().scalar(0.0, c.dtype(c.b().type(c.input(0)))), size_list(c, 1));
}
void new_ones(Context& c) {
  give_filled(c, c.b().scalar(1.0, c.dtype(c.b().type(c.input(0)))), size_list(c, 1));
}
void new_full(Context& c) { give_filled(c, fill_value(c, c.dtype(c.b().type(c.input(0)))), size_list(c, 1)); }

void zeros_like(Context& c) {
  give_filled(c, c.b().scalar(0.0, c.dtype(c.b().type(c.input()))), shape_of(c, c.input()));
}
void ones_like(Context& c) {
  give_filled(c, c.b().scalar(1.0, c.dtype(c.b().type(c.input()))), shape_of(c, c.input()));
}
void full_like(Context& c) {
  give_filled(c, fill_value(c, c.dtype(c.b().type(c.input()))), shape_of(c, c.input()));
}

void arange(Context& c) {
  ElementType type = ElementType::kI64;
  const auto bound = [&](const char* name, double otherwise) {
    if (c.is_marked(name)) {
      const Source found = c.required_input(name, 0);
      type = promoted(type, c.b().type(found));
      return found;
    }
    const Parameter* given = c.find(name);
    if (given != nullptr && std::holds_alternative<double>(*given)) type = promoted(type, ElementType::kF32);
    return c.b().scalar(c.real(name, otherwise), ElementType::kF64);
  };
  Source start = bound("start", 0), end = bound("end", 0), step = bound("step", 1);
  const ElementType result = c.dtype(type);
  for (Source* part : {&start, &end, &step}) *part = convert(c, *part, result);
  c.give(c.b().add("Range", {start, end, step}, {{"output_type", result}}));
}

// A number of a call by position: a parameter, or an input.
Source number_of(Context& c, const char* name, size_t position, ElementType type) {
  if (c.find(name) != nullptr) return number_as(c, c.number(name), type);
  return reshape(c, convert(c, c.required_input(name, position), type), {});
}

// Numbers at equal distances from start to end.
Source equal_steps(Context& c, ElementType type) {
  const Source start = number_of(c, "start", 0, type), end = number_of(c, "end", 1, type);
  const Source count = number_of(c, "steps", 2, ElementType::kI64);
  const Source places = convert(c, range_to(c, count), type);
  // A single number is the start.
  const Source gaps = with_number(c, "Maximum", with_number(c, "Subtract", count, 1), 1);
  const Source step = c.b().add("Divide", {c.b().add("Subtract", {end, start}), convert(c, gaps, type)});
  return c.b().add("Add", {c.b().add("Multiply", {places, step}), start});
}

void linspace(Context& c) {
  const ElementType type = c.dtype(ElementType::kF32);
  const ElementType real = is_real(type) ? type : ElementType::kF32;
  c.give(convert(c, equal_steps(c, real), type));
}

// Powers of the base, whose exponents have equal distances.
void logspace(Context& c) {
  const ElementType type = c.dtype(ElementType::kF32);
  if (!is_real(type)) fail(ErrorCode::kUnsupported, "gives ", type, ", expected real numbers");
  c.give(with_number(c, "Power", c.number("base", 10), equal_steps(c, type)));
}

void identity_matrix(Context& c) {
  const Source rows = number_of(c, "n", 0, ElementType::kI64);
  const bool square = c.find("m") == nullptr && !c.is_marked("m");
  const Source columns = square ? rows : number_of(c, "m", 1, ElementType::kI64);
  c.give(c.b().add("Eye", {rows, columns, c.b().scalar(int64_t{0})},
                   {{"output_type", c.dtype(ElementType::kF32)}}));
}

// Keeps the elements on one side of a diagonal of the last two axes.
void triangle(Context& c, const char* kept) {
  const Source x = c.input(0);
  const int64_t rank = static_cast<int64_t>(c.b().rank(x));
  if (rank < 2) fail(ErrorCode::kInvalidModel, "its input has ", rank, " axes, expected 2 at least");
  const auto range = [&](int64_t axis) { return range_to(c, length_of(c, x, axis)); };
  const Source rows = with_number(c, "Add", range(rank - 2), c.number("diagonal", 0));
  const Source inside = c.b().add(kept, {range(rank - 1), unsqueeze(c, rows, 1)});
  c.give(c.b().add("Select", {inside, x, number_like(c, 0, x)}));
}

void tril(Context& c) { triangle(c, "LessEqual"); }
void triu(Context& c) { triangle(c, "GreaterEqual"); }

constexpr Entry kEntries[] = {
    // Uninitialised values are zero here.
    {"torch.empty", zeros, "Broadcast"},
    {"torch.empty_like", zeros_like, "Broadcast"},
    {"Tensor.new_empty", new_zeros, "Broadcast"},
    {"torch.zeros", zeros, "Broadcast"},
    {"torch.ones", ones, "Broadcast"},
    {"torch.full", full, "Broadcast"},
    {"Tensor.new_zeros", new_zeros, "Broadcast"},
    {"Tensor.new_ones", new_ones, "Broadcast"},
    {"Tensor.new_full", new_full, "Broadcast"},
    {"aten::new_full", new_full, "Broadcast", false, "input size fill_value dtype layout device pin_memory"},
    {"torch.zeros_like", zeros_like, "Broadcast"},
    {"torch.ones_like", ones_like, "Broadcast"},
    {"torch.full_like", full_like, "Broadcast"},
    {"torch.arange", arange, "Range"},
    {"torch.tril", tril, "Range Add LessEqual Select"},
    {"torch.triu", triu, "Range Add GreaterEqual Select"},
    {"aten::tril", tril, "Range Add LessEqual Select", false, "input diagonal"},
    {"aten::triu", triu, "Range Add GreaterEqual Select", false, "input diagonal"},
    {"aten::zero", zeros_like, "Broadcast"},
    {"aten::zeros_like", zeros_like, "Broadcast", false,
     "input dtype layout device pin_memory memory_format"},
    {"aten::ones_like", ones_like, "Broadcast", false, "input dtype layout device pin_memory memory_format"},
    {"aten::linspace", linspace, "Range Subtract Divide Multiply Add Maximum", false,
     "start end steps dtype layout device pin_memory"},
    {"aten::logspace", logspace, "Range Subtract Divide Multiply Add Maximum Power", false,
     "start end steps base dtype layout device pin_memory"},
    {"aten::eye", identity_matrix, "Eye", false,
     "n dtype layout device pin_memory|n m dtype layout device pin_memory"},
};

}  // namespace

std::span<const Entry> creation() { return kEntries; }

}  // namespace wasmvino::pnnx
