// SPDX-License-Identifier: Apache-2.0
// torchvision's operators on boxes: regions resampled, overlapping boxes removed. As calls of custom
// operators, their arguments are arg_0, arg_1 ...
#include <limits>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

struct Regions {
  int64_t height = 0, width = 0, samples = 0;
  double scale = 1;
  bool aligned = false;
};

// Each row of boxes has the index of its image, then two corners.
Source image_of(Context& c) { return convert(c, select(c, c.input(1), 1, 0), ElementType::kI64); }

Source aligned_regions(Context& c, const Regions& r) {
  return c.b().add("ROIAlign", {c.input(0), slice(c, c.input(1), 1, 1, 5), image_of(c)},
                   {{"pooled_h", r.height},
                    {"pooled_w", r.width},
                    {"sampling_ratio", r.samples < 0 ? int64_t{0} : r.samples},
                    {"spatial_scale", r.scale},
                    {"mode", "avg"},
                    {"aligned_mode", r.aligned ? "half_pixel_for_nn" : "asymmetric"}});
}

void roi_align(Context& c) {
  const Ints size = c.ints("output_size", 2);
  c.give(aligned_regions(c, {size[0], size[1], c.integer("sampling_ratio", -1), c.real("spatial_scale"),
                             c.flag("aligned", false)}));
}

void roi_align_call(Context& c) {
  c.give(aligned_regions(c, {c.integer("arg_3"), c.integer("arg_4"), c.integer("arg_5", -1), c.real("arg_2"),
                             c.flag("arg_6", false)}));
}

// The sizes of a pooled region, and the channels of the result: each of its cells has a channel of the input.
struct Cells {
  int64_t height = 0, width = 0, channels = 0;
  int64_t count() const { return height * width; }
};

Cells cells_of(Context& c) {
  Cells cells{c.integer("arg_3"), c.integer("arg_4")};
  constexpr int64_t kMost = 1 << 10;
  if (cells.height < 1 || cells.width < 1 || cells.height > kMost || cells.width > kMost) {
    fail(ErrorCode::kUnsupported, "pools regions to ", cells.height, " x ", cells.width, ", expected 1 to ",
         kMost);
  }
  const PartialShape& shape = c.b().shape(c.input(0));
  if (!shape.has_rank() || shape.rank() != 4 || !shape[1].is_static() ||
      shape[1].size() % cells.count() != 0) {
    fail(ErrorCode::kInvalidModel, "its input is ", shape, ", expected a known multiple of ", cells.count(),
         " channels");
  }
  cells.channels = shape[1].size() / cells.count();
  return cells;
}

// Each cell of the regions of its channel. The second output, the channels, serves training.
void ps_roi_align_call(Context& c) {
  const Cells cells = cells_of(c);
  const Source all =
      aligned_regions(c, {cells.height, cells.width, c.integer("arg_5", -1), c.real("arg_2"), true});
  const Source pairs = reshape(c, all, {-1, cells.channels, cells.count(), cells.count()});
  c.give_first(reshape(c, diagonal_of(c, pairs, {0, true, {}}, 2, 3),
                       {-1, cells.channels, cells.height, cells.width}));
}

// Where the cells of a pooled region begin and end along an axis of the image: [regions, cells] as i64.
struct Edges {
  Source begin, end;
};

// `column` has the first corners of the boxes, and `column` + 2 the second ones.
Edges edges_of_cells(Context& c, int64_t column, int64_t count, const Source& size, double scale) {
  const auto corner = [&](int64_t at) {
    const Source scaled = with_number(c, "Multiply", slice(c, c.input(1), 1, at, at + 1), scale);
    return c.b().add("Round", {scaled}, {{"mode", "half_away_from_zero"}});
  };
  const Source begin = corner(column);
  const Source length = with_number(c, "Maximum", c.b().add("Subtract", {corner(column + 2), begin}), 1);
  const Source step = with_number(c, "Divide", length, static_cast<double>(count));
  const Source cells = convert(c, range_to(c, c.b().scalar(count)), c.b().type(step));
  // The last row and the last column of an image are never read, as in torchvision.
  const Source last = with_number(c, "Subtract", size, 1);
  const auto edge = [&](const Source& cell, const char* rounding) {
    const Source place =
        c.b().add("Add", {c.b().add(rounding, {c.b().add("Multiply", {cell, step})}), begin});
    return c.b().add("Minimum", {convert(c, with_number(c, "Maximum", place, 0), ElementType::kI64), last});
  };
  return {edge(cells, "Floor"), edge(with_number(c, "Add", cells, 1), "Ceiling")};
}

// The mean of each cell of the regions, from sums over all elements above and to the left of a corner.
void ps_roi_pool_call(Context& c) {
  const Cells cells = cells_of(c);
  const Source image = convert(c, c.input(0), ElementType::kF64);
  const double scale = c.real("arg_2");
  const Edges rows = edges_of_cells(c, 2, cells.height, length_of(c, image, 2), scale);
  const Edges columns = edges_of_cells(c, 1, cells.width, length_of(c, image, 3), scale);
  const auto summed = [&](const Source& x, int64_t axis) {
    return c.b().add("CumSum", {x, c.b().scalar(axis)});
  };
  const Source sums = pad_with_zeros(c, summed(summed(image, 2), 3), {1, 0, 1, 0});
  // Everything has the axes region, channel, cell's row, cell's column.
  const auto by_row = [&](const Source& x) { return reshape(c, x, {-1, 1, cells.height, 1}); };
  const auto by_column = [&](const Source& x) { return reshape(c, x, {-1, 1, 1, cells.width}); };
  // The index of an element in the flat sums: the next axis is added to those before it.
  const auto within = [&](const Source& index, int64_t axis, const Source& place) {
    return c.b().add("Add", {c.b().add("Multiply", {index, length_of(c, sums, axis)}), place});
  };
  const Source channels = reshape(c, range_to(c, c.b().scalar(cells.channels * cells.count())),
                                  {1, cells.channels, cells.height, cells.width});
  const Source plane = within(reshape(c, image_of(c), {-1, 1, 1, 1}), 1, channels);
  const Source flat = reshape(c, sums, {-1});
  const auto at = [&](const Source& row, const Source& column) {
    const Source index = within(within(plane, 2, by_row(row)), 3, by_column(column));
    return c.b().add("Gather", {flat, index, c.b().scalar(int64_t{0})});
  };
  const auto between = [&](const Source& row) {
    return c.b().add("Subtract", {at(row, columns.end), at(row, columns.begin)});
  };
  const Source sum = c.b().add("Subtract", {between(rows.end), between(rows.begin)});
  const auto extent = [&](const Edges& edges) {
    return with_number(c, "Maximum", c.b().add("Subtract", {edges.end, edges.begin}), 0);
  };
  const Source area = c.b().add("Multiply", {by_row(extent(rows)), by_column(extent(columns))});
  const Source divisor = convert(c, with_number(c, "Maximum", area, 1), ElementType::kF64);
  const Source mean = convert(c, c.b().add("Divide", {sum, divisor}), c.b().type(c.input(0)));
  // Cells outside of the image are 0.
  c.give_first(c.b().add("Select", {with_number(c, "Equal", area, 0), number_like(c, 0, mean), mean}));
}

// The second output, the places of the maxima, serves training.
void roi_pool_call(Context& c) {
  c.give_first(c.b().add("ROIPooling", {c.input(0), c.input(1)},
                         {{"pooled_h", c.integer("arg_3")},
                          {"pooled_w", c.integer("arg_4")},
                          {"spatial_scale", c.real("arg_2")},
                          {"method", "max"}}));
}

// The indices of the boxes that stay, best first.
void nms_call(Context& c) {
  const Source boxes = c.input(0), scores = c.input(1);
  const std::vector<Source> inputs = {
      unsqueeze(c, boxes, 0), c.b().add("Unsqueeze", {scores, c.b().list({0, 1})}), length_of(c, boxes, 0),
      c.b().scalar(c.real("arg_2"), ElementType::kF32),
      c.b().scalar(std::numeric_limits<float>::lowest(), ElementType::kF32)};
  const Source kept = c.b().add(
      "NonMaxSuppression", inputs,
      {{"box_encoding", "corner"}, {"sort_result_descending", true}, {"output_type", ElementType::kI64}}, 3);
  c.give(select(c, kept, 1, 2));
}

constexpr Entry kEntries[] = {
    {"torchvision.ops.RoIAlign", roi_align, "ROIAlign"},
    {"pnnx.custom_op.torchvision.roi_align", roi_align_call, "ROIAlign"},
    {"pnnx.custom_op.torchvision.roi_pool", roi_pool_call, "ROIPooling"},
    {"pnnx.custom_op.torchvision.ps_roi_align", ps_roi_align_call, "ROIAlign"},
    {"pnnx.custom_op.torchvision.ps_roi_pool", ps_roi_pool_call,
     "Multiply Round Subtract Maximum Divide Range Add Floor Ceiling Minimum CumSum Pad Equal Select"},
    {"pnnx.custom_op.torchvision.nms", nms_call, "NonMaxSuppression"},
};

}  // namespace

std::span<const Entry> boxes() { return kEntries; }

}  // namespace wasmvino::pnnx
