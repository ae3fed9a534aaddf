// SPDX-License-Identifier: Apache-2.0
// Operators that change or read shapes.
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

void reshape_to(Context& c, const Source& shape) {
  c.give(c.b().add("Reshape", {c.input(0), shape}, {{"special_zero", !c.flag("allowzero")}}));
}
void reshaped(Context& c) { reshape_to(c, c.input(1)); }
void legacy_reshape(Context& c) { reshape_to(c, c.b().list(c.ints("shape"))); }

void flatten(Context& c) {
  const Source x = c.input();
  const int64_t axis = c.integer("axis", 1);
  if (axis == 0) return c.give(reshape(c.b(), x, Ints{1, -1}));
  if (axis == 1) {
    // Keeps the first size also if it is 0.
    const Source rows = size_of(c.b(), x, 0);
    const Source rest = slice(c.b(), shape_of(c.b(), x), 0, 1, std::numeric_limits<int64_t>::max());
    return c.give(
        reshape(c.b(), x, concat_lists(c.b(), {rows, reduce(c.b(), "ReduceProd", rest, {0}, true)})));
  }
  const auto rank = static_cast<int64_t>(c.b().rank(x));
  if (axis < -rank || axis > rank)
    fail(ErrorCode::kInvalidModel, "has the axis ", axis, " of a value with ", rank, " axes");
  const Source sizes = shape_of(c.b(), x);
  const int64_t first = axis < 0 ? axis + rank : axis;
  const auto count = [&](int64_t begin, int64_t end) {
    return reduce(c.b(), "ReduceProd", slice(c.b(), sizes, 0, begin, end), {0}, true);
  };
  c.give(reshape(c.b(), x, concat_lists(c.b(), {count(0, first), count(first, rank)})));
}

void squeezed(Context& c) {
  const auto axes = c.find_input(1);
  c.give(axes ? c.b().add("Squeeze", {c.input(0), *axes}) : c.b().add("Squeeze", {c.input(0)}));
}
void legacy_squeeze(Context& c) {
  c.give(c.has("axes") ? squeeze(c.b(), c.input(), c.ints("axes")) : c.b().add("Squeeze", {c.input()}));
}

void legacy_unsqueeze(Context& c) { c.give(unsqueeze(c.b(), c.input(), c.ints("axes"))); }

void shape(Context& c) {
  const Source sizes = shape_of(c.b(), c.input());
  if (!c.has("start") && !c.has("end")) return c.give(sizes);
  c.give(
      slice(c.b(), sizes, 0, c.integer("start", 0), c.integer("end", std::numeric_limits<int64_t>::max())));
}

void size(Context& c) { c.give(reduce(c.b(), "ReduceProd", shape_of(c.b(), c.input()), {0}, false)); }

void expand(Context& c) {
  c.give(c.b().add("Broadcast", {c.input(0), c.input(1)}, {{"mode", "bidirectional"}}));
}

constexpr Entry kEntries[] = {
    {"Expand", kAllOpsets, expand, "Broadcast"},
    {"Flatten", kAllOpsets, flatten, "Reshape"},
    {"Reshape", until(4), legacy_reshape, "Reshape"},
    {"Reshape", since(5), reshaped, "Reshape"},
    {"Shape", kAllOpsets, shape, "ShapeOf"},
    {"Size", kAllOpsets, size, "ShapeOf ReduceProd"},
    {"Squeeze", until(12), legacy_squeeze, "Squeeze"},
    {"Squeeze", since(13), squeezed, "Squeeze"},
    {"Unsqueeze", until(12), legacy_unsqueeze, "Unsqueeze"},
    {"Unsqueeze", since(13), binary, "Unsqueeze"},
};

}  // namespace

std::span<const Entry> shapes() { return kEntries; }

}  // namespace wasmvino::onnx
