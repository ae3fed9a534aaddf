// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

void reduce_by(Context& c, std::string_view type, Source x) {
  c.give(reduce(c, type, x, reduced_axes(c, x), c.flag("keepdim", false)));
}

// Sums and products of integers and booleans are i64.
Source widened(Context& c, Source x) { return is_real(c.b().type(x)) ? x : convert(c, x, ElementType::kI64); }

void sum(Context& c) {
  reduce_by(c, "ReduceSum", widened(c, convert(c, c.input(), c.dtype(c.b().type(c.input())))));
}
void prod(Context& c) {
  reduce_by(c, "ReduceProd", widened(c, convert(c, c.input(), c.dtype(c.b().type(c.input())))));
}
void mean(Context& c) { reduce_by(c, "ReduceMean", convert(c, c.input(), c.dtype(c.b().type(c.input())))); }
void amax(Context& c) { reduce_by(c, "ReduceMax", c.input()); }
void amin(Context& c) { reduce_by(c, "ReduceMin", c.input()); }

// any and all. Their calls by position have the axis and keepdim as literals.
void logical_reduction(Context& c, std::string_view type) {
  const Source x = convert(c, c.input(0), ElementType::kBoolean);
  const size_t rank = c.b().rank(x);
  Ints axes;
  bool keep = false;
  const auto dim = c.find_literal("dim", 1), kept = c.find_literal("keepdim", 2);
  if (dim && std::holds_alternative<int64_t>(*dim)) {
    axes = {c.axis(std::get<int64_t>(*dim), rank)};
    keep = kept && std::holds_alternative<bool>(*kept) && std::get<bool>(*kept);
  } else {
    axes = reduced_axes(c, x);
  }
  c.give(reduce(c, type, x, axes, keep));
}

void any(Context& c) { logical_reduction(c, "ReduceLogicalOr"); }
void all(Context& c) { logical_reduction(c, "ReduceLogicalAnd"); }

// The first elements along an axis after sorting: values and i64 indices.
Source top_k(Context& c, Source x, Source k, int64_t axis, bool largest, bool sorted) {
  return c.b().add("TopK", {x, k},
                   {{"axis", axis},
                    {"mode", largest ? "max" : "min"},
                    {"sort", sorted ? "value" : "none"},
                    {"index_element_type", ElementType::kI64}},
                   2);
}

// max and min: of all elements, of two tensors, or along an axis, with the indices.
void extreme(Context& c, bool largest) {
  if (c.input_count() == 2) {
    c.give(binary(c, largest ? "Maximum" : "Minimum", c.input(0), c.input(1)));
    return;
  }
  const Source x = c.input();
  if (!c.has("dim")) {
    reduce_by(c, largest ? "ReduceMax" : "ReduceMin", x);
    return;
  }
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  const Source found = top_k(c, x, c.b().scalar(int64_t{1}), axis, largest, true);
  Source indices = model::Builder::output(found, 1);
  if (!c.flag("keepdim", false)) indices = squeeze(c, indices, axis);
  c.give({reduce(c, largest ? "ReduceMax" : "ReduceMin", x, {axis}, c.flag("keepdim", false)), indices});
}

void max(Context& c) { extreme(c, true); }
void min(Context& c) { extreme(c, false); }

void extreme_index(Context& c, bool largest) {
  Source x = c.input();
  const bool flat = !c.has("dim");
  if (flat) x = reshape(c, x, {-1});
  const int64_t axis = flat ? 0 : c.axis(c.integer("dim"), c.b().rank(x));
  const Source found = top_k(c, x, c.b().scalar(int64_t{1}), axis, largest, true);
  const Source indices = model::Builder::output(found, 1);
  c.give(c.flag("keepdim", false) && !flat ? indices : squeeze(c, indices, axis));
}

void argmax(Context& c) { extreme_index(c, true); }
void argmin(Context& c) { extreme_index(c, false); }

void topk(Context& c) {
  const Source x = c.input();
  const int64_t axis = c.axis(c.integer("dim", -1), c.b().rank(x));
  const auto k = c.op().find("k") ? std::nullopt : c.find_input("k", 1);
  const Source found = top_k(c, x, k ? *k : c.b().scalar(c.integer("k")), axis, c.flag("largest", true),
                             c.flag("sorted", true));
  c.give({found, model::Builder::output(found, 1)});
}

void sort(Context& c) {
  const Source x = c.input();
  const int64_t axis = c.axis(c.integer("dim", -1), c.b().rank(x));
  const Source found =
      top_k(c, x, squeeze(c, size_of(c, x, axis), 0), axis, c.flag("descending", false), true);
  c.give({found, model::Builder::output(found, 1)});
}

// ATen's call by position: input, axis, descending.
void aten_sort(Context& c) {
  const Source x = c.input(0);
  const auto dim = c.find_literal("dim", 1), descending = c.find_literal("descending", 2);
  const int64_t* given = dim ? std::get_if<int64_t>(&*dim) : nullptr;
  const bool* down = descending ? std::get_if<bool>(&*descending) : nullptr;
  if (given == nullptr || down == nullptr) fail(ErrorCode::kUnsupported, "its axis and order are not known");
  const int64_t axis = c.axis(*given, c.b().rank(x));
  const Source found = top_k(c, x, squeeze(c, size_of(c, x, axis), 0), axis, *down, true);
  c.give({found, model::Builder::output(found, 1)});
}

Source variance(Context& c) {
  const Source x = c.input();
  const Ints axes = reduced_axes(c, x);
  const Source centred = c.b().add("Subtract", {x, reduce(c, "ReduceMean", x, axes, true)});
  const Source squares = c.b().add("Multiply", {centred, centred});
  // ATen's call by position has all axes, and whether to divide by one element less.
  const auto literal = c.find_literal("unbiased", 1);
  const bool* unbiased = literal ? std::get_if<bool>(&*literal) : nullptr;
  const double correction = c.has("correction")        ? c.real("correction")
                            : unbiased != nullptr      ? (*unbiased ? 1 : 0)
                            : c.flag("unbiased", true) ? 1
                                                       : 0;
  if (correction == 0) return reduce(c, "ReduceMean", squares, axes, c.flag("keepdim", false));
  const Source sum = reduce(c, "ReduceSum", squares, axes, c.flag("keepdim", false));
  return c.b().add("Divide", {sum, with_number(c, "Subtract", reduced_count(c, x, axes), correction)});
}

void var(Context& c) { c.give(variance(c)); }
void standard_deviation(Context& c) { c.give(c.b().add("Sqrt", {variance(c)})); }

void norm(Context& c) {
  const Source x = c.input();
  double p = 2;
  const Parameter* given = c.op().find(c.op().find("p") ? "p" : "ord");
  if (given != nullptr && !std::holds_alternative<None>(*given)) {
    const std::string_view name = c.op().find("p") ? "p" : "ord";
    const auto* word = std::get_if<std::string>(given);
    p = word != nullptr && *word == "fro" ? 2 : c.real(name);
  }
  c.give(p_norm(c, x, p, reduced_axes(c, x), c.flag("keepdim", false)));
}

// max + log(sum(exp(x - max))), which does not overflow for large x.
void logsumexp(Context& c) {
  const Source x = c.input();
  const Ints axes = reduced_axes(c, x);
  const bool keep = c.flag("keepdim", false);
  const Source most = reduce(c, "ReduceMax", x, axes, true);
  const Source sum = reduce(c, "ReduceSum", c.b().add("Exp", {c.b().add("Subtract", {x, most})}), axes, keep);
  const Source added = keep ? most : c.b().add("Squeeze", {most, c.b().list(axes)});
  c.give(c.b().add("Add", {c.b().add("Log", {sum}), added}));
}

// The product of all elements up to each position: the rows of a triangle, multiplied.
void cumprod(Context& c) {
  Source x = widened(c, c.input());
  const size_t rank = c.b().rank(x);
  const int64_t axis = c.axis(c.integer("dim"), rank), last = static_cast<int64_t>(rank) - 1;
  Ints swapped;
  for (size_t i = 0; i < rank; ++i) swapped.push_back(static_cast<int64_t>(i));
  std::swap(swapped[static_cast<size_t>(axis)], swapped[static_cast<size_t>(last)]);
  if (axis != last) x = transpose(c, x, swapped);
  const Source count = squeeze(c, size_of(c, x, last), 0);
  const Source range = c.b().add("Range", {c.b().scalar(int64_t{0}), count, c.b().scalar(int64_t{1})},
                                 {{"output_type", ElementType::kI64}});
  const Source until = c.b().add("LessEqual", {range, unsqueeze(c, range, 1)});
  const Source factors = c.b().add("Select", {until, unsqueeze(c, x, last), number_like(c, 1, x)});
  const Source products = reduce(c, "ReduceProd", factors, {last + 1}, false);
  c.give(axis == last ? products : transpose(c, products, swapped));
}

void cumsum(Context& c) {
  const Source x = widened(c, c.input());
  c.give(c.b().add("CumSum", {x, c.b().scalar(c.axis(c.integer("dim"), c.b().rank(x)))}));
}

constexpr Entry kEntries[] = {
    {"torch.sum", sum, "ReduceSum", true},
    {"torch.prod", prod, "ReduceProd"},
    {"torch.mean", mean, "ReduceMean", true},
    {"torch.amax", amax, "ReduceMax"},
    {"torch.amin", amin, "ReduceMin"},
    {"torch.any", any, "ReduceLogicalOr"},
    {"aten::any", any, "ReduceLogicalOr"},
    {"torch.all", all, "ReduceLogicalAnd"},
    {"aten::all", all, "ReduceLogicalAnd"},
    {"torch.max", max, "ReduceMax TopK Maximum"},
    {"torch.min", min, "ReduceMin TopK Minimum"},
    {"torch.argmax", argmax, "TopK"},
    {"torch.argmin", argmin, "TopK"},
    {"torch.topk", topk, "TopK"},
    {"aten::sort", aten_sort, "TopK"},
    {"torch.sort", sort, "TopK"},
    {"torch.var", var, "ReduceMean Subtract Multiply ReduceSum Divide"},
    {"torch.std", standard_deviation, "ReduceMean Subtract Multiply ReduceSum Divide Sqrt"},
    {"aten::var", var, "ReduceMean Subtract Multiply ReduceSum Divide"},
    {"aten::std", standard_deviation, "ReduceMean Subtract Multiply ReduceSum Divide Sqrt"},
    {"torch.norm", norm, "ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual"},
    {"torch.linalg.norm", norm, "ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual"},
    {"torch.linalg.vector_norm", norm, "ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual"},
    {"torch.logsumexp", logsumexp, "ReduceMax Subtract Exp ReduceSum Log Add"},
    {"torch.cumprod", cumprod, "Range LessEqual Select ReduceProd"},
    {"torch.cumsum", cumsum, "CumSum", true},
};

}  // namespace

std::span<const Entry> reductions() { return kEntries; }

}  // namespace wasmvino::pnnx
