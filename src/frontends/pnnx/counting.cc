// SPDX-License-Identifier: Apache-2.0
// Distinct elements and how often they occur.
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// Places and counts are empty unless the call asks for them.
void give_wanted(Context& c, const Source& values, const Source& places, const Source& counts) {
  const auto wanted = [&](const char* flag, const Source& x) {
    return c.flag(flag, true) ? x : c.b().list({});
  };
  c.give({values, wanted("return_inverse", places), wanted("return_counts", counts)});
}

// Distinct elements in ascending order, the place of each input's element among them, their counts.
void give_unique(Context& c, const Source& x, std::optional<int64_t> axis) {
  // Sorted elements are in any order, too.
  c.ignore("sorted");
  std::vector<Source> inputs = {x};
  if (axis) inputs.push_back(c.b().scalar(*axis));
  const Source found = c.b().add("Unique", inputs,
                                 {{"sorted", true},
                                  {"index_element_type", ElementType::kI64},
                                  {"count_element_type", ElementType::kI64}},
                                 4);
  const Source places = model::Builder::output(found, 2), counts = model::Builder::output(found, 3);
  if (axis) {
    c.ignore("return_inverse return_counts");
    c.give({found, places, counts});
  } else {
    give_wanted(c, found, c.b().add("Reshape", {places, shape_of(c, x)}, {{"special_zero", false}}), counts);
  }
}

void unique(Context& c) { give_unique(c, c.input(), std::nullopt); }
void unique_slices(Context& c) { give_unique(c, c.input(), c.axis(c.integer("dim"), c.b().rank(c.input()))); }

// The first of each run of equal elements, the run of each element, the lengths of the runs.
void unique_runs(Context& c) {
  if (c.has("dim"))
    fail(ErrorCode::kUnsupported, "finds equal slices (", c.op().parameter_text,
         "), expected dim=None for equal elements");
  const Source x = c.input(), flat = reshape(c, x, {-1});
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const Source count = size_of(c, flat, 0);
  // The first element begins a run if there is one.
  const Source first =
      slice(c, c.b().add("Broadcast", {c.b().scalar(1.0, ElementType::kBoolean), count}), 0, 0, 1);
  const Source differs = c.b().add("NotEqual", {slice(c, flat, 0, 1, kEnd), slice(c, flat, 0, 0, -1)});
  const Source begins = concat(c, {first, differs}, 0);
  const Source places =
      reshape(c, c.b().add("NonZero", {begins}, {{"output_type", ElementType::kI64}}), {-1});
  const Source runs =
      with_number(c, "Subtract",
                  c.b().add("CumSum", {convert(c, begins, ElementType::kI64), c.b().scalar(int64_t{0})}), 1);
  const Source ends = concat(c, {slice(c, places, 0, 1, kEnd), count}, 0);
  give_wanted(c, c.b().add("Gather", {flat, places, c.b().scalar(int64_t{0})}),
              c.b().add("Reshape", {runs, shape_of(c, x)}, {{"special_zero", false}}),
              c.b().add("Subtract", {ends, places}));
}

// Adds `values` to `count` zeros at their places.
Source add_up(Context& c, const Source& count, const Source& places, const Source& values) {
  const Source zeros = c.b().add("Broadcast", {number_like(c, 0, values), count});
  return c.b().add("ScatterElementsUpdate", {zeros, places, values, c.b().scalar(int64_t{0})},
                   {{"reduction", "sum"}, {"use_init_val", true}});
}

// How often each of the integers 0, 1, 2 ... occurs, or the sums of their weights.
void bin_count(Context& c) {
  const Source x = convert(c, c.input(0), ElementType::kI64);
  const Source most = with_number(c, "Add", reduce(c, "ReduceMax", x, {0}, true), 1);
  const Source count = with_number(c, "Maximum", most, c.number("minlength", 0));
  Source values;
  if (const auto weights = c.find_input("weights", 1)) {
    values = c.b().type(*weights) == ElementType::kF32 ? *weights : convert(c, *weights, ElementType::kF64);
  } else {
    values = c.b().add("Broadcast", {c.b().scalar(int64_t{1}), shape_of(c, x)});
  }
  c.give(add_up(c, count, x, values));
}

// Counts the elements in `bins` equal parts of the range min to max. If both are 0, it is the range of x.
void histogram(Context& c) {
  const Source x = reshape(c, as_real(c, c.input()), {-1});
  const int64_t bins = c.integer("bins", 100);
  if (bins < 1) fail(ErrorCode::kInvalidModel, "has ", bins, " bins");
  const Scalar least = c.number("min", 0), most = c.number("max", 0);
  Source low = number_like(c, least, x), high = number_like(c, most, x);
  if (!least.known || !most.known || *least.known == *most.known) {
    const Source open =
        c.b().add("LogicalAnd", {with_number(c, "Equal", low, 0), with_number(c, "Equal", high, 0)});
    low = c.b().add("Select", {open, reduce(c, "ReduceMin", x, {0}, false), low});
    high = c.b().add("Select", {open, reduce(c, "ReduceMax", x, {0}, false), high});
    const Source widen = convert(c, c.b().add("Equal", {low, high}), c.b().type(x));
    low = c.b().add("Subtract", {low, widen});
    high = c.b().add("Add", {high, widen});
  }
  const Source inside =
      c.b().add("LogicalAnd", {c.b().add("GreaterEqual", {x, low}), c.b().add("LessEqual", {x, high})});
  const Source ratio =
      c.b().add("Divide", {c.b().add("Subtract", {x, low}), c.b().add("Subtract", {high, low})});
  const Source place = with_number(c, "Minimum", with_number(c, "Multiply", ratio, static_cast<double>(bins)),
                                   static_cast<double>(bins - 1));
  const Source safe = c.b().add("Select", {inside, c.b().add("Floor", {place}), number_like(c, 0, x)});
  c.give(
      add_up(c, c.b().list({bins}), convert(c, safe, ElementType::kI64), convert(c, inside, c.b().type(x))));
}

// The most frequent element along an axis, the least of equally frequent ones, and the last of its indices.
void most_frequent(Context& c) {
  const Source x = c.input();
  const size_t rank = c.b().rank(x);
  const int64_t axis = c.axis(c.integer("dim", -1), rank);
  const bool keep = c.flag("keepdim", false);
  // Each element beside all of its row.
  Source rows = unsqueeze(c, x, axis + 1);
  Ints order;
  for (int64_t i = 0; i <= static_cast<int64_t>(rank); ++i) order.push_back(i);
  std::swap(order[static_cast<size_t>(axis)], order[static_cast<size_t>(axis) + 1]);
  const Source equal = c.b().add("Equal", {rows, transpose(c, rows, order)});
  const Source counts = reduce(c, "ReduceSum", convert(c, equal, ElementType::kI64), {axis + 1}, false);
  const Source frequent = c.b().add("Equal", {counts, reduce(c, "ReduceMax", counts, {axis}, true)});
  const Source candidates = c.b().add("Select", {frequent, x, reduce(c, "ReduceMax", x, {axis}, true)});
  const Source value = reduce(c, "ReduceMin", candidates, {axis}, true);
  Ints along(rank, 1);
  along[static_cast<size_t>(axis)] = -1;
  const Source indices = reshape(c, range_to(c, length_of(c, x, axis)), along);
  const Source found =
      c.b().add("Select", {c.b().add("Equal", {x, value}), indices, c.b().scalar(int64_t{-1})});
  const Source index = reduce(c, "ReduceMax", found, {axis}, keep);
  c.give({keep ? value : squeeze(c, value, axis), index});
}

constexpr std::string_view kRuns = "NotEqual NonZero CumSum Subtract";

constexpr Entry kEntries[] = {
    {"aten::_unique2", unique, "Unique", false, "input sorted return_inverse return_counts"},
    {"aten::unique_dim", unique_slices, "Unique", false, "input dim sorted return_inverse return_counts"},
    {"aten::unique_consecutive", unique_runs, kRuns, false, "input return_inverse return_counts dim"},
    {"aten::bincount", bin_count, "ReduceMax Add Maximum ScatterElementsUpdate", false,
     "input weights minlength"},
    {"aten::histc", histogram,
     "ReduceMin ReduceMax Equal Subtract Add GreaterEqual LessEqual LogicalAnd Divide Multiply Minimum Floor "
     "Select ScatterElementsUpdate",
     false, "input bins min max"},
    {"aten::mode", most_frequent, "Equal ReduceSum ReduceMax Select ReduceMin Range", false,
     "input dim keepdim"},
};

}  // namespace

std::span<const Entry> counting() { return kEntries; }

}  // namespace wasmvino::pnnx
