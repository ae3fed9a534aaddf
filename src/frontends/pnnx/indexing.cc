// SPDX-License-Identifier: Apache-2.0
// Slices, and elements selected by indices.
#include <algorithm>
#include <limits>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"
#include "frontends/pnnx/indices.h"

namespace wasmvino::pnnx {
namespace {

void select_index(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  const auto index = c.find("index") ? std::nullopt : c.find_input("index", 1);
  if (!index) {
    c.give(select(c, x, axis, c.integer("index")));
  } else {
    c.give(
        c.b().add("Gather", {x, reshape(c, convert(c, *index, ElementType::kI64), {}), c.b().scalar(axis)}));
  }
}

// A list of one number: a parameter, or an input.
Source one_of(Context& c, const char* name) {
  return reshape(c, number_as(c, c.number(name), ElementType::kI64), {1});
}

void narrow(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  if (c.is_marked("start") || c.is_marked("length")) {
    // A start that counts from the end of the axis counts from its beginning, too.
    const Source given = one_of(c, "start"), size = size_of(c, x, axis);
    const Source start =
        c.b().add("Select", {with_number(c, "Less", given, 0), c.b().add("Add", {given, size}), given});
    const Source end = c.b().add("Add", {start, one_of(c, "length")});
    c.give(c.b().add("Slice", {x, start, end, c.b().list({1}), c.b().list({axis})}));
    return;
  }
  const int64_t start = c.integer("start");
  int64_t end = 0;
  if (__builtin_add_overflow(start, c.integer("length"), &end))
    fail(ErrorCode::kInvalidModel, "its length is too large");
  // An end of 0 counted from the end of the axis would mean its beginning.
  c.give(slice(c, x, axis, start, start < 0 && end == 0 ? std::numeric_limits<int64_t>::max() : end));
}

void slice_axes(Context& c) {
  Source x = c.input(0);
  const Ints dims = c.ints(c.find("dims") ? "dims" : "dim");
  const Bounds starts(c, "start", dims.size(), 0), ends(c, "end", dims.size(), kNotGiven),
      steps(c, "step", dims.size(), 1), selects(c, "select", dims.size(), kNotGiven);
  const size_t rank = c.b().rank(x);
  int64_t dropped = 0;
  // The axes count from the front of the original tensor, so subtract the axes removed so far. dims is
  // ascending.
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t axis = c.axis(dims[i], rank) - dropped;
    if (selects.known(c, i) != kNotGiven) {
      x = c.b().add("Gather", {x, reshape(c, selects.list(c, i), {}), c.b().scalar(axis)});
      ++dropped;
      continue;
    }
    if (starts.known(c, i) == 0 && ends.known(c, i) == kNotGiven && steps.known(c, i) == 1) continue;
    x = c.b().add("Slice", {x, starts.list(c, i), ends.list(c, i), steps.list(c, i), c.b().list({axis})});
  }
  c.give(x);
}

void gather(Context& c) {
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(c.input(0)));
  c.give(c.b().add("GatherElements", {c.input(0), c.input(1)}, {{"axis", axis}}));
}

void index_select(Context& c) {
  const Source x = c.input(0);
  c.give(c.b().add("Gather", {x, c.input(1), c.b().scalar(c.axis(c.integer("dim"), c.b().rank(x)))}));
}

// x[None, i, j]: None keeps an axis. Several indices are broadcast and combined.
void index(Context& c) {
  Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  const auto [axes, others, indices] = indices_of(c, "expr", rank);
  if (is_mask(c, indices[0])) {
    c.give(c.b().add("GatherND", {x, places_of(c, indices[0])}));
    return;
  }
  if (axes.size() == 1) {
    c.give(c.b().add("Gather", {x, indices[0], c.b().scalar(axes[0])}));
    return;
  }
  // Moves the indexed axes to the front, then combines the indices to tuples.
  Ints order = axes;
  for (const int64_t axis : others) order.push_back(axis);
  if (!std::is_sorted(order.begin(), order.end())) x = transpose(c, x, order);
  const Source tuples = index_tuples(c, indices);
  const Source result = c.b().add("GatherND", {x, tuples});
  const Ints back = result_order(axes, others, c.b().rank(tuples) - 1);
  c.give(back.empty() ? result : transpose(c, result, back));
}

void masked_select(Context& c) {
  const Source mask = convert(c, c.input(1), ElementType::kBoolean);
  const Source common = c.b().add("Broadcast", {c.input(0), shape_of(c, mask)}, {{"mode", "bidirectional"}});
  const Source places = c.b().add("Broadcast", {mask, shape_of(c, common)}, {{"mode", "bidirectional"}});
  c.give(c.b().add("GatherND", {common, places_of(c, places)}));
}

// Elements by their indices in the flat input.
Source taken(Context& c, const Source& x, const Source& indices) {
  return c.b().add("Gather", {reshape(c, x, {-1}), indices, c.b().scalar(int64_t{0})});
}

// Elements by their indices along an axis; other axes are broadcast. Without an axis, of all elements.
void take_along(Context& c) {
  Source x = c.input(0), indices = convert(c, c.required_input("indices", 1), ElementType::kI64);
  if (!c.has("dim")) {
    c.give(taken(c, x, reshape(c, indices, {-1})));
    return;
  }
  const size_t rank = c.b().rank(x);
  const int64_t axis = c.axis(c.integer("dim"), rank);
  if (c.b().rank(indices) != rank) {
    fail(ErrorCode::kInvalidModel, "its indices have ", c.b().rank(indices), " axes, its input has ", rank);
  }
  // Both get the sizes of the other along all axes but this one.
  const auto broadcast_to = [&](const Source& from, const Source& other) {
    std::vector<Source> sizes;
    for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i) {
      sizes.push_back(i == axis ? c.b().list({1}) : size_of(c, other, i));
    }
    return c.b().add("Broadcast", {from, concat_lists(c, sizes)}, {{"mode", "bidirectional"}});
  };
  indices = broadcast_to(indices, x);
  x = broadcast_to(x, indices);
  c.give(c.b().add("GatherElements", {x, indices}, {{"axis", axis}}));
}

void take(Context& c) { c.give(taken(c, c.input(0), convert(c, c.input(1), ElementType::kI64))); }

void nonzero(Context& c) { c.give(places_of(c, c.input(0))); }

// The same places, one list per axis.
void nonzero_lists(Context& c) {
  const Source x = c.input(0);
  const Source places = c.b().add("NonZero", {x}, {{"output_type", ElementType::kI64}});
  std::vector<Source> lists;
  for (size_t i = 0; i < c.b().rank(x); ++i) lists.push_back(select(c, places, 0, static_cast<int64_t>(i)));
  c.give_list(std::move(lists));
}

constexpr Entry kEntries[] = {
    {"Tensor.select", select_index, "Gather", true},
    {"torch.select", select_index, "Gather", true},
    {"torch.narrow", narrow, "Slice", true},
    {"aten::narrow_copy", narrow, "Slice", false, "input dim start length"},
    {"aten::select_copy", select_index, "Gather", false, "input dim index"},
    {"Tensor.slice", slice_axes, "Gather Slice", true},
    {"torch.gather", gather, "GatherElements"},
    {"torch.index_select", index_select, "Gather", true},
    {"Tensor.index", index, "Add Gather GatherND NonZero", true},
    {"aten::take_along_dim", take_along, "GatherElements Gather", false, "input indices dim"},
    {"aten::take", take, "Gather"},
    {"aten::nonzero", nonzero, "NonZero"},
    {"aten::argwhere", nonzero, "NonZero"},
    {"aten::where", nonzero_lists, "NonZero"},
    {"aten::nonzero_numpy", nonzero_lists, "NonZero"},
    {"torch.masked_select", masked_select, "NonZero GatherND"},
};

}  // namespace

std::span<const Entry> indexing() { return kEntries; }

}  // namespace wasmvino::pnnx
