// SPDX-License-Identifier: Apache-2.0
// Operators that change shapes and types, move axes, join and split tensors.
#include <algorithm>
#include <limits>
#include <optional>

#include "frontends/pnnx/calls.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

void identity(Context& c) { c.give(c.input()); }

// A number or a tensor as a new tensor.
void new_tensor(Context& c) { c.give(convert(c, c.input(0), c.dtype(c.b().type(c.input(0))))); }

// A list of sizes: a parameter, or an input that is a list or a tuple of numbers.
Source sizes(Context& c, const char* name, size_t position) {
  if (c.find(name) != nullptr) return c.b().list(c.ints(name));
  size_t found = position;
  for (size_t i = 0; i < c.op().input_names.size(); ++i) {
    if (c.op().input_names[i] == name) found = i;
  }
  const Value& value = c.value(found);
  if (!value.is_tuple) return convert(c, c.input(found), ElementType::kI64);
  std::vector<Source> parts;
  for (const Source part : tensors_of(c, found))
    parts.push_back(reshape(c, convert(c, part, ElementType::kI64), {1}));
  if (parts.empty()) fail(ErrorCode::kInvalidModel, "its list of sizes is empty");
  return concat_lists(c, parts);
}

void reshape_to(Context& c) {
  const char* const name = c.find("size") || c.is_marked("size") ? "size" : "shape";
  c.give(c.b().add("Reshape", {c.input(0), sizes(c, name, 1)}, {{"special_zero", false}}));
}

void reshape_as(Context& c) {
  c.give(c.b().add("Reshape", {c.input(0), shape_of(c, c.input(1))}, {{"special_zero", false}}));
}

void flatten(Context& c) {
  const Source x = c.input();
  const size_t rank = c.b().rank(x);
  if (rank == 0) {
    c.give(reshape(c, x, {1}));
    return;
  }
  const int64_t first = c.axis(c.integer("start_dim", c.op().type == "nn.Flatten" ? 1 : 0), rank);
  const int64_t last = c.axis(c.integer("end_dim", -1), rank);
  if (last < first)
    fail(ErrorCode::kInvalidModel, "ends at axis ", last, ", before it starts at axis ", first);
  c.give(reshape_axes(c, x, static_cast<size_t>(first), static_cast<size_t>(last - first + 1), {-1}));
}

void unflatten(Context& c) {
  const Source x = c.input();
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  c.give(reshape_axes(c, x, static_cast<size_t>(axis), 1,
                      c.ints(c.find("sizes") ? "sizes" : "unflattened_size")));
}

void permute(Context& c) {
  const Source x = c.input();
  Ints order;
  for (const int64_t axis : c.ints("dims")) order.push_back(c.axis(axis, c.b().rank(x)));
  c.give(transpose(c, x, order));
}

Source swapped(Context& c, const Source& x, int64_t first, int64_t second) {
  const size_t rank = c.b().rank(x);
  Ints order;
  for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  std::swap(order[static_cast<size_t>(c.axis(first, rank))],
            order[static_cast<size_t>(c.axis(second, rank))]);
  return transpose(c, x, order);
}

void transpose_two(Context& c) { c.give(swapped(c, c.input(), c.integer("dim0"), c.integer("dim1"))); }

void matrix_transpose(Context& c) {
  if (c.b().rank(c.input()) < 2) {
    identity(c);
  } else {
    c.give(swapped(c, c.input(), -1, -2));
  }
}

// All axes in reverse.
void reverse_axes(Context& c) {
  const Source x = c.input();
  Ints order;
  for (size_t i = c.b().rank(x); i-- > 0;) order.push_back(static_cast<int64_t>(i));
  c.give(transpose(c, x, order));
}

// Axes whose size is not 1 stay, as in PyTorch.
void squeeze_axes(Context& c) {
  const Source x = c.input();
  const PartialShape shape = c.b().shape(x);
  const size_t rank = c.b().rank(x);
  Ints axes;
  for (const int64_t axis : reduced_axes(c, x)) {
    const Dimension size = shape[static_cast<size_t>(axis)];
    // If no axis is selected, dynamic axes stay, which agrees with the shapes that pnnx declares.
    if (size.is_static() ? size.size() == 1 : c.has("dim")) axes.push_back(axis);
  }
  c.give(axes.empty() || rank == 0 ? x : c.b().add("Squeeze", {x, c.b().list(axes)}));
}

void unsqueeze_axis(Context& c) {
  c.give(unsqueeze(c, c.input(), c.axis(c.integer("dim"), c.b().rank(c.input()) + 1)));
}

// The tensors of a list, in a common type: inputs one by one, or one list.
std::vector<Source> tensor_list(Context& c) {
  std::vector<Source> parts;
  for (size_t i = 0; i < c.input_count(); ++i) {
    const std::vector<Source> found = c.value(i).is_tuple ? tensors_of(c, i) : std::vector{c.input(i)};
    parts.insert(parts.end(), found.begin(), found.end());
  }
  if (parts.empty()) fail(ErrorCode::kInvalidModel, "has no inputs");
  ElementType common = c.b().type(parts[0]);
  for (const Source part : parts) common = promoted(common, c.b().type(part));
  for (Source& part : parts) part = convert(c, part, common);
  return parts;
}

void cat_tensors(Context& c) {
  const std::vector<Source> parts = tensor_list(c);
  c.give(concat(c, parts, c.axis(c.integer("dim", 0), c.b().rank(parts[0]))));
}

void stack(Context& c) {
  std::vector<Source> parts = tensor_list(c);
  const int64_t axis = c.axis(c.integer("dim", 0), c.b().rank(parts[0]) + 1);
  for (Source& part : parts) part = unsqueeze(c, part, axis);
  c.give(concat(c, parts, axis));
}

// The size of an axis of the input, if it is known.
Dimension size_to_cut(Context& c, int64_t axis) {
  Dimension size = c.b().shape(c.input())[static_cast<size_t>(axis)];
  // If the input's shape is computed, only the file knows the sizes.
  const PartialShape& declared = c.declared(0).shape;
  if (!size.is_static() && declared.has_rank() && declared.rank() == c.b().rank(c.input())) {
    size = declared[static_cast<size_t>(axis)];
  }
  return size;
}

// The outputs as the line names them, or one tuple.
void give_parts(Context& c, std::vector<Source> parts) {
  // A call by position gives a list, even of one tensor.
  if (c.op().outputs.size() == 1 && (parts.size() > 1 || c.op().type.starts_with("aten::"))) {
    c.give_list(std::move(parts));
    return;
  }
  if (c.op().outputs.size() != parts.size()) {
    fail(ErrorCode::kInvalidModel, "has ", c.op().outputs.size(), " outputs, its input gives ", parts.size());
  }
  c.give(parts);
}

void check_parts(int64_t count) {
  constexpr int64_t kMost = int64_t{1} << 16;
  if (count < 1 || count > kMost) {
    fail(ErrorCode::kInvalidModel, "cuts into ", count, " parts, expected 1 to ", kMost);
  }
}

void check_step(int64_t step) {
  if (step < 1) fail(ErrorCode::kInvalidModel, "cuts into parts of ", step, " elements");
}

void cut(Context& c, int64_t axis, int64_t size, int64_t step) {
  check_step(step);
  check_parts(size / step + (size % step != 0));
  Ints parts;
  for (int64_t at = 0; at < size; at += step) parts.push_back(std::min(step, size - at));
  give_parts(c, split(c, c.input(), axis, parts));
}

// Parts whose sizes are computed: a list of as many sizes as there are outputs.
void give_computed_parts(Context& c, int64_t axis, const Source& sizes) {
  const PartialShape& shape = c.b().shape(sizes);
  if (!shape.is_static() || shape.rank() != 1) {
    fail(ErrorCode::kUnsupported, "its sizes are a list of the shape ", shape, ", expected a known number");
  }
  check_parts(shape[0].size());
  const size_t count = static_cast<size_t>(shape[0].size());
  const Source made = c.b().add("VariadicSplit", {c.input(0), c.b().scalar(axis), sizes}, {}, count);
  std::vector<Source> parts;
  for (size_t i = 0; i < count; ++i) parts.push_back(model::Builder::output(made, i));
  give_parts(c, std::move(parts));
}

[[noreturn]] void refuse_list(int64_t axis) {
  fail(ErrorCode::kUnsupported, "cuts axis ", axis, ", whose size is dynamic, into a list of unknown length");
}

// 0, 1, 2 and so on for each of `count` parts.
Source numbers_of_parts(Context& c, int64_t count) {
  check_parts(count);
  Ints numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(i);
  return c.b().list(numbers);
}

// Parts of `step` elements of an axis of computed size, one for each output. Later ones may be shorter.
void cut_computed(Context& c, int64_t axis, const Source& step) {
  const size_t count = c.op().outputs.size();
  if (count < 2) refuse_list(axis);
  const Source begin = c.b().add("Multiply", {numbers_of_parts(c, static_cast<int64_t>(count)), step});
  const Source left = c.b().add("Subtract", {length_of(c, c.input(), axis), begin});
  give_computed_parts(c, axis, c.b().add("Minimum", {with_number(c, "Maximum", left, 0), step}));
}

void chunk(Context& c) {
  const int64_t axis = c.axis(c.integer("dim", 0), c.b().rank(c.input())), count = c.integer("chunks");
  check_parts(count);
  const Dimension size = size_to_cut(c, axis);
  if (size.is_static()) {
    cut(c, axis, size.size(), size.size() / count + (size.size() % count != 0));
  } else {
    const Source rounded_up =
        with_number(c, "Add", length_of(c, c.input(), axis), static_cast<double>(count - 1));
    cut_computed(c, axis, with_number(c, "Divide", rounded_up, static_cast<double>(count)));
  }
}

void split_tensor(Context& c) {
  const int64_t axis = c.axis(c.integer("dim", 0), c.b().rank(c.input()));
  const char* const name = c.find("split_size_or_sections") ? "split_size_or_sections" : "split_size";
  const Parameter* sections = c.find(name);
  if (sections == nullptr && c.is_marked("split_size_or_sections")) {
    give_computed_parts(c, axis,
                        convert(c, c.required_input("split_size_or_sections", 1), ElementType::kI64));
  } else if (sections != nullptr && std::holds_alternative<Ints>(*sections)) {
    give_parts(c, split(c, c.input(), axis, c.ints(name)));
  } else if (const Dimension size = size_to_cut(c, axis); size.is_static()) {
    cut(c, axis, size.size(), c.integer(name));
  } else {
    check_step(c.integer(name));
    cut_computed(c, axis, c.b().scalar(c.integer(name)));
  }
}

// The parts that begin at 0 and at given indices. Indices that descend give empty parts.
void split_at_indices(Context& c, int64_t axis, const Ints& indices) {
  const Dimension size = size_to_cut(c, axis);
  if (!size.is_static()) {
    std::vector<Source> slices;
    int64_t begin = 0;
    for (const int64_t end : indices) {
      slices.push_back(slice(c, c.input(), axis, begin, end));
      begin = end;
    }
    slices.push_back(slice(c, c.input(), axis, begin, std::numeric_limits<int64_t>::max()));
    give_parts(c, std::move(slices));
    return;
  }
  Ints places = {0};
  for (const int64_t index : indices)
    places.push_back(std::clamp<int64_t>(index < 0 ? index + size.size() : index, 0, size.size()));
  places.push_back(size.size());
  if (std::is_sorted(places.begin(), places.end())) {
    Ints parts;
    for (size_t i = 0; i + 1 < places.size(); ++i) parts.push_back(places[i + 1] - places[i]);
    give_parts(c, split(c, c.input(), axis, parts));
    return;
  }
  std::vector<Source> slices;
  for (size_t i = 0; i + 1 < places.size(); ++i)
    slices.push_back(slice(c, c.input(), axis, places[i], std::max(places[i], places[i + 1])));
  give_parts(c, std::move(slices));
}

// Parts of almost equal size, larger ones first.
void split_evenly(Context& c, int64_t axis, int64_t count) {
  check_parts(count);
  const Dimension size = size_to_cut(c, axis);
  if (size.is_static()) {
    Ints parts;
    for (int64_t i = 0; i < count; ++i) parts.push_back(size.size() / count + (i < size.size() % count));
    give_parts(c, split(c, c.input(), axis, parts));
    return;
  }
  const double divisor = static_cast<double>(count);
  const Source length = length_of(c, c.input(), axis);
  const Source larger =
      c.b().add("Less", {numbers_of_parts(c, count), with_number(c, "FloorMod", length, divisor)});
  give_computed_parts(
      c, axis,
      c.b().add("Add", {with_number(c, "Divide", length, divisor), convert(c, larger, ElementType::kI64)}));
}

void split_at(Context& c, int64_t axis) {
  const bool by_indices = c.has("indices");
  const char* const name = by_indices ? "indices" : "sections";
  const Parameter* sections = c.find(name);
  if (by_indices || (sections != nullptr && std::holds_alternative<Ints>(*sections))) {
    split_at_indices(c, axis, c.ints(name));
  } else {
    split_evenly(c, axis, c.integer("sections"));
  }
}

void tensor_split(Context& c) { split_at(c, c.axis(c.integer("dim", 0), c.b().rank(c.input()))); }
void hsplit(Context& c) { split_at(c, c.axis(c.b().rank(c.input()) == 1 ? 0 : 1, c.b().rank(c.input()))); }
void vsplit(Context& c) { split_at(c, c.axis(0, c.b().rank(c.input()))); }
void dsplit(Context& c) { split_at(c, c.axis(2, c.b().rank(c.input()))); }

void unbind(Context& c) {
  const int64_t axis = c.axis(c.integer("dim", 0), c.b().rank(c.input()));
  const Dimension known = size_to_cut(c, axis);
  const size_t outputs = c.op().outputs.size();
  if (!known.is_static() && outputs < 2) refuse_list(axis);
  const int64_t size = known.is_static() ? known.size() : static_cast<int64_t>(outputs);
  check_parts(size);
  const Source made =
      c.b().add("Split", {c.input(), c.b().scalar(axis)}, {{"num_splits", size}}, static_cast<size_t>(size));
  std::vector<Source> parts;
  for (int64_t i = 0; i < size; ++i) {
    parts.push_back(squeeze(c, model::Builder::output(made, static_cast<size_t>(i)), axis));
  }
  give_parts(c, parts);
}

// A size of -1 keeps the input's size. The other sizes are those of the result.
void expand(Context& c) {
  c.ignore("implicit");
  if (c.find("sizes") == nullptr && c.find("size") == nullptr) {
    const Source target = sizes(c, "sizes", 1);
    const Source kept = c.b().add("Abs", {target});
    c.give(c.b().add("Broadcast", {c.input(0), kept}, {{"mode", "bidirectional"}}));
    return;
  }
  Ints target = c.ints(c.find("sizes") ? "sizes" : "size");
  for (int64_t& size : target) size = size == -1 ? 1 : size;
  c.give(c.b().add("Broadcast", {c.input(0), c.b().list(target)}, {{"mode", "bidirectional"}}));
}

void expand_as(Context& c) {
  c.give(c.b().add("Broadcast", {c.input(0), shape_of(c, c.input(1))}, {{"mode", "bidirectional"}}));
}

void repeat(Context& c) {
  const char* const name = c.find("dims") ? "dims" : "sizes";
  c.give(c.b().add("Tile", {c.input(0), sizes(c, name, 1)}));
}

// The index of the element at each position, if element i occurs repeats[i] times.
Source repeated_indices(Context& c, const Source& repeats) {
  constexpr int64_t kMost = 1 << 20;
  const std::optional<Ints> known = c.b().known_ints(repeats);
  int64_t total = 0;
  if (known && std::all_of(known->begin(), known->end(), [&](int64_t count) {
        return count >= 0 && count <= kMost && (total += count) <= kMost;
      })) {
    Ints indices;
    for (size_t i = 0; i < known->size(); ++i) {
      for (int64_t k = 0; k < (*known)[i]; ++k) indices.push_back(static_cast<int64_t>(i));
    }
    return c.b().list(indices);
  }
  // The number of elements whose last position is before.
  const Source ends = c.b().add("CumSum", {repeats, c.b().scalar(int64_t{0})});
  const Source positions = range_to(c, reduce(c, "ReduceSum", repeats, {0}, false));
  return c.b().add("SearchSorted", {ends, positions},
                   {{"right_mode", true}, {"output_type", ElementType::kI64}});
}

void repeat_interleave(Context& c) {
  Source x = c.input(0);
  // The sum of the repeats.
  c.ignore("output_size");
  if (!c.has("dim")) x = reshape(c, x, {-1});
  const int64_t axis = c.axis(c.integer("dim", 0), c.b().rank(x));
  if (c.find("repeats") == nullptr) {
    Source repeats = convert(c, c.required_input("repeats", 1), ElementType::kI64);
    if (c.b().rank(repeats) > 1)
      fail(ErrorCode::kInvalidModel, "its repeats are ", c.b().shape(repeats), ", expected one axis");
    // One number counts for all elements.
    repeats = c.b().add("Broadcast", {repeats, size_of(c, x, axis)});
    c.give(c.b().add("Gather", {x, repeated_indices(c, repeats), c.b().scalar(axis)}));
    return;
  }
  Ints repeats;
  for (size_t i = 0; i <= c.b().rank(x); ++i)
    repeats.push_back(static_cast<int64_t>(i) == axis + 1 ? c.integer("repeats") : 1);
  const Source repeated = c.b().add("Tile", {unsqueeze(c, x, axis + 1), c.b().list(repeats)});
  c.give(reshape_axes(c, repeated, static_cast<size_t>(axis), 2, {-1}));
}

void roll(Context& c) {
  const Source x = c.input();
  const Source shifts = c.is_marked("shifts")
                            ? reshape(c, convert(c, c.required_input("shifts", 1), ElementType::kI64), {-1})
                            : c.b().list(c.ints("shifts"));
  if (!c.has("dims")) {
    const Source flat = c.b().add("Roll", {reshape(c, x, {-1}), shifts, c.b().list({0})});
    c.give(c.b().add("Reshape", {flat, shape_of(c, x)}, {{"special_zero", false}}));
    return;
  }
  c.give(c.b().add("Roll", {x, shifts, c.b().list(c.ints("dims"))}));
}

Source flipped(Context& c, const Source& x, int64_t axis) {
  return slice(c, x, c.axis(axis, c.b().rank(x)), -1, std::numeric_limits<int64_t>::min(), -1);
}

void flip(Context& c) {
  Source x = c.input();
  for (const int64_t axis : c.ints("dims")) x = flipped(c, x, axis);
  c.give(x);
}

void flip_columns(Context& c) { c.give(flipped(c, c.input(), 1)); }
void flip_rows(Context& c) { c.give(flipped(c, c.input(), 0)); }

// Quarter turns from the first of two axes to the second.
void rotate(Context& c) {
  Source x = c.input();
  const size_t rank = c.b().rank(x);
  const Ints dims = c.has("dims") ? c.ints("dims", 2) : Ints{0, 1};
  const int64_t first = c.axis(dims[0], rank), second = c.axis(dims[1], rank);
  if (first == second) fail(ErrorCode::kInvalidModel, "turns axis ", first, " to itself");
  const int64_t turns = ((c.integer("k", 1) % 4) + 4) % 4;
  if (turns == 1 || turns == 2) x = flipped(c, x, second);
  if (turns == 2 || turns == 3) x = flipped(c, x, first);
  c.give(turns % 2 == 1 ? swapped(c, x, first, second) : x);
}

// Axes to other positions. The others keep their order.
void move_axes(Context& c) {
  const Source x = c.input();
  const size_t rank = c.b().rank(x);
  const Ints from = c.ints("source"), to = c.ints("destination");
  if (from.size() != to.size()) {
    fail(ErrorCode::kInvalidModel, "moves ", from.size(), " axes to ", to.size(), " positions");
  }
  constexpr int64_t kFree = -1;
  Ints order(rank, kFree);
  std::vector<bool> moved(rank);
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t axis = c.axis(from[i], rank), position = c.axis(to[i], rank);
    if (moved[static_cast<size_t>(axis)] || order[static_cast<size_t>(position)] != kFree) {
      fail(ErrorCode::kInvalidModel, "moves axis ", axis, " to position ", position, " twice");
    }
    moved[static_cast<size_t>(axis)] = true;
    order[static_cast<size_t>(position)] = axis;
  }
  size_t next = 0;
  for (int64_t& axis : order) {
    if (axis != kFree) continue;
    while (moved[next]) ++next;
    axis = static_cast<int64_t>(next++);
  }
  c.give(transpose(c, x, order));
}

void ravel(Context& c) { c.give(reshape(c, c.input(), {-1})); }

// The number of elements.
void element_number(Context& c) {
  const Source x = c.input();
  const PartialShape& shape = c.b().shape(x);
  if (shape.is_static()) {
    c.give(c.b().scalar(static_cast<int64_t>(element_count(shape.to_shape()))));
  } else {
    c.give(reduce(c, "ReduceProd", shape_of(c, x), {0}, false));
  }
}

// A new last axis with 1 at the index.
void one_hot(Context& c) {
  const Source x = c.input();
  Source classes;
  if (const int64_t known = c.is_marked("num_classes") ? 0 : c.integer("num_classes", -1); known > 0) {
    classes = c.b().scalar(known);
  } else if (c.is_marked("num_classes")) {
    classes = number_as(c, c.number("num_classes"), ElementType::kI64);
  } else {
    // As many as the largest index asks for.
    const Source most = reduce(c, "ReduceMax", reshape(c, x, {-1}), {0}, false);
    classes = with_number(c, "Add", convert(c, most, ElementType::kI64), 1);
  }
  c.give(c.b().add("OneHot", {x, classes, c.b().scalar(int64_t{1}), c.b().scalar(int64_t{0})},
                   {{"axis", int64_t{-1}}}));
}

void to_type(Context& c) { c.give(convert(c, c.input(), c.dtype(c.b().type(c.input())))); }
void type_as(Context& c) { c.give(convert(c, c.input(0), c.b().type(c.input(1)))); }

void size(Context& c) {
  const Source x = c.input();
  if (!c.has("dim")) {
    c.give(shape_of(c, x));
    return;
  }
  c.give(length_of(c, x, c.axis(c.integer("dim"), c.b().rank(x))));
}

void channel_shuffle(Context& c) {
  c.give(c.b().add("ShuffleChannels", {c.input(0)}, {{"axis", int64_t{1}}, {"group", c.integer("groups")}}));
}

constexpr std::string_view kChunks = "VariadicSplit Add Divide Multiply Subtract Maximum Minimum",
                           kSteps = "VariadicSplit Multiply Subtract Maximum Minimum",
                           kPlaces = "VariadicSplit Slice FloorMod Less Divide Add";

constexpr Entry kEntries[] = {
    {"Tensor.reshape", reshape_to, "Reshape", true},
    {"Tensor.view", reshape_to, "Reshape", true},
    {"torch.reshape", reshape_to, "Reshape", true},
    {"Tensor.reshape_as", reshape_as, "Reshape"},
    {"Tensor.view_as", reshape_as, "Reshape"},
    {"aten::view_as", reshape_as, "Reshape"},
    {"aten::ravel", ravel, "Reshape", true},
    {"nn.Flatten", flatten, "Reshape", true},
    {"torch.flatten", flatten, "Reshape", true},
    {"nn.Unflatten", unflatten, "Reshape", true},
    {"Tensor.unflatten", unflatten, "Reshape", true},
    {"torch.unflatten", unflatten, "Reshape", true},
    {"Tensor.permute", permute, "Transpose", true},
    {"torch.permute", permute, "Transpose", true},
    {"Tensor.transpose", transpose_two, "Transpose", true},
    {"torch.transpose", transpose_two, "Transpose", true},
    {"Tensor.T", reverse_axes, "Transpose", true},
    {"aten::numpy_T", reverse_axes, "Transpose", true},
    {"Tensor.mT", matrix_transpose, "Transpose", true},
    {"aten::tensor", new_tensor, "", false, "input dtype device requires_grad"},
    {"aten::mT", matrix_transpose, "Transpose", true},
    {"aten::mH", matrix_transpose, "Transpose"},
    {"aten::movedim", move_axes, "Transpose", true, "input source destination"},
    {"aten::moveaxis", move_axes, "Transpose", true, "input source destination"},
    {"Tensor.t", matrix_transpose, "Transpose", true},
    {"torch.t", matrix_transpose, "Transpose", true},
    {"torch.squeeze", squeeze_axes, "Squeeze", true},
    {"torch.unsqueeze", unsqueeze_axis, "Unsqueeze", true},
    {"torch.cat", cat_tensors, "Concat", true},
    {"torch.stack", stack, "Unsqueeze Concat", true},
    {"torch.chunk", chunk, kChunks, true},
    {"torch.split", split_tensor, kSteps, true},
    {"torch.tensor_split", tensor_split, kPlaces, true},
    {"aten::unsafe_chunk", chunk, kChunks, true, "input chunks dim"},
    {"aten::unsafe_split", split_tensor, kSteps, true, "input split_size dim"},
    {"aten::unsafe_split_with_sizes", split_tensor, "VariadicSplit", true, "input split_size dim"},
    {"aten::hsplit", hsplit, kPlaces, true, "input sections"},
    {"aten::vsplit", vsplit, kPlaces, true, "input sections"},
    {"aten::dsplit", dsplit, kPlaces, true, "input sections"},
    {"torch.unbind", unbind, "Split Squeeze", true},
    {"Tensor.expand", expand, "Broadcast Abs", true},
    {"aten::broadcast_to", expand, "Broadcast Abs", true, "input size"},
    {"Tensor.expand_as", expand_as, "Broadcast"},
    {"Tensor.repeat", repeat, "Tile", true},
    {"torch.tile", repeat, "Tile", true},
    {"torch.repeat_interleave", repeat_interleave, "Tile Reshape CumSum ReduceSum Range SearchSorted Gather",
     true},
    {"torch.roll", roll, "Roll", true},
    {"torch.flip", flip, "Slice", true},
    {"aten::fliplr", flip_columns, "Slice", true},
    {"aten::flipud", flip_rows, "Slice", true},
    {"aten::rot90", rotate, "Slice Transpose", true, "input k dims"},
    {"Tensor.to", to_type, "Convert"},
    {"Tensor.type_as", type_as, "Convert"},
    {"Tensor.size", size, "ShapeOf"},
    {"aten::numel", element_number, ""},
    {"aten::one_hot", one_hot, "OneHot ReduceMax Add", false, "input num_classes"},
    {"nn.ChannelShuffle", channel_shuffle, "ShuffleChannels"},
    {"aten::channel_shuffle", channel_shuffle, "ShuffleChannels", false, "input groups"},
    {"Tensor.contiguous", identity, "", true},
    {"Tensor.clone", identity, "", true},
    {"Tensor.detach", identity, "", true},
    {"Tensor.alias", identity, "", true},
    {"torch.clone", identity, "", true},
};

}  // namespace

std::span<const Entry> shapes() { return kEntries; }

}  // namespace wasmvino::pnnx
