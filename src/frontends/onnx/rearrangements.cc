// SPDX-License-Identifier: Apache-2.0
// Operators that move elements to places that they compute.
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"
#include "frontends/onnx/windows.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

// Crops or pads axes around their centers. An odd element is cropped or padded at the end.
void center_crop_pad(Context& c) {
  model::Builder& b = c.b();
  const Source x = c.input(0), wanted = convert(b, c.input(1), ElementType::kI64);
  const auto rank = static_cast<int64_t>(b.rank(x));
  Ints axes = c.ints("axes");
  if (!c.has("axes")) axes = axes_from(c, x, 0);
  for (int64_t& axis : axes) axis = c.axis(axis, b.rank(x));
  const Source zero = b.scalar(int64_t{0}), two = b.scalar(int64_t{2}), list = b.list(axes);
  const Source sizes = b.add("Gather", {shape_of(b, x), list, zero});
  const auto positive = [&](const Source& value) { return b.add("Maximum", {value, zero}); };
  const Source cropped = positive(b.add("Subtract", {sizes, wanted}));
  const Source begins = b.add("Divide", {cropped, two});
  const Source ends = b.add("Add", {begins, b.add("Minimum", {sizes, wanted})});
  const Source inside = b.add("Slice", {x, begins, ends, b.list(Ints(axes.size(), 1)), list});
  const Source padded = positive(b.add("Subtract", {wanted, sizes}));
  const Source before = b.add("Divide", {padded, two});
  const auto spread = [&](const Source& pads) {
    return b.add("ScatterElementsUpdate", {b.list(Ints(static_cast<size_t>(rank), 0)), list, pads, zero});
  };
  c.give(b.add("Pad",
               {inside, spread(before), spread(b.add("Subtract", {padded, before})), number_like(b, 0, x)},
               {{"pad_mode", "constant"}}));
}

// Writes an update into a cache, for each batch element from another place on.
void tensor_scatter(Context& c) {
  model::Builder& b = c.b();
  const Source past = c.input(0), update = c.input(1);
  const size_t rank = b.rank(past);
  const int64_t axis = c.axis(c.integer("axis", -2), rank);
  const std::string mode = c.word("mode", "linear");
  if (mode != "linear" && mode != "circular")
    fail(ErrorCode::kInvalidModel, "its attribute mode is '", mode, "', expected linear or circular");
  if (axis == 0) fail(ErrorCode::kInvalidModel, "writes along axis 0, which is the batch");
  // Lists along one axis of `rank` axes.
  const auto along = [&](const Source& values, int64_t place) {
    Ints others;
    for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i) {
      if (i != place) others.push_back(i);
    }
    return unsqueeze(b, values, others);
  };
  Source places = along(range_to(b, squeeze(b, size_of(b, update, axis), {0})), axis);
  if (const auto begins = c.find_input(2))
    places = b.add("Add", {places, along(convert(b, *begins, ElementType::kI64), 0)});
  if (mode == "circular") places = b.add("FloorMod", {places, size_of(b, past, axis)});
  const Source indices = b.add("Broadcast", {places, shape_of(b, update)});
  c.give(b.add("ScatterElementsUpdate", {past, indices, update, b.scalar(axis)}));
}

void max_unpool(Context& c) {
  model::Builder& b = c.b();
  const Source x = c.input(0), places = c.input(1);
  const Ints kernel = c.ints("kernel_shape");
  const Windows windows = windows_of(c, kernel.size());
  const size_t rank = b.rank(x);
  if (rank != kernel.size() + 2) {
    fail(ErrorCode::kInvalidModel, "its input is ", b.shape(x), ", expected ", kernel.size() + 2,
         " axes for the kernel_shape ", kernel);
  }
  Ints steps = {1, 1}, added = {0, 0};
  for (size_t i = 0; i < kernel.size(); ++i) {
    steps.push_back(windows.strides[i]);
    added.push_back(c.ints("kernel_shape", kernel.size(), 1)[i] - windows.strides[i] - windows.pads_begin[i] -
                    windows.pads_end[i]);
  }
  const Source sizes = b.add("Add", {b.add("Multiply", {shape_of(b, x), b.list(steps)}), b.list(added)});
  const Source zeros = filled(b, 0, reduce(b, "ReduceProd", sizes, {0}, true), x);
  const Source all = b.list({-1});
  const Source placed = b.add("ScatterElementsUpdate",
                              {zeros, reshape(b, places, all), reshape(b, x, all), b.scalar(int64_t{0})});
  const Source made = reshape(b, placed, sizes);
  const auto wanted = c.find_input(2);
  if (!wanted) return c.give(made);
  // A larger output is padded at the end.
  const Source after = b.add("Subtract", {convert(b, *wanted, ElementType::kI64), sizes});
  c.give(
      b.add("Pad", {made, b.list(Ints(rank, 0)), after, number_like(b, 0, x)}, {{"pad_mode", "constant"}}));
}

void unique(Context& c) {
  std::vector<Source> inputs = {c.input()};
  if (c.has("axis")) inputs.push_back(c.b().scalar(c.integer("axis")));
  const Source made = c.b().add("Unique", inputs,
                                {{"sorted", c.flag("sorted", true)},
                                 {"index_element_type", ElementType::kI64},
                                 {"count_element_type", ElementType::kI64}},
                                4);
  std::vector<Source> outputs;
  for (size_t i = 0; i < 4; ++i) outputs.push_back(model::Builder::output(made, i));
  c.give(outputs);
}

void col2im(Context& c) {
  const PartialShape& sizes = c.b().shape(c.input(1));
  if (!sizes.has_rank() || sizes.rank() != 1 || sizes[0] != Dimension(2))
    fail(ErrorCode::kUnsupported, "its image_shape has the shape ", sizes, ", expected two spatial axes");
  const Windows windows = windows_of(c, 2);
  c.give(c.b().add("Col2Im", {c.input(0), c.input(1), c.input(2)},
                   {{"strides", windows.strides},
                    {"dilations", windows.dilations},
                    {"pads_begin", windows.pads_begin},
                    {"pads_end", windows.pads_end},
                    {"auto_pad", windows.auto_pad}}));
}

// Places in the output, transformed by a matrix for each batch element: [N, spatial..., axes]. Computed in
// f64, because the places of the center are differences of nearly equal numbers.
void affine_grid(Context& c) {
  model::Builder& b = c.b();
  const Source theta = c.input(0), size = convert(b, c.input(1), ElementType::kI64);
  const PartialShape& matrix = b.shape(theta);
  if (!matrix.has_rank() || matrix.rank() != 3 || !matrix[1].is_static() || matrix[1].size() < 1 ||
      matrix[1].size() > 3 || matrix[2] != Dimension(matrix[1].size() + 1)) {
    fail(ErrorCode::kUnsupported, "transforms by matrices of shape ", matrix,
         ", expected [N, 2, 3] or [N, 3, 4]");
  }
  const int64_t count = matrix[1].size();
  const bool aligned = c.flag("align_corners");
  const auto number = [&](double value) { return b.scalar(value, ElementType::kF64); };
  const Source wide = convert(b, theta, ElementType::kF64);
  // Column `i` of each matrix, [N, 1 ..., count].
  const auto column = [&](int64_t i) {
    Ints added;
    for (int64_t k = 0; k < count; ++k) added.push_back(1 + k);
    return unsqueeze(b, select(b, wide, 2, i), added);
  };
  Source sum = column(count);
  for (int64_t i = 0; i < count; ++i) {
    // Coordinates come in the order x, y, z, and axes in the order z, y, x.
    const int64_t axis = count - 1 - i;
    const Source places = select(b, size, 0, axis + 2);
    const Source steps = convert(b, range_to(b, places), ElementType::kF64);
    const Source length = convert(b, places, ElementType::kF64);
    const Source doubled = b.add("Multiply", {steps, number(2)});
    const Source parts = aligned ? b.add("Divide", {doubled, b.add("Subtract", {length, number(1)})})
                                 : b.add("Divide", {b.add("Add", {doubled, number(1)}), length});
    Ints others;
    for (int64_t k = 0; k < count + 2; ++k) {
      if (k != axis + 1) others.push_back(k);
    }
    const Source coordinate = unsqueeze(b, b.add("Subtract", {parts, number(1)}), others);
    sum = b.add("Add", {sum, b.add("Multiply", {coordinate, column(i)})});
  }
  c.give(convert(b, sum, b.type(theta)));
}

void cumulative_product(Context& c) {
  c.give(c.b().add_of("ai.onnx", "CumProd", {c.input(0), index_scalar(c, c.input(1))},
                      {{"exclusive", c.flag("exclusive")}, {"reverse", c.flag("reverse")}}));
}

void bit_cast(Context& c) {
  c.give(c.b().add_of("ai.onnx", "BitCast", {c.input()}, {{"to", c.element_type("to")}}));
}

void determinant(Context& c) { c.give(c.b().add_of("ai.onnx", "Det", {c.input()})); }

constexpr Entry kEntries[] = {
    {"AffineGrid", kAllOpsets, affine_grid, "Multiply Add"},
    {"BitCast", kAllOpsets, bit_cast, "BitCast"},
    {"CenterCropPad", kAllOpsets, center_crop_pad, "Slice Pad"},
    {"Col2Im", kAllOpsets, col2im, "Col2Im"},
    {"CumProd", kAllOpsets, cumulative_product, "CumProd"},
    {"Det", kAllOpsets, determinant, "Det"},
    {"MaxUnpool", kAllOpsets, max_unpool, "ScatterElementsUpdate"},
    {"TensorScatter", kAllOpsets, tensor_scatter, "ScatterElementsUpdate"},
    {"Unique", kAllOpsets, unique, "Unique"},
};

}  // namespace

std::span<const Entry> rearrangements() { return kEntries; }

}  // namespace wasmvino::onnx
