// SPDX-License-Identifier: Apache-2.0
// Joins and splits whose axis depends on the number of axes, grids, and windows as an axis.
#include <algorithm>

#include "frontends/pnnx/calls.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// At least `least` axes. As in PyTorch, rows gain axes in front, and matrices gain a third axis behind.
Source with_axes(Context& c, Source x, size_t least) {
  while (c.b().rank(x) < least) x = unsqueeze(c, x, c.b().rank(x) == 2 ? 2 : 0);
  return x;
}

void at_least(Context& c, size_t least) {
  if (!c.value(0).is_tuple) {
    c.give(with_axes(c, c.input(0), least));
    return;
  }
  std::vector<Source> made;
  for (const Source x : tensors_of(c, 0)) made.push_back(with_axes(c, x, least));
  c.give_list(std::move(made));
}

void at_least_1d(Context& c) { at_least(c, 1); }
void at_least_2d(Context& c) { at_least(c, 2); }
void at_least_3d(Context& c) { at_least(c, 3); }

// The tensors of a list with at least `least` axes, in a common type.
std::vector<Source> joined_parts(Context& c, size_t least) {
  std::vector<Source> parts = tensors_of(c, 0);
  if (parts.empty()) fail(ErrorCode::kInvalidModel, "joins an empty list");
  ElementType common = c.b().type(parts[0]);
  for (const Source part : parts) common = promoted(common, c.b().type(part));
  for (Source& part : parts) part = with_axes(c, convert(c, part, common), least);
  return parts;
}

void hstack(Context& c) {
  const std::vector<Source> parts = joined_parts(c, 1);
  c.give(concat(c, parts, c.b().rank(parts[0]) == 1 ? 0 : 1));
}

void vstack(Context& c) { c.give(concat(c, joined_parts(c, 2), 0)); }
void dstack(Context& c) { c.give(concat(c, joined_parts(c, 3), 2)); }

// Rows become columns.
void column_stack(Context& c) {
  std::vector<Source> parts = joined_parts(c, 1);
  for (Source& part : parts) {
    if (c.b().rank(part) == 1) part = unsqueeze(c, part, 1);
  }
  c.give(concat(c, parts, 1));
}

// The shape that several tensors are broadcast to.
Source common_shape(Context& c, const std::vector<Source>& tensors) {
  Source shape = shape_of(c, tensors[0]);
  for (size_t i = 1; i < tensors.size(); ++i) {
    const Source spread = c.b().add("Broadcast", {tensors[i], shape}, {{"mode", "bidirectional"}});
    shape = shape_of(c, spread);
  }
  return shape;
}

void broadcast_tensors(Context& c) {
  std::vector<Source> tensors = tensors_of(c, 0);
  if (tensors.empty()) fail(ErrorCode::kInvalidModel, "has no inputs");
  const Source shape = common_shape(c, tensors);
  for (Source& each : tensors) each = c.b().add("Broadcast", {each, shape}, {{"mode", "bidirectional"}});
  c.give_list(std::move(tensors));
}

// One tensor per row: its elements along one axis of the grid, repeated along all others. With "xy", the
// first two axes of the grid change places.
void meshgrid(Context& c) {
  std::vector<Source> rows = tensors_of(c, 0);
  constexpr size_t kMostAxes = 64;
  if (rows.empty() || rows.size() > kMostAxes) {
    fail(ErrorCode::kInvalidModel, "makes a grid of ", rows.size(), " axes, expected 1 to ", kMostAxes);
  }
  const std::string indexing = c.word("indexing", "ij");
  if (indexing != "ij" && indexing != "xy") {
    fail(ErrorCode::kInvalidModel, "its parameter indexing is '", model::brief(indexing),
         "', expected ij or xy");
  }
  std::vector<size_t> axis_of(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) axis_of[i] = i;
  if (indexing == "xy" && rows.size() > 1) std::swap(axis_of[0], axis_of[1]);
  std::vector<Source> sizes(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (c.b().rank(rows[i]) != 1) rows[i] = reshape(c, rows[i], {-1});
    sizes[axis_of[i]] = size_of(c, rows[i], 0);
  }
  const Source shape = concat_lists(c, sizes);
  for (size_t i = 0; i < rows.size(); ++i) {
    Ints along(rows.size(), 1);
    along[axis_of[i]] = -1;
    rows[i] = c.b().add("Broadcast", {reshape(c, rows[i], along), shape});
  }
  c.give_list(std::move(rows));
}

// The indices of every window along an axis of `size` elements: [windows, length].
Source window_indices(Context& c, const Source& size, int64_t length, int64_t step) {
  const Source starts = range_to(c, with_number(c, "Subtract", size, static_cast<double>(length - 1)), step);
  return c.b().add("Add", {unsqueeze(c, starts, 1), range_to(c, c.b().scalar(length))});
}

// Windows along an axis: the axis counts the windows, and a new last axis has their elements.
void unfold_axis(Context& c) {
  const Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  const int64_t axis = c.axis(c.integer("dimension"), rank), length = c.integer("size"),
                step = c.integer("step");
  constexpr int64_t kMost = int64_t{1} << 31;
  if (length < 1 || step < 1 || length > kMost || step > kMost) {
    fail(ErrorCode::kInvalidModel, "has windows of ", length, " elements at distances of ", step);
  }
  const Source indices = window_indices(c, length_of(c, x, axis), length, step);
  const Source windows = c.b().add("Gather", {x, indices, c.b().scalar(axis)});
  Ints order;
  for (size_t i = 0; i <= rank; ++i) {
    if (static_cast<int64_t>(i) != axis + 1) order.push_back(static_cast<int64_t>(i));
  }
  order.push_back(axis + 1);
  c.give(transpose(c, windows, order));
}

// Shifts each axis by half of its size: rounded down, or up for the inverse.
void shift_halves(Context& c, bool inverse) {
  const Source x = c.input();
  const Ints axes = reduced_axes(c, x);
  if (axes.empty()) {
    c.give(x);
    return;
  }
  std::vector<Source> shifts;
  for (const int64_t axis : axes) {
    Source size = size_of(c, x, axis);
    if (inverse) size = with_number(c, "Add", size, 1);
    shifts.push_back(with_number(c, "Divide", size, 2));
  }
  c.give(c.b().add("Roll", {x, concat_lists(c, shifts), c.b().list(axes)}));
}

void fft_shift(Context& c) { shift_halves(c, false); }
void fft_inverse_shift(Context& c) { shift_halves(c, true); }

constexpr Entry kEntries[] = {
    {"aten::atleast_1d", at_least_1d, ""},
    {"aten::atleast_2d", at_least_2d, ""},
    {"aten::atleast_3d", at_least_3d, ""},
    {"aten::hstack", hstack, "Concat"},
    {"aten::vstack", vstack, "Concat"},
    {"aten::row_stack", vstack, "Concat"},
    {"aten::dstack", dstack, "Concat"},
    {"aten::column_stack", column_stack, "Concat"},
    {"aten::broadcast_tensors", broadcast_tensors, "Broadcast"},
    {"aten::meshgrid", meshgrid, "Broadcast", false, "tensors indexing"},
    {"aten::unfold", unfold_axis, "Range Subtract Add Gather", false, "input dimension size step"},
    {"aten::fft_fftshift", fft_shift, "Roll Divide", false, "input dim"},
    {"aten::fft_ifftshift", fft_inverse_shift, "Roll Add Divide", false, "input dim"},
};

}  // namespace

std::span<const Entry> joins() { return kEntries; }

}  // namespace wasmvino::pnnx
