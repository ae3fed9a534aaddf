// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

void reduce_by(Context& c, const char* type, const Source& x) {
  c.give(reduce(c, type, x, reduced_axes(c, x), c.flag("keepdim", false)));
}

// The input in the type of the result: as the parameter dtype, or the declaration of the output, says.
Source typed_input(Context& c) {
  return declared_real(c, convert(c, c.input(), c.dtype(c.b().type(c.input()))));
}

Source without_nan(Context& c, const Source& x) {
  if (!is_real(c.b().type(x))) return x;
  return c.b().add("Select", {c.b().add("IsNaN", {x}), number_like(c, 0, x), x});
}

// Sums and products of integers are i64, if no other type is asked for.
Source addends(Context& c) { return declared_integer(c, widened(c, typed_input(c))); }

void sum(Context& c) { reduce_by(c, "ReduceSum", addends(c)); }
void prod(Context& c) { reduce_by(c, "ReduceProd", addends(c)); }
void mean(Context& c) { reduce_by(c, "ReduceMean", typed_input(c)); }

// Without the elements that are NaN.
void nan_sum(Context& c) {
  const Source x = addends(c);
  reduce_by(c, "ReduceSum", without_nan(c, x));
}

void nan_mean(Context& c) {
  const Source x = typed_input(c);
  const Ints axes = reduced_axes(c, x);
  const bool keep = c.flag("keepdim", false);
  const Source valid = c.b().add("LogicalNot", {c.b().add("IsNaN", {x})});
  const Source count = reduce(c, "ReduceSum", convert(c, valid, c.b().type(x)), axes, keep);
  c.give(c.b().add("Divide", {reduce(c, "ReduceSum", without_nan(c, x), axes, keep), count}));
}

void count_nonzero(Context& c) {
  const Source x = c.input();
  const Source counted = c.b().type(x) == ElementType::kBoolean ? x : with_number(c, "NotEqual", x, 0);
  c.give(reduce(c, "ReduceSum", convert(c, counted, ElementType::kI64), reduced_axes(c, x), false));
}

void trace(Context& c) {
  c.give(reduce(c, "ReduceSum", widened(c, diagonal_of(c, c.input(), {0, true, {}}, 0, 1)), {0}, false));
}
// The largest or smallest elements. Booleans are compared as numbers.
Source extreme_of(Context& c, bool largest, const Ints& axes, bool keep) {
  const Source x = c.input();
  const Source numbers = c.b().type(x) == ElementType::kBoolean ? convert(c, x, ElementType::kU8) : x;
  return convert(c, reduce(c, largest ? "ReduceMax" : "ReduceMin", numbers, axes, keep), c.b().type(x));
}

void give_extreme(Context& c, bool largest) {
  c.give(extreme_of(c, largest, reduced_axes(c, c.input()), c.flag("keepdim", false)));
}

void amax(Context& c) { give_extreme(c, true); }
void amin(Context& c) { give_extreme(c, false); }

void logical_reduction(Context& c, const char* type) {
  const Source x = c.input(0);
  const Source found =
      reduce(c, type, convert(c, x, ElementType::kBoolean), reduced_axes(c, x), c.flag("keepdim", false));
  // u8 is PyTorch's older type of booleans, and stays.
  c.give(c.b().type(x) == ElementType::kU8 ? convert(c, found, ElementType::kU8) : found);
}

void any(Context& c) { logical_reduction(c, "ReduceLogicalOr"); }
void all(Context& c) { logical_reduction(c, "ReduceLogicalAnd"); }

// The index of the first extreme element of an axis, with a size of 1 there. NaN is both the largest and the
// smallest of numbers; for TopK it is the largest.
Source extreme_index(Context& c, Source x, int64_t axis, bool largest) {
  const ElementType type = c.b().type(x);
  if (type == ElementType::kBoolean) x = convert(c, x, ElementType::kU8);
  const bool mirrored = !largest && is_real(type);
  if (mirrored) x = c.b().add("Negative", {x});
  return model::Builder::output(top_k(c, x, c.b().scalar(int64_t{1}), axis, largest || mirrored, true), 1);
}

// max and min: of all elements, of two tensors, or along an axis, with the indices.
void extreme(Context& c, bool largest) {
  if (c.input_count() == 2) {
    c.give(binary(c, largest ? "Maximum" : "Minimum", c.input(0), c.required_input("other", 1)));
    return;
  }
  if (!c.has("dim")) {
    give_extreme(c, largest);
    return;
  }
  const Source x = c.input();
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  const bool keep = c.flag("keepdim", false);
  const Source indices = extreme_index(c, x, axis, largest);
  c.give({extreme_of(c, largest, {axis}, keep), keep ? indices : squeeze(c, indices, axis)});
}

void max(Context& c) { extreme(c, true); }
void min(Context& c) { extreme(c, false); }

void give_extreme_index(Context& c, bool largest) {
  Source x = c.input();
  const size_t rank = c.b().rank(x);
  const bool flat = !c.has("dim"), keep = c.flag("keepdim", false);
  if (flat) x = reshape(c, x, {-1});
  const int64_t axis = flat ? 0 : c.axis(c.integer("dim"), c.b().rank(x));
  const Source indices = extreme_index(c, x, axis, largest);
  if (flat && keep) {
    c.give(reshape(c, indices, Ints(rank, 1)));
  } else {
    c.give(keep ? indices : squeeze(c, indices, axis));
  }
}

void argmax(Context& c) { give_extreme_index(c, true); }
void argmin(Context& c) { give_extreme_index(c, false); }

// What is subtracted from the number of elements. Calls by position may have it where others have a boolean.
Scalar correction_of(Context& c) {
  if (c.has("correction")) return c.number("correction");
  if (!c.has("unbiased")) return {1, true, {}};
  const Parameter* unbiased = c.find("unbiased");
  if (unbiased == nullptr || std::holds_alternative<int64_t>(*unbiased)) return c.number("unbiased");
  return {c.flag("unbiased", true) ? 1.0 : 0.0, true, {}};
}

Source variance(Context& c) {
  const Source x = c.input();
  const Ints axes = reduced_axes(c, x);
  const bool keep = c.flag("keepdim", false);
  const Source centred = c.b().add("Subtract", {x, reduce(c, "ReduceMean", x, axes, true)});
  const Source squares = c.b().add("Multiply", {centred, centred});
  const Scalar correction = correction_of(c);
  if (correction.known == 0) return reduce(c, "ReduceMean", squares, axes, keep);
  const Source sum = reduce(c, "ReduceSum", squares, axes, keep);
  const Source count = with_number(c, "Subtract", reduced_count(c, x, axes), correction);
  // Fewer elements than the correction divide by 0.
  return c.b().add("Divide", {sum, with_number(c, "Maximum", count, 0)});
}

Source mean_of(Context& c) {
  return reduce(c, "ReduceMean", c.input(), reduced_axes(c, c.input()), c.flag("keepdim", false));
}

void var(Context& c) { c.give(variance(c)); }
void standard_deviation(Context& c) { c.give(c.b().add("Sqrt", {variance(c)})); }
void var_mean(Context& c) { c.give({variance(c), mean_of(c)}); }
void std_mean(Context& c) { c.give({c.b().add("Sqrt", {variance(c)}), mean_of(c)}); }

// The least and the largest element.
void extremes(Context& c) {
  const Source x = c.input();
  const Ints axes = reduced_axes(c, x);
  const bool keep = c.flag("keepdim", false);
  c.give({reduce(c, "ReduceMin", x, axes, keep), reduce(c, "ReduceMax", x, axes, keep)});
}

// The largest or smallest sum of the magnitudes of a column (ord 1, -1) or of a row (infinity).
void give_matrix_norm(Context& c, const Source& x, double ord, const Ints& axes) {
  const bool columns = std::abs(ord) == 1;
  if (!columns && !std::isinf(ord)) {
    fail(ErrorCode::kUnsupported, "is the matrix norm ", ord,
         ", which takes singular values, expected fro, 1, -1, inf or -inf");
  }
  const Source sums = reduce(c, "ReduceL1", x, {axes[columns ? 0 : 1]}, true);
  const Source found = reduce(c, ord > 0 ? "ReduceMax" : "ReduceMin", sums, {axes[columns ? 1 : 0]}, true);
  c.give(c.flag("keepdim", false) ? found : c.b().add("Squeeze", {found, c.b().list(axes)}));
}

void norm(Context& c) {
  const Source x = typed_input(c);
  const char* const name = c.find("p") ? "p" : "ord";
  const Ints axes = reduced_axes(c, x);
  const auto* word = c.has(name) ? std::get_if<std::string>(c.find(name)) : nullptr;
  if (word != nullptr && *word == "nuc")
    fail(ErrorCode::kUnsupported, "is the nuclear norm, which takes singular values");
  const bool numbered = c.has(name) && (word == nullptr || *word != "fro");
  // A number for two axes selects a norm of matrices, unlike for vectors.
  const bool of_matrices = c.op().type == "aten::linalg_norm" || c.op().type == "aten::linalg_matrix_norm";
  if (of_matrices && numbered && axes.size() == 2) {
    give_matrix_norm(c, x, c.real(name), axes);
  } else {
    c.give(p_norm(c, x, numbered ? c.real(name) : 2, axes, c.flag("keepdim", false)));
  }
}

void logsumexp(Context& c) {
  const Source x = as_real(c, c.input());
  c.give(log_sum_exp(c, x, reduced_axes(c, x), c.flag("keepdim", false)));
}

constexpr std::string_view kVariance = "ReduceMean Subtract Multiply ReduceSum Maximum Divide",
                           kDeviation = "ReduceMean Subtract Multiply ReduceSum Maximum Divide Sqrt",
                           kVarianceForms = "input|input unbiased|input dim unbiased keepdim",
                           kNorm = "ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual";

constexpr Entry kEntries[] = {
    {"torch.sum", sum, "ReduceSum", true},
    {"torch.prod", prod, "ReduceProd"},
    {"torch.mean", mean, "ReduceMean", true},
    {"torch.amax", amax, "ReduceMax"},
    {"torch.amin", amin, "ReduceMin"},
    {"torch.any", any, "ReduceLogicalOr"},
    {"aten::any", any, "ReduceLogicalOr", false, "input|input dim keepdim"},
    {"torch.all", all, "ReduceLogicalAnd"},
    {"aten::all", all, "ReduceLogicalAnd", false, "input|input dim keepdim"},
    {"torch.max", max, "ReduceMax TopK Maximum LogicalOr"},
    {"torch.min", min, "ReduceMin Negative TopK Minimum LogicalAnd"},
    {"torch.argmax", argmax, "TopK"},
    {"torch.argmin", argmin, "Negative TopK"},
    {"torch.var", var, kVariance},
    {"torch.std", standard_deviation, kDeviation},
    {"aten::var", var, kVariance, false, kVarianceForms},
    {"aten::std", standard_deviation, kDeviation, false, kVarianceForms},
    {"aten::var_mean", var_mean, kVariance, false, kVarianceForms},
    {"aten::std_mean", std_mean, kDeviation, false, kVarianceForms},
    {"aten::aminmax", extremes, "ReduceMin ReduceMax", false, "input dim keepdim"},
    {"aten::prod", prod, "ReduceProd", false, "input dtype|input dim keepdim dtype"},
    {"aten::nansum", nan_sum, "IsNaN Select ReduceSum", false, "input dim keepdim dtype"},
    {"aten::nanmean", nan_mean, "IsNaN LogicalNot Select ReduceSum Divide", false, "input dim keepdim dtype"},
    {"aten::count_nonzero", count_nonzero, "NotEqual ReduceSum", false, "input dim"},
    {"aten::trace", trace, "Gather ReduceSum"},
    {"aten::linalg_norm", norm, kNorm, false, "input ord dim keepdim dtype"},
    {"aten::linalg_matrix_norm", norm, kNorm, false, "input ord dim keepdim dtype"},
    {"torch.norm", norm, kNorm},
    {"torch.linalg.norm", norm, kNorm},
    {"torch.linalg.vector_norm", norm, kNorm},
    {"torch.logsumexp", logsumexp, "ReduceMax IsInf Select Subtract Exp ReduceSum Log Add"},
};

}  // namespace

std::span<const Entry> reductions() { return kEntries; }

}  // namespace wasmvino::pnnx
