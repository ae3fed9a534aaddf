// SPDX-License-Identifier: Apache-2.0
// Tensors with some elements replaced, which PyTorch writes in place.
#include <limits>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"
#include "frontends/pnnx/indices.h"

namespace wasmvino::pnnx {
namespace {

void scatter_add(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  c.give(c.b().add("ScatterElementsUpdate", {x, c.input(1), c.input(2), c.b().scalar(axis)},
                   {{"reduction", "sum"}}));
}

// Replaces start:stop:step of axes. The new values are broadcast.
Source replace_slice(Context& c, Source x, Source values, const std::vector<Source>& starts,
                     const std::vector<Source>& stops, const std::vector<Source>& steps, const Ints& axes) {
  const std::vector<Source> where = {concat_lists(c, starts), concat_lists(c, stops), concat_lists(c, steps),
                                     c.b().list(axes)};
  const Source replaced = c.b().add("Slice", {x, where[0], where[1], where[2], where[3]});
  const Source spread = c.b().add("Broadcast", {convert(c, values, c.b().type(x)), shape_of(c, replaced)});
  return c.b().add("SliceScatter", {x, spread, where[0], where[1], where[2], where[3]});
}

// The end of a slice of one element that begins at `position`.
Source behind(Context& c, Source position, std::optional<int64_t> known) {
  if (!known) return with_number(c, "Add", position, 1);
  // An end of 0 counted from the end of the axis would mean its beginning.
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  return c.b().list({*known == -1 || *known == kEnd ? kEnd : *known + 1});
}

void slice_scatter(Context& c) {
  const Source x = c.input(0);
  Source values = c.input(1);
  const Ints dims = c.ints(c.op().find("dims") ? "dims" : "dim");
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

// ATen's call by position: input, new values, axis, position.
void select_scatter(Context& c) {
  const Source x = c.input(0);
  const auto number = [&](std::string_view name, size_t position) {
    const std::optional<Parameter> found = c.find_literal(name, position);
    const int64_t* integer = found ? std::get_if<int64_t>(&*found) : nullptr;
    if (integer == nullptr) fail(ErrorCode::kUnsupported, "its ", name, " is no known number");
    return *integer;
  };
  const int64_t axis = c.axis(number("dim", 2), c.b().rank(x)), index = number("index", 3);
  const Source position = c.b().list({index});
  c.give(replace_slice(c, x, unsqueeze(c, c.input(1), axis), {position}, {behind(c, position, index)},
                       {c.b().list({1})}, {axis}));
}

void index_put(Context& c) {
  const Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  const auto [axes, others, indices] = indices_of(c, "indices", rank);
  const bool sum = c.flag("accumulate", false);
  Source values = c.op().find("values") ? number_like(c, c.real("values"), x)
                                        : convert(c, c.required_input("values", 2), c.b().type(x));
  if (is_mask(c, indices[0]) && c.b().rank(values) == 0) {
    // The mask covers the first axes.
    Source mask = indices[0];
    while (c.b().rank(mask) < rank) mask = unsqueeze(c, mask, static_cast<int64_t>(c.b().rank(mask)));
    if (sum) values = c.b().add("Add", {x, values});
    c.give(c.b().add("Select", {mask, values, x}));
    return;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != static_cast<int64_t>(i))
      fail(ErrorCode::kUnsupported, "writes to axes that are not the first");
  }
  const Source tuples = is_mask(c, indices[0]) ? places_of(c, indices[0]) : index_tuples(c, indices);
  // Determines the shape of the values to write: at each position, a block of the axes without an index.
  const Source written = c.b().add("GatherND", {x, tuples});
  const Source spread = c.b().add("Broadcast", {values, shape_of(c, written)});
  c.give(c.b().add("ScatterNDUpdate", {x, tuples, spread}, {{"reduction", sum ? "sum" : "none"}}));
}

void fill(Context& c) {
  const Source x = c.input(0);
  const Source value = c.op().find("value") ? number_like(c, c.real("value"), x)
                                            : convert(c, c.required_input("value", 1), c.b().type(x));
  c.give(c.b().add("Broadcast", {value, shape_of(c, x)}));
}

constexpr Entry kEntries[] = {
    {"torch.scatter_add", scatter_add, "ScatterElementsUpdate"},
    {"torch.slice_scatter", slice_scatter, "Slice SliceScatter"},
    {"Tensor.slice_copy", slice_scatter, "Slice SliceScatter"},
    {"aten::select_scatter", select_scatter, "Slice SliceScatter"},
    {"Tensor.index_put", index_put, "GatherND ScatterNDUpdate Select NonZero Add"},
    {"Tensor.fill", fill, "Broadcast"},
};

}  // namespace

std::span<const Entry> scatters() { return kEntries; }

}  // namespace wasmvino::pnnx
