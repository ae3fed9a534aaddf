// SPDX-License-Identifier: Apache-2.0
// Reductions, and the places of extreme values.
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

// Reduces `x`, or something computed from it element by element.
Source reduced(Context& c, std::string_view type, const Source& x, const Source& axes) {
  const bool keep = c.flag("keepdims", true);
  if (c.b().type(x) == ElementType::kBoolean && (type == "ReduceMax" || type == "ReduceMin"))
    type = type == "ReduceMax" ? "ReduceLogicalOr" : "ReduceLogicalAnd";
  if (type == "LogSum") {
    return c.b().add("Log", {c.b().add("ReduceSum", {x, axes}, {{"keep_dims", keep}})});
  }
  if (type == "SumSquare") {
    return c.b().add("ReduceSum", {c.b().add("Multiply", {x, x}), axes}, {{"keep_dims", keep}});
  }
  if (type == "LogSumExp") return log_sum_exp(c.b(), x, axes, keep);
  return c.b().add(type, std::vector{x, axes}, {{"keep_dims", keep}});
}

// What an operator reduces, for one that is several operations.
std::string_view reduction_of(Context& c) {
  const std::string_view type = c.node().type;
  for (const std::string_view composed : {"LogSumExp", "LogSum", "SumSquare"}) {
    if (type.ends_with(composed)) return composed;
  }
  return c.operation();
}

void reduce_by_attribute(Context& c) {
  const Source x = c.input();
  const Ints axes = c.ints("axes");
  c.give(reduced(c, reduction_of(c), x, axes.empty() ? all_axes(c, x) : c.b().list(axes)));
}

void reduce_by_input(Context& c) {
  const Source x = c.input(0);
  const auto axes = c.find_input(1);
  const bool none =
      !axes || (c.b().shape(*axes).is_static() && element_count(c.b().shape(*axes).to_shape()) == 0);
  if (!none) return c.give(reduced(c, reduction_of(c), x, *axes));
  if (!c.flag("noop_with_empty_axes")) return c.give(reduced(c, reduction_of(c), x, all_axes(c, x)));
  // No axis is reduced, but what is computed for each element is.
  c.give(reduced(c, reduction_of(c), x, c.b().list({})));
}

// The place of the largest or smallest element of an axis.
void extreme_place(Context& c, const char* mode) {
  const Source x = c.input();
  const int64_t axis = c.axis(c.integer("axis", 0), c.b().rank(x));
  const bool last = c.flag("select_last_index");
  const Source searched = last ? slice(c.b(), x, axis, -1, std::numeric_limits<int64_t>::min() + 1, -1) : x;
  const Source top = c.b().add(
      "TopK", {searched, c.b().scalar(int64_t{1})},
      {{"axis", axis}, {"mode", mode}, {"sort", "value"}, {"index_element_type", ElementType::kI64}}, 2);
  Source place = model::Builder::output(top, 1);
  if (last) {
    const Source end = c.b().add("Subtract", {size_of(c.b(), x, axis), c.b().list({1})});
    place = c.b().add("Subtract", {end, place});
  }
  c.give(c.flag("keepdims", true) ? place : squeeze(c.b(), place, {axis}));
}
void arg_max(Context& c) { extreme_place(c, "max"); }
void arg_min(Context& c) { extreme_place(c, "min"); }

void top_of(Context& c, const Source& k) {
  const Source top = c.b().add("TopK", {c.input(0), k},
                               {{"axis", c.integer("axis", -1)},
                                {"mode", c.flag("largest", true) ? "max" : "min"},
                                {"sort", c.flag("sorted", true) ? "value" : "none"},
                                {"index_element_type", ElementType::kI64}},
                               2);
  c.give({top, model::Builder::output(top, 1)});
}
void top_k(Context& c) { top_of(c, index_scalar(c, c.input(1))); }
void legacy_top_k(Context& c) { top_of(c, c.b().scalar(c.integer("k"))); }

constexpr Entry kEntries[] = {
    {"ArgMax", kAllOpsets, arg_max, "TopK"},
    {"ArgMin", kAllOpsets, arg_min, "TopK"},
    {"ReduceL1", until(17), reduce_by_attribute, "ReduceL1"},
    {"ReduceL1", since(18), reduce_by_input, "ReduceL1"},
    {"ReduceL2", until(17), reduce_by_attribute, "ReduceL2"},
    {"ReduceL2", since(18), reduce_by_input, "ReduceL2"},
    {"ReduceLogSum", until(17), reduce_by_attribute, "ReduceSum Log"},
    {"ReduceLogSum", since(18), reduce_by_input, "ReduceSum Log"},
    {"ReduceLogSumExp", until(17), reduce_by_attribute, "ReduceMax ReduceSum Exp Log"},
    {"ReduceLogSumExp", since(18), reduce_by_input, "ReduceMax ReduceSum Exp Log"},
    {"ReduceMax", until(17), reduce_by_attribute, "ReduceMax"},
    {"ReduceMax", since(18), reduce_by_input, "ReduceMax ReduceLogicalOr"},
    {"ReduceMean", until(17), reduce_by_attribute, "ReduceMean"},
    {"ReduceMean", since(18), reduce_by_input, "ReduceMean"},
    {"ReduceMin", until(17), reduce_by_attribute, "ReduceMin"},
    {"ReduceMin", since(18), reduce_by_input, "ReduceMin ReduceLogicalAnd"},
    {"ReduceProd", until(17), reduce_by_attribute, "ReduceProd"},
    {"ReduceProd", since(18), reduce_by_input, "ReduceProd"},
    {"ReduceSum", until(12), reduce_by_attribute, "ReduceSum"},
    {"ReduceSum", since(13), reduce_by_input, "ReduceSum"},
    {"ReduceSumSquare", until(17), reduce_by_attribute, "ReduceSum Multiply"},
    {"ReduceSumSquare", since(18), reduce_by_input, "ReduceSum Multiply"},
    {"TopK", until(9), legacy_top_k, "TopK"},
    {"TopK", since(10), top_k, "TopK"},
};

}  // namespace

std::span<const Entry> reductions() { return kEntries; }

}  // namespace wasmvino::onnx
