// SPDX-License-Identifier: Apache-2.0
// Operators that move elements.
#include <algorithm>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

void concatenate(Context& c) {
  std::vector<Source> parts;
  for (size_t i = 0; i < c.input_count(); ++i) parts.push_back(c.input(i));
  if (parts.empty()) fail(ErrorCode::kInvalidModel, "has no inputs, expected at least one");
  // Only the first version has a default.
  c.give(concat(c.b(), parts, c.opset() < 4 ? c.integer("axis", 1) : c.integer("axis")));
}

void give_parts(Context& c, const Source& made) {
  std::vector<Source> parts;
  for (size_t i = 0; i < c.output_count(); ++i) parts.push_back(model::Builder::output(made, i));
  c.give(parts);
}

void split_to(Context& c, const std::optional<Source>& sizes) {
  const Source x = c.input(0);
  const int64_t axis = c.integer("axis", 0), count = static_cast<int64_t>(c.output_count());
  if (sizes) {
    return give_parts(c, c.b().add("VariadicSplit", {x, c.b().scalar(axis), *sizes}, {}, c.output_count()));
  }
  const PartialShape& shape = c.b().shape(x);
  if (!shape.has_rank() || !shape[static_cast<size_t>(c.axis(axis, shape.rank()))].is_static() ||
      shape[static_cast<size_t>(c.axis(axis, shape.rank()))].size() % count == 0) {
    return give_parts(c,
                      c.b().add("Split", {x, c.b().scalar(axis)}, {{"num_splits", count}}, c.output_count()));
  }
  // The last part is smaller.
  const int64_t size = shape[static_cast<size_t>(c.axis(axis, shape.rank()))].size();
  const int64_t part = (size + count - 1) / count;
  Ints known(c.output_count(), part);
  known.back() = size - part * (count - 1);
  if (known.back() < 0) fail(ErrorCode::kInvalidModel, "splits ", size, " elements into ", count, " parts");
  give_parts(c, c.b().add("VariadicSplit", {x, c.b().scalar(axis), c.b().list(known)}, {}, c.output_count()));
}
void split_by_input(Context& c) { split_to(c, c.find_input(1)); }
void split_by_attribute(Context& c) {
  // The first version took the sizes as an input, too.
  if (c.has("split")) return split_to(c, c.b().list(c.ints("split")));
  split_to(c, c.find_input(1));
}

void slice_by_inputs(Context& c) {
  const Source x = c.input(0), begins = c.input(1);
  const auto axes = c.find_input(3), steps = c.find_input(4);
  Source step;
  if (steps) {
    step = *steps;
  } else {
    step = c.b().add("Broadcast", {c.b().scalar(1, c.b().type(begins)), shape_of(c.b(), begins)});
  }
  std::vector<Source> inputs = {x, begins, c.input(2), step};
  if (axes) inputs.push_back(*axes);
  c.give(c.b().add("Slice", inputs));
}
void slice_by_attributes(Context& c) {
  const Ints begins = c.ints("starts");
  Ints axes = c.ints("axes");
  if (!c.has("axes")) {
    for (size_t i = 0; i < begins.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  c.give(c.b().add("Slice", {c.input(), c.b().list(begins), c.b().list(c.ints("ends")),
                             c.b().list(Ints(begins.size(), 1)), c.b().list(axes)}));
}

void gather(Context& c) {
  c.give(c.b().add("Gather", {c.input(0), c.input(1), c.b().scalar(c.integer("axis", 0))}));
}
void gather_elements(Context& c) {
  c.give(c.b().add("GatherElements", {c.input(0), c.input(1)}, {{"axis", c.integer("axis", 0)}}));
}
void gather_nd(Context& c) {
  c.give(c.b().add("GatherND", {c.input(0), c.input(1)}, {{"batch_dims", c.integer("batch_dims", 0)}}));
}

// OpenVINO's word for the attribute `reduction`.
std::string scatter_reduction(Context& c) {
  const std::string word = c.word("reduction", "none");
  return word == "add" ? "sum" : word == "mul" ? "prod" : word;
}
void scatter_elements(Context& c) {
  c.give(c.b().add("ScatterElementsUpdate",
                   {c.input(0), c.input(1), c.input(2), c.b().scalar(c.integer("axis", 0))},
                   {{"reduction", scatter_reduction(c)}}));
}
void scatter_nd(Context& c) {
  c.give(c.b().add("ScatterNDUpdate", {c.input(0), c.input(1), c.input(2)},
                   {{"reduction", scatter_reduction(c)}}));
}

void transposed(Context& c) {
  const Source x = c.input();
  if (c.has("perm")) return c.give(transpose(c.b(), x, c.ints("perm")));
  // An empty order reverses the axes.
  c.give(c.b().add("Transpose", {x, c.b().list({})}));
}

void tile(Context& c) { c.give(c.b().add("Tile", {c.input(0), c.input(1)})); }
// The first version repeats one axis, both given as tensors.
void legacy_tile(Context& c) {
  const Source x = c.input(0);
  const Source ones =
      c.b().add("Broadcast", {c.b().scalar(int64_t{1}), c.b().list({static_cast<int64_t>(c.b().rank(x))})});
  const auto one = [&](size_t i) {
    return reshape(c.b(), convert(c.b(), c.input(i), ElementType::kI64), Ints{1});
  };
  c.give(c.b().add(
      "Tile", {x, c.b().add("ScatterElementsUpdate", {ones, one(2), one(1), c.b().scalar(int64_t{0})})}));
}

// Repeats an axis as often as its pads need.
Source wrapped(Context& c, Source x, const Ints& before, const Ints& after) {
  for (size_t i = 0; i < before.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    const PartialShape& shape = c.b().shape(x);
    if (before[i] <= 0 && after[i] <= 0) continue;
    if (!shape[i].is_static() || shape[i].size() == 0)
      fail(ErrorCode::kUnsupported, "wraps axis ", axis, " of ", shape, ", expected a known size above 0");
    const int64_t size = shape[i].size();
    constexpr int64_t kMost = int64_t{1} << 20;
    if (std::min(before[i], after[i]) < -size || std::max(before[i], after[i]) > kMost) {
      fail(ErrorCode::kUnsupported, "wraps axis ", axis, " of ", shape, " by ", before[i], " and ", after[i],
           " elements");
    }
    c.count_made(static_cast<size_t>(std::max<int64_t>(before[i] + size + after[i], 0)));
    Ints places;
    for (int64_t k = -before[i]; k < size + after[i]; ++k) places.push_back(((k % size) + size) % size);
    x = c.b().add("Gather", {x, c.b().list(places), c.b().scalar(axis)});
  }
  return x;
}

void pad_by(Context& c, const Source& before, const Source& after, const Source& value) {
  const std::string mode = c.word("mode", "constant");
  const Source x = c.input(0);
  if (mode == "wrap") {
    const auto begin = c.b().known_ints(before), end = c.b().known_ints(after);
    if (!begin || !end) fail(ErrorCode::kUnsupported, "wraps by pads that are not constant");
    return c.give(wrapped(c, x, *begin, *end));
  }
  std::vector<Source> inputs = {x, before, after};
  if (mode == "constant") inputs.push_back(value);
  c.give(c.b().add("Pad", inputs, {{"pad_mode", mode}}));
}

void pad(Context& c) {
  const Source x = c.input(0), pads = convert(c.b(), c.input(1), ElementType::kI64);
  const auto given = c.find_input(2);
  const Source value = given ? reshape(c.b(), *given, Ints()) : number_like(c.b(), 0, x);
  const auto halves = c.b().add("Split", {pads, c.b().scalar(int64_t{0})}, {{"num_splits", int64_t{2}}}, 2);
  Source before = halves, after = model::Builder::output(halves, 1);
  if (const auto axes = c.find_input(3)) {
    const auto rank = static_cast<int64_t>(c.b().rank(x));
    const auto spread = [&](const Source& list) {
      const Source zeros = c.b().list(Ints(static_cast<size_t>(rank), 0));
      return c.b().add("ScatterElementsUpdate",
                       {zeros, convert(c.b(), *axes, ElementType::kI64), list, c.b().scalar(int64_t{0})});
    };
    before = spread(before);
    after = spread(after);
  }
  pad_by(c, before, after, value);
}
// The pads are an attribute, which the first version calls paddings.
void legacy_pad(Context& c) {
  const Ints pads = c.ints(c.has("pads") ? "pads" : "paddings");
  if (pads.size() % 2 != 0)
    fail(ErrorCode::kInvalidModel, "pads ", pads, ", expected two numbers for each axis");
  const size_t half = pads.size() / 2;
  pad_by(c, c.b().list(Ints(pads.begin(), pads.begin() + half)),
         c.b().list(Ints(pads.begin() + half, pads.end())),
         number_like(c.b(), c.real("value", 0), c.input(0)));
}

// DepthToSpace, and SpaceToDepth, which has a mode since opset 28.
void move_blocks(Context& c) {
  const std::string mode = c.word("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    fail(ErrorCode::kInvalidModel, "its attribute mode is '", mode, "', expected DCR or CRD");
  c.give(c.b().add(
      c.operation(), {c.input()},
      {{"block_size", c.count("blocksize")}, {"mode", mode == "DCR" ? "blocks_first" : "depth_first"}}));
}

void reverse_sequence(Context& c) {
  c.give(c.b().add("ReverseSequence", {c.input(0), c.input(1)},
                   {{"batch_axis", c.integer("batch_axis", 1)}, {"seq_axis", c.integer("time_axis", 0)}}));
}

// Keeps the elements on one side of a diagonal.
void triangle(Context& c) {
  const Source x = c.input(0);
  const auto rank = static_cast<int64_t>(c.b().rank(x));
  if (rank < 2)
    fail(ErrorCode::kInvalidModel, "its input is ", c.b().shape(x), ", expected two axes or more");
  const auto counted = [&](int64_t axis) {
    return range_to(c.b(), squeeze(c.b(), size_of(c.b(), x, axis), {0}));
  };
  const Source rows = unsqueeze(c.b(), counted(rank - 2), {1}), columns = counted(rank - 1);
  const Source k = c.has_input(1) ? index_scalar(c, c.input(1)) : c.b().scalar(int64_t{0});
  const Source diagonal = c.b().add("Add", {rows, k});
  const Source keeps = c.b().add(c.flag("upper", true) ? "GreaterEqual" : "LessEqual", {columns, diagonal});
  c.give(c.b().add("Select", {keeps, x, number_like(c.b(), 0, x)}));
}

void compress(Context& c) {
  Source x = c.input(0);
  const Source places =
      squeeze(c.b(), c.b().add("NonZero", {c.input(1)}, {{"output_type", ElementType::kI64}}), {0});
  if (!c.has("axis")) x = reshape(c.b(), x, Ints{-1});
  c.give(c.b().add("Gather", {x, places, c.b().scalar(c.integer("axis", 0))}));
}

void non_zero(Context& c) { c.give(c.b().add("NonZero", {c.input()}, {{"output_type", ElementType::kI64}})); }

void one_hot(Context& c) {
  const Source indices = convert(c.b(), c.input(0), ElementType::kI64), depth = index_scalar(c, c.input(1));
  const Source values = c.input(2);
  // Negative indices count from the end.
  c.give(c.b().add("OneHot", {indices, depth, select(c.b(), values, 0, 1), select(c.b(), values, 0, 0)},
                   {{"axis", c.integer("axis", -1)}, {"negative_indices_mode", "normalize"}}));
}

constexpr Entry kEntries[] = {
    {"Compress", kAllOpsets, compress, "NonZero Gather"},
    {"Concat", kAllOpsets, concatenate, "Concat"},
    {"DepthToSpace", kAllOpsets, move_blocks, "DepthToSpace"},
    {"Gather", kAllOpsets, gather, "Gather"},
    {"GatherElements", kAllOpsets, gather_elements, "GatherElements"},
    {"GatherND", kAllOpsets, gather_nd, "GatherND"},
    {"NonZero", kAllOpsets, non_zero, "NonZero"},
    {"OneHot", kAllOpsets, one_hot, "OneHot"},
    {"Pad", until(10), legacy_pad, "Pad"},
    {"Pad", since(11), pad, "Pad"},
    {"ReverseSequence", kAllOpsets, reverse_sequence, "ReverseSequence"},
    {"Scatter", kAllOpsets, scatter_elements, "ScatterElementsUpdate"},
    {"ScatterElements", kAllOpsets, scatter_elements, "ScatterElementsUpdate"},
    {"ScatterND", kAllOpsets, scatter_nd, "ScatterNDUpdate"},
    {"Slice", until(9), slice_by_attributes, "Slice"},
    {"Slice", since(10), slice_by_inputs, "Slice"},
    {"SpaceToDepth", kAllOpsets, move_blocks, "SpaceToDepth"},
    {"Split", until(12), split_by_attribute, "Split VariadicSplit"},
    {"Split", since(13), split_by_input, "Split VariadicSplit"},
    {"Tile", until(5), legacy_tile, "Tile"},
    {"Tile", since(6), tile, "Tile"},
    {"Transpose", kAllOpsets, transposed, "Transpose"},
    {"Trilu", kAllOpsets, triangle, "Select"},
};

}  // namespace

std::span<const Entry> movement() { return kEntries; }

}  // namespace wasmvino::onnx
