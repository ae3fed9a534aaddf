// SPDX-License-Identifier: Apache-2.0
// Tensors with some elements replaced, which PyTorch writes in place.
#include <algorithm>
#include <limits>
#include <utility>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"
#include "frontends/pnnx/indices.h"

namespace wasmvino::pnnx {
namespace {

// Writes elements of `src`, or one number, to the indices along an axis. Elements of `src` that have no
// index are ignored.
void scatter_by(Context& c, const char* reduction, bool with_old) {
  const Source x = c.input(0), index = convert(c, c.required_input("index", 1), ElementType::kI64);
  const size_t rank = c.b().rank(x);
  const int64_t axis = c.axis(c.integer("dim"), rank);
  Source values;
  const char* const number = c.find("value") != nullptr ? "value" : "src";
  if (c.find(number) != nullptr) {
    values = c.b().add("Broadcast", {number_like(c, c.number(number), x), shape_of(c, index)});
  } else {
    values = convert(c, c.is_marked("value") ? c.required_input("value", 2) : c.required_input("src", 2),
                     c.b().type(x));
    if (c.b().rank(values) == 0) {
      values = c.b().add("Broadcast", {values, shape_of(c, index)});
    } else if (!c.b().shape(values).is_static() || c.b().shape(values) != c.b().shape(index)) {
      Ints begin, step, axes;
      for (size_t i = 0; i < c.b().rank(values); ++i) {
        begin.push_back(0);
        step.push_back(1);
        axes.push_back(static_cast<int64_t>(i));
      }
      values = c.b().add("Slice",
                         {values, c.b().list(begin), shape_of(c, index), c.b().list(step), c.b().list(axes)});
    }
  }
  c.give(c.b().add("ScatterElementsUpdate", {x, index, values, c.b().scalar(axis)},
                   {{"reduction", std::string(reduction)}, {"use_init_val", with_old}}));
}

void scatter_add(Context& c) { scatter_by(c, "sum", true); }

// The name of PyTorch's reduction in ScatterElementsUpdate.
const char* reduction_named(std::string_view reduction) {
  constexpr std::pair<std::string_view, const char*> kReductions[] = {
      {"", "none"},     {"add", "sum"},  {"multiply", "prod"}, {"sum", "sum"},
      {"prod", "prod"}, {"amax", "max"}, {"amin", "min"},      {"mean", "mean"}};
  for (const auto& [name, made] : kReductions) {
    if (name == reduction) return made;
  }
  fail(ErrorCode::kUnsupported, "reduces by '", model::brief(reduction), "'");
}

void scatter(Context& c) {
  scatter_by(c, reduction_named(c.word("reduce", "")), c.flag("include_self", true));
}

// An index list along an axis for all elements of `like`, whose axis has as many elements.
Source spread_index(Context& c, const Source& like, int64_t axis) {
  Ints shape(c.b().rank(like), 1);
  shape[static_cast<size_t>(axis)] = -1;
  const Source index = convert(c, c.required_input("index", 1), ElementType::kI64);
  return c.b().add("Broadcast", {reshape(c, index, shape), shape_of(c, like)});
}

// Adds slices of the source to slices of the input, or replaces them.
void write_slices(Context& c, const char* reduction) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  Source values = convert(c, c.required_input("source", 2), c.b().type(x));
  if (c.b().rank(values) != c.b().rank(x)) {
    fail(ErrorCode::kInvalidModel, "its source has ", c.b().rank(values), " axes, its input has ",
         c.b().rank(x));
  }
  const Scalar alpha = c.number("alpha", 1);
  if (alpha.known != 1) values = with_number(c, "Multiply", values, alpha);
  c.give(c.b().add("ScatterElementsUpdate", {x, spread_index(c, values, axis), values, c.b().scalar(axis)},
                   {{"reduction", std::string(reduction)}, {"use_init_val", c.flag("include_self", true)}}));
}

void index_add(Context& c) { write_slices(c, "sum"); }
void index_copy(Context& c) { write_slices(c, "none"); }
void index_reduce(Context& c) { write_slices(c, reduction_named(c.word("reduce", ""))); }

// Fills slices with one number.
void index_fill(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  const Source given = reshape(c, convert(c, c.required_input("index", 1), ElementType::kI64), {-1});
  const Source behind_end = c.b().add("Add", {given, size_of(c, x, axis)});
  const Source index = c.b().add("Select", {with_number(c, "Less", given, 0), behind_end, given});
  const Source value = c.find("value")
                           ? number_like(c, c.number("value"), x)
                           : reshape(c, convert(c, c.required_input("value", 2), c.b().type(x)), {});
  const Source slices = c.b().add("Gather", {x, index, c.b().scalar(axis)});
  const Source values = c.b().add("Broadcast", {value, shape_of(c, slices)});
  c.give(c.b().add("ScatterUpdate", {x, index, values, c.b().scalar(axis)}));
}

// The elements of the source, in order, to where the mask is true.
void masked_scatter(Context& c) {
  const Source x = c.input(0);
  const Source mask = c.b().add(
      "Broadcast", {convert(c, c.required_input("mask", 1), ElementType::kBoolean), shape_of(c, x)});
  const Source flat = reshape(c, convert(c, mask, ElementType::kI64), {-1});
  const Source ranks = with_number(c, "Subtract", c.b().add("CumSum", {flat, c.b().scalar(int64_t{0})}), 1);
  const Source places = with_number(c, "Maximum", ranks, 0);
  const Source source = reshape(c, convert(c, c.required_input("source", 2), c.b().type(x)), {-1});
  const Source found = c.b().add("Gather", {source, places, c.b().scalar(int64_t{0})});
  const Source values = c.b().add("Reshape", {found, shape_of(c, x)}, {{"special_zero", false}});
  c.give(c.b().add("Select", {mask, values, x}));
}

// Replaces start:stop:step of axes. The new values are broadcast.
Source replace_slice(Context& c, const Source& x, const Source& values, const std::vector<Source>& starts,
                     const std::vector<Source>& stops, const std::vector<Source>& steps, const Ints& axes) {
  const std::vector<Source> where = {concat_lists(c, starts), concat_lists(c, stops), concat_lists(c, steps),
                                     c.b().list(axes)};
  const Source replaced = c.b().add("Slice", {x, where[0], where[1], where[2], where[3]});
  const Source spread = c.b().add("Broadcast", {convert(c, values, c.b().type(x)), shape_of(c, replaced)});
  return c.b().add("SliceScatter", {x, spread, where[0], where[1], where[2], where[3]});
}

// The end of a slice of one element that begins at `position`.
Source behind(Context& c, const Source& position, std::optional<int64_t> known) {
  if (!known) return with_number(c, "Add", position, 1);
  // An end of 0 counted from the end of the axis would mean its beginning.
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  return c.b().list({*known == -1 || *known == kEnd ? kEnd : *known + 1});
}

void slice_scatter(Context& c) {
  const Source x = c.input(0);
  Source values = c.input(1);
  const Ints dims = c.ints(c.find("dims") ? "dims" : "dim");
  const Bounds begins(c, "start", dims.size(), 0), ends(c, "end", dims.size(), kNotGiven),
      steps(c, "step", dims.size(), 1), selects(c, "select", dims.size(), kNotGiven);
  const size_t rank = c.b().rank(x);
  std::vector<Source> from, to, by;
  Ints axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    axes.push_back(c.axis(dims[i], rank));
    if (selects.known(c, i) == kNotGiven) {
      from.push_back(begins.list(c, i));
      to.push_back(ends.list(c, i));
      by.push_back(steps.list(c, i));
      continue;
    }
    // One position, whose axis the new values lack.
    from.push_back(selects.list(c, i));
    to.push_back(behind(c, from.back(), selects.known(c, i)));
    by.push_back(c.b().list({1}));
    if (c.b().rank(values) > 0) values = unsqueeze(c, values, axes.back());
  }
  c.give(replace_slice(c, x, values, from, to, by, axes));
}

void select_scatter(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x)), index = c.integer("index");
  const Source position = c.b().list({index});
  c.give(replace_slice(c, x, unsqueeze(c, c.input(1), axis), {position}, {behind(c, position, index)},
                       {c.b().list({1})}, {axis}));
}

// The order that undoes a transposition.
Ints inverse(const Ints& order) {
  Ints undone(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) undone[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return undone;
}

// Replaces a diagonal of two axes.
void diagonal_scatter(Context& c) {
  const Source x = c.input(0);
  const Diagonal found =
      find_diagonal(c, x, c.number("offset", 0), c.integer("dim1", 0), c.integer("dim2", 1));
  const int64_t last = static_cast<int64_t>(c.b().rank(x)) - 2;
  const Source values = convert(c, c.required_input("src", 1), c.b().type(x));
  const Source flat =
      c.b().add("ScatterUpdate", {flat_matrices(c, found), found.places, values, c.b().scalar(last)});
  const Source matrices =
      c.b().add("Reshape", {flat, shape_of(c, found.matrices)}, {{"special_zero", false}});
  c.give(transpose(c, matrices, inverse(found.order)));
}

// Writes values, or adds them, to elements by their indices in the flat input.
void put(Context& c) {
  const Source x = c.input(0);
  const Source index = reshape(c, convert(c, c.required_input("index", 1), ElementType::kI64), {-1});
  const Source values = reshape(c, convert(c, c.required_input("source", 2), c.b().type(x)), {-1});
  const Source flat =
      c.b().add("ScatterElementsUpdate", {reshape(c, x, {-1}), index, values, c.b().scalar(int64_t{0})},
                {{"reduction", c.flag("accumulate", false) ? "sum" : "none"}, {"use_init_val", true}});
  c.give(c.b().add("Reshape", {flat, shape_of(c, x)}, {{"special_zero", false}}));
}

void index_put(Context& c) {
  const Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  const auto [axes, others, indices] = indices_of(c, "indices", rank);
  const bool sum = c.flag("accumulate", false);
  Source values = c.find("values") ? number_like(c, c.number("values"), x)
                                   : convert(c, c.required_input("values", 2), c.b().type(x));
  if (is_mask(c, indices[0]) && c.b().rank(values) == 0) {
    // The mask covers the first axes.
    Source mask = indices[0];
    while (c.b().rank(mask) < rank) mask = unsqueeze(c, mask, static_cast<int64_t>(c.b().rank(mask)));
    if (sum) values = c.b().add("Add", {x, values});
    c.give(c.b().add("Select", {mask, values, x}));
    return;
  }
  // The indexed axes move to the front.
  Ints order = axes;
  for (const int64_t axis : others) order.push_back(axis);
  const bool in_front = std::is_sorted(order.begin(), order.end());
  const Source moved = in_front ? x : transpose(c, x, order);
  const Source tuples = is_mask(c, indices[0]) ? places_of(c, indices[0]) : index_tuples(c, indices);
  // Determines the shape of the values to write: at each position, a block of the axes without an index.
  const Source written = c.b().add("GatherND", {moved, tuples});
  const Ints back = result_order(axes, others, c.b().rank(tuples) - 1);
  if (back.empty()) {
    values = c.b().add("Broadcast", {values, shape_of(c, written)});
  } else {
    values = c.b().add("Broadcast", {values, shape_of(c, transpose(c, written, back))});
    values = transpose(c, values, inverse(back));
  }
  const Source result =
      c.b().add("ScatterNDUpdate", {moved, tuples, values}, {{"reduction", sum ? "sum" : "none"}});
  c.give(in_front ? result : transpose(c, result, inverse(order)));
}

void fill(Context& c) {
  const Source x = c.input(0);
  const Source value = c.find("value") ? number_like(c, c.number("value"), x)
                                       : convert(c, c.required_input("value", 1), c.b().type(x));
  c.give(c.b().add("Broadcast", {value, shape_of(c, x)}));
}

constexpr Entry kEntries[] = {
    {"torch.scatter_add", scatter_add, "ScatterElementsUpdate"},
    {"torch.slice_scatter", slice_scatter, "Slice SliceScatter"},
    {"Tensor.slice_copy", slice_scatter, "Slice SliceScatter"},
    {"aten::select_scatter", select_scatter, "Slice SliceScatter", false, "input src dim index"},
    {"aten::diagonal_scatter", diagonal_scatter, "ScatterUpdate", false, "input src offset dim1 dim2"},
    {"aten::put", put, "ScatterElementsUpdate", false, "input index source accumulate"},
    {"aten::scatter", scatter, "ScatterElementsUpdate", false,
     "input dim index src|input dim index src reduce"},
    {"aten::scatter_add", scatter_add, "ScatterElementsUpdate", false, "input dim index src"},
    {"aten::scatter_reduce", scatter, "ScatterElementsUpdate", false,
     "input dim index src reduce include_self"},
    {"aten::index_add", index_add, "ScatterElementsUpdate Multiply", false,
     "input dim index source|input dim index source alpha"},
    {"aten::index_reduce", index_reduce, "ScatterElementsUpdate", false,
     "input dim index source reduce include_self"},
    {"aten::index_copy", index_copy, "ScatterElementsUpdate", false, "input dim index source"},
    {"aten::index_fill", index_fill, "Add Less Select Gather ScatterUpdate", false,
     "input dim index value|input dim index value inplace"},
    {"aten::masked_scatter", masked_scatter, "CumSum Subtract Maximum Select", false, "input mask source"},
    {"Tensor.index_put", index_put, "GatherND ScatterNDUpdate Select NonZero Add"},
    {"Tensor.fill", fill, "Broadcast"},
};

}  // namespace

std::span<const Entry> scatters() { return kEntries; }

}  // namespace wasmvino::pnnx
