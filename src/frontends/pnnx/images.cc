// SPDX-License-Identifier: Apache-2.0
// Resizing, sampling, rearranging of pixels, and windows as columns.
#include <cmath>
#include <optional>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

struct Resize {
  std::string mode;
  bool align_corners;
};

// One number per axis of images.
std::vector<double> scale_factors(Context& c, size_t spatial) {
  if (!c.has("scale_factor")) fail(ErrorCode::kInvalidModel, "has neither a size nor a scale factor");
  const Parameter* given = c.find("scale_factor");
  std::vector<double> scales;
  if (const auto* list = std::get_if<std::vector<double>>(given)) {
    scales = *list;
  } else if (const auto* integers = std::get_if<Ints>(given)) {
    for (const int64_t scale : *integers) scales.push_back(static_cast<double>(scale));
  } else {
    scales.assign(spatial, c.real("scale_factor"));
  }
  if (scales.size() != spatial) {
    fail(ErrorCode::kInvalidModel, "its parameter scale_factor has ", scales.size(), " numbers, expected ",
         spatial);
  }
  return scales;
}

// The sizes of the axes of images, as an i64 list: given, or the sizes of x times the scale factors, rounded
// down.
Source target_sizes(Context& c, const Source& x) {
  if (c.is_marked("size"))
    return reshape(c, convert(c, c.required_input("size", 1), ElementType::kI64), {-1});
  const size_t spatial = c.b().rank(x) - 2;
  if (c.has("size")) return c.b().list(c.ints("size", spatial));
  std::vector<Source> sizes;
  for (const double scale : scale_factors(c, spatial)) {
    const Source size = convert(c, size_of(c, x, static_cast<int64_t>(sizes.size()) + 2), ElementType::kF64);
    sizes.push_back(
        convert(c, c.b().add("Floor", {with_number(c, "Multiply", size, scale)}), ElementType::kI64));
  }
  return concat_lists(c, sizes);
}

Source resize(Context& c, const Source& x, const Resize& how) {
  const size_t rank = c.b().rank(x);
  if (rank < 3) fail(ErrorCode::kInvalidModel, "its input has ", rank, " axes, expected 3 at least");
  const size_t spatial = rank - 2;
  Ints axes;
  for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  model::Attributes attributes = {{"antialias", false}};
  if (how.mode == "nearest") {
    attributes.push_back({"mode", "nearest"});
    attributes.push_back({"nearest_mode", "floor"});
    attributes.push_back({"coordinate_transformation_mode", "asymmetric"});
  } else if (how.mode == "nearest-exact") {
    attributes.push_back({"mode", "nearest"});
    attributes.push_back({"nearest_mode", "round_prefer_ceil"});
    attributes.push_back({"coordinate_transformation_mode", "half_pixel"});
  } else if (how.mode == "linear" || how.mode == "bilinear" || how.mode == "trilinear") {
    attributes.push_back({"mode", "linear_onnx"});
    attributes.push_back(
        {"coordinate_transformation_mode", how.align_corners ? "align_corners" : "half_pixel"});
  } else if (how.mode == "bicubic") {
    attributes.push_back({"mode", "cubic"});
    attributes.push_back({"cube_coeff", -0.75});
    attributes.push_back(
        {"coordinate_transformation_mode", how.align_corners ? "align_corners" : "half_pixel"});
  } else {
    fail(ErrorCode::kUnsupported, "resizes in the unknown mode '", how.mode, "'");
  }
  const bool by_size = c.has("size") || c.flag("recompute_scale_factor", false);
  const bool by_scale = !by_size;
  attributes.push_back({"shape_calculation_mode", by_scale ? "scales" : "sizes"});
  Source target;
  if (by_scale) {
    const std::vector<double> given = scale_factors(c, spatial);
    const std::vector<float> scales(given.begin(), given.end());
    target = c.b().constant(Tensor::of<float>({static_cast<int64_t>(spatial)}, scales.data()));
  } else {
    target = target_sizes(c, x);
  }
  return c.b().add("Interpolate", {x, target, c.b().list(axes)}, attributes);
}

void interpolate(Context& c) {
  const Resize how{c.word("mode", "nearest"), c.flag("align_corners", false)};
  // Which of them apply depends on the mode and on a size.
  c.ignore("scale_factor recompute_scale_factor");
  if (how.mode != "area") {
    c.give(resize(c, c.input(0), how));
    return;
  }
  const Source x = c.input(0);
  if (c.b().rank(x) < 3)
    fail(ErrorCode::kInvalidModel, "its input has ", c.b().rank(x), " axes, expected 3 at least");
  c.give(c.b().add("AdaptiveAvgPool", {x, target_sizes(c, x)}));
}

// The sizes that a call by position names: an i64 list, or nothing if scale factors tell them.
std::optional<Source> named_sizes(Context& c, size_t spatial) {
  if (c.is_marked("output_size")) return convert(c, c.required_input("output_size", 1), ElementType::kI64);
  if (c.has("output_size")) return c.b().list(c.ints("output_size", spatial));
  return std::nullopt;
}

// With sizes, or with scale factors.
void nearest_exact(Context& c) {
  const Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  if (rank < 3) fail(ErrorCode::kInvalidModel, "its input has ", rank, " axes, expected 3 at least");
  const std::optional<Source> sizes = named_sizes(c, rank - 2);
  if (!sizes) {
    c.give(resize(c, x, {"nearest-exact", false}));
    return;
  }
  c.ignore("scale_factor scales_d scales_h scales_w");
  Ints axes;
  for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  c.give(c.b().add("Interpolate", {x, *sizes, c.b().list(axes)},
                   {{"mode", "nearest"},
                    {"nearest_mode", "round_prefer_ceil"},
                    {"shape_calculation_mode", "sizes"},
                    {"coordinate_transformation_mode", "half_pixel"}}));
}

void nearest(Context& c) { c.give(resize(c, c.input(0), {"nearest", false})); }
void bilinear_corners(Context& c) { c.give(resize(c, c.input(0), {"bilinear", true})); }

// The operation takes four axes. Other axes in front become one, and an image without a batch gets one.
void give_shuffled(Context& c, const char* type, int64_t block) {
  const Source x = c.input();
  const size_t rank = c.b().rank(x);
  if (rank < 3) fail(ErrorCode::kInvalidModel, "its input has ", rank, " axes, expected 3 at least");
  const Source images = rank == 4   ? x
                        : rank == 3 ? unsqueeze(c, x, 0)
                                    : reshape_axes(c, x, 0, rank - 3, {-1});
  const Source made = c.b().add(type, {images}, {{"mode", "depth_first"}, {"block_size", block}});
  if (rank == 4) {
    c.give(made);
  } else if (rank == 3) {
    c.give(squeeze(c, made, 0));
  } else {
    std::vector<Source> sizes;
    for (size_t i = 0; i + 3 < rank; ++i) sizes.push_back(size_of(c, x, static_cast<int64_t>(i)));
    for (int64_t i = 1; i < 4; ++i) sizes.push_back(size_of(c, made, i));
    c.give(c.b().add("Reshape", {made, concat_lists(c, sizes)}, {{"special_zero", false}}));
  }
}

void pixel_shuffle(Context& c) { give_shuffled(c, "DepthToSpace", c.integer("upscale_factor")); }
void pixel_unshuffle(Context& c) { give_shuffled(c, "SpaceToDepth", c.integer("downscale_factor")); }

// Windows as columns: [N, C * window, number of windows].
void unfold(Context& c) {
  const Ints kernel = c.ints("kernel_size", 2), pads = c.ints("padding", 2, 0);
  Source x = with_batch(c, c.input(), 2);
  const PartialShape shape = c.b().shape(x);
  if (!shape.has_rank() || shape.rank() != 4 || !shape[1].is_static()) {
    fail(ErrorCode::kUnsupported, "its input is ", shape,
         ", expected three or four axes and a known number of channels");
  }
  int64_t window = 0, columns = 0;
  if (__builtin_mul_overflow(kernel[0], kernel[1], &window) ||
      __builtin_mul_overflow(window, shape[1].size(), &columns)) {
    fail(ErrorCode::kInvalidModel, "its windows are too large");
  }
  if (pads[0] != 0 || pads[1] != 0) x = pad_with_zeros(c, x, {pads[1], pads[1], pads[0], pads[0]});
  const Source patches = c.b().add("ExtractImagePatches", {x},
                                   {{"sizes", kernel},
                                    {"strides", c.ints("stride", 2, 1)},
                                    {"rates", c.ints("dilation", 2, 1)},
                                    {"auto_pad", "valid"}});
  // Channels are the innermost axis of the patches, but the outermost in PyTorch.
  const Source apart =
      c.b().add("Reshape", {patches, c.b().list({0, window, shape[1].size(), -1})}, {{"special_zero", true}});
  const Source made = reshape_keeping(c, transpose(c, apart, {0, 2, 1, 3}), {0, columns, -1});
  c.give(without_batch(c, c.input(), made, 2));
}

void fold(Context& c) {
  const Ints pads = c.ints("padding", 2, 0);
  const Source size = c.is_marked("output_size")
                          ? convert(c, c.required_input("output_size", 1), ElementType::kI64)
                          : c.b().list(c.ints("output_size", 2));
  c.give(c.b().add("Col2Im", {c.input(), size, c.b().list(c.ints("kernel_size", 2))},
                   {{"strides", c.ints("stride", 2, 1)},
                    {"dilations", c.ints("dilation", 2, 1)},
                    {"pads_begin", pads},
                    {"pads_end", pads}}));
}

// Samples of volumes. OpenVINO's GridSample knows images only, so the elements around each place are
// gathered.
class VolumeSampler {
 public:
  // x is [N, C, D, H, W]; the last axis of the grid has the coordinates of W, H and D.
  VolumeSampler(Context& c, const Source& x, const Source& grid)
      : c_(c),
        volume_(transpose(c, x, {0, 2, 3, 4, 1})),
        type_(c.b().type(x)),
        padding_(c.word("padding_mode", "zeros")),
        corners_(c.flag("align_corners", false)) {
    for (int64_t axis = 0; axis < 3; ++axis) {
      sizes_[axis] = convert(c, length_of(c, x, axis + 2), type_);
      places_[axis] = place(convert(c, select(c, grid, 4, 2 - axis), type_), sizes_[axis]);
    }
  }

  Source sample(const std::string& mode) {
    Source result;
    if (mode == "nearest") {
      Corner corner;
      for (size_t axis = 0; axis < 3; ++axis) {
        // For volumes, unlike for images, PyTorch rounds halves away from zero.
        corner.indices[axis] = c_.b().add("Round", {places_[axis]}, {{"mode", "half_away_from_zero"}});
      }
      result = values(corner);
    } else if (mode == "bilinear") {
      for (size_t i = 0; i < 8; ++i) {
        const Source part = values(corner(i));
        result = i == 0 ? part : c_.b().add("Add", {result, part});
      }
    } else {
      fail(ErrorCode::kUnsupported, "samples volumes in the unknown mode '", mode, "'");
    }
    return transpose(c_, result, {0, 4, 1, 2, 3});
  }

 private:
  struct Corner {
    Source indices[3];
    std::optional<Source> weight;
  };

  // Coordinates from -1 to 1 become indices.
  Source place(const Source& at, const Source& size) {
    const Source shifted = with_number(c_, "Add", at, 1), last = with_number(c_, "Subtract", size, 1);
    const Source index =
        corners_ ? with_number(c_, "Multiply", c_.b().add("Multiply", {shifted, last}), 0.5)
                 : with_number(c_, "Multiply",
                               with_number(c_, "Subtract", c_.b().add("Multiply", {shifted, size}), 1), 0.5);
    if (padding_ == "zeros") return index;
    if (padding_ == "border") return clamped(index, last);
    if (padding_ == "reflection") return clamped(reflected(index, size, last), last);
    fail(ErrorCode::kUnsupported, "pads in the unknown mode '", padding_, "'");
  }

  Source clamped(const Source& index, const Source& last) {
    return c_.b().add("Minimum", {c_.b().add("Maximum", {index, number_like(c_, 0, index)}), last});
  }

  // Mirrored at the centres of the first and the last element, or at their outer edges.
  Source reflected(const Source& index, const Source& size, const Source& last) {
    const double low = corners_ ? 0 : -0.5;
    // A span of 0, for one element, would divide by 0. Any other span leads to index 0, too, when it is
    // clamped.
    const Source span = corners_ ? c_.b().add("Maximum", {last, number_like(c_, 1, last)}) : size;
    const Source distance = c_.b().add("Abs", {with_number(c_, "Subtract", index, low)});
    const Source rest = c_.b().add("FloorMod", {distance, span});
    const Source turns = c_.b().add("Floor", {c_.b().add("Divide", {distance, span})});
    const Source even = with_number(c_, "Less", with_number(c_, "FloorMod", turns, 2), 1);
    return with_number(c_, "Add", c_.b().add("Select", {even, rest, c_.b().add("Subtract", {span, rest})}),
                       low);
  }

  // One of the eight elements around each place: bits 0 to 2 of `i` choose the upper one of an axis.
  Corner corner(size_t i) {
    Corner made;
    for (size_t axis = 0; axis < 3; ++axis) {
      const Source lower = c_.b().add("Floor", {places_[axis]});
      const Source above = c_.b().add("Subtract", {places_[axis], lower});
      const bool upper = ((i >> axis) & 1) != 0;
      const Source weight = upper ? above : with_number(c_, "Subtract", 1, above);
      made.indices[axis] = upper ? with_number(c_, "Add", lower, 1) : lower;
      made.weight = made.weight ? c_.b().add("Multiply", {*made.weight, weight}) : weight;
    }
    return made;
  }

  // The elements at indices, times their weights; 0 outside of the volume.
  Source values(const Corner& corner) {
    std::vector<Source> indices;
    Source inside;
    for (size_t axis = 0; axis < 3; ++axis) {
      const Source index = corner.indices[axis],
                   kept = clamped(index, with_number(c_, "Subtract", sizes_[axis], 1));
      const Source is_inside = c_.b().add("Equal", {index, kept});
      inside = axis == 0 ? is_inside : c_.b().add("LogicalAnd", {inside, is_inside});
      indices.push_back(unsqueeze(c_, convert(c_, kept, ElementType::kI64), 4));
    }
    const Source found =
        c_.b().add("GatherND", {volume_, concat(c_, indices, 4)}, {{"batch_dims", int64_t{1}}});
    const Source weight = corner.weight ? *corner.weight : number_like(c_, 1, volume_);
    const Source factor = c_.b().add("Select", {inside, weight, number_like(c_, 0, volume_)});
    return c_.b().add("Multiply", {found, unsqueeze(c_, factor, 4)});
  }

  Context& c_;
  Source volume_, sizes_[3], places_[3];
  ElementType type_;
  std::string padding_;
  bool corners_;
};

void grid_sample(Context& c) {
  const std::string mode = c.word("mode", "bilinear");
  if (c.b().rank(c.input(0)) == 5) {
    c.give(VolumeSampler(c, c.input(0), c.input(1)).sample(mode));
    return;
  }
  c.give(c.b().add("GridSample", {c.input(0), c.input(1)},
                   {{"align_corners", c.flag("align_corners", false)},
                    {"mode", mode},
                    {"padding_mode", c.word("padding_mode", "zeros")}}));
}

// The coordinates along an axis of `count` elements: -1 to 1, at the centres of the elements, or from the
// first to the last.
Source coordinates(Context& c, const Source& count, bool corners) {
  const Source places = convert(c, range_to(c, count), ElementType::kF32);
  const Source n = convert(c, count, ElementType::kF32), doubled = with_number(c, "Multiply", places, 2);
  if (!corners) {
    const Source centres = c.b().add("Divide", {with_number(c, "Add", doubled, 1), n});
    return with_number(c, "Subtract", centres, 1);
  }
  // A single element is at 0.
  const Source last = with_number(c, "Subtract", n, 1);
  const Source spread = c.b().add("Subtract", {doubled, last});
  return c.b().add("Divide", {spread, with_number(c, "Maximum", last, 1)});
}

// The coordinates of all pixels of an image, or of all elements of a volume, multiplied by each matrix of
// theta.
void affine_grid(Context& c) {
  const Source theta = c.input(0);
  std::optional<Ints> size;
  Source list;
  if (c.find("size") != nullptr) {
    size = c.ints("size");
    list = c.b().list(*size);
  } else {
    list = convert(c, c.required_input("size", 1), ElementType::kI64);
    size = c.b().known_ints(list);
  }
  // theta is [N, 2, 3] for images and [N, 3, 4] for volumes.
  const PartialShape& matrices = c.b().shape(theta);
  if (!matrices.has_rank() || matrices.rank() != 3 || !matrices[1].is_static() ||
      (matrices[1].size() != 2 && matrices[1].size() != 3)) {
    fail(ErrorCode::kUnsupported, "its matrices are ", matrices, ", expected [N,2,3] or [N,3,4]");
  }
  const size_t spatial = static_cast<size_t>(matrices[1].size());
  if (size && size->size() != spatial + 2) {
    fail(ErrorCode::kInvalidModel, "its size has ", size->size(), " numbers, expected ", spatial + 2);
  }
  const bool corners = c.flag("align_corners", false);
  std::vector<Source> counts, columns(spatial + 1);
  for (size_t i = 0; i < spatial; ++i) {
    counts.push_back(size ? c.b().list({(*size)[i + 2]})
                          : c.b().add("Gather", {list, c.b().list({static_cast<int64_t>(i) + 2}),
                                                 c.b().scalar(int64_t{0})}));
  }
  // [sizes..., 1] for each axis of theta's columns: x, y, z, 1. The innermost axis comes first.
  const Source shape = concat_lists(c, counts);
  for (size_t i = 0; i < spatial; ++i) {
    Ints along(spatial, 1);
    along[i] = -1;
    const Source row = reshape(c, coordinates(c, squeeze(c, counts[i], 0), corners), along);
    columns[spatial - 1 - i] =
        unsqueeze(c, c.b().add("Broadcast", {row, shape}), static_cast<int64_t>(spatial));
  }
  columns[spatial] = unsqueeze(c, c.b().add("Broadcast", {c.b().scalar(1.0, ElementType::kF32), shape}),
                               static_cast<int64_t>(spatial));
  const int64_t width = static_cast<int64_t>(spatial) + 1;
  const Source base = reshape(c, concat(c, columns, static_cast<int64_t>(spatial)), {1, -1, width});
  const Source grid =
      c.b().add("MatMul", {convert(c, base, c.b().type(theta)), theta}, {{"transpose_b", true}});
  std::vector<Source> result = {size_of(c, theta, 0)};
  result.insert(result.end(), counts.begin(), counts.end());
  result.push_back(c.b().list({width - 1}));
  c.give(c.b().add("Reshape", {grid, concat_lists(c, result)}, {{"special_zero", false}}));
}

// For each place along a resized axis, the weights of all elements of that axis, as rows: a triangle, or a
// cubic curve, around the place, `step` times as wide if that is above 1.
Source filters(Context& c, const Source& size, const Source& result, const Source& step, bool cubic) {
  constexpr double kSharp = -0.5;
  const auto centres = [&](const Source& count) {
    return with_number(c, "Add", convert(c, range_to(c, count), ElementType::kF32), 0.5);
  };
  const auto times = [&](const Source& a, const Source& b) { return c.b().add("Multiply", {a, b}); };
  const Source places = unsqueeze(c, times(centres(result), step), 1);
  const Source apart = c.b().add("Abs", {c.b().add("Subtract", {centres(size), places})});
  const Source x = c.b().add("Divide", {apart, with_number(c, "Maximum", step, 1)});
  Source weights = with_number(c, "Maximum", with_number(c, "Subtract", 1, x), 0);
  if (cubic) {
    const Source square = times(x, x);
    const Source inner = with_number(c, "Subtract", with_number(c, "Multiply", x, kSharp + 2), kSharp + 3);
    const Source near = with_number(c, "Add", times(inner, square), 1);
    const Source outer = with_number(c, "Subtract", x, 5);
    const Source tail = with_number(c, "Subtract", times(with_number(c, "Add", times(outer, x), 8), x), 4);
    const Source far = c.b().add("Select", {with_number(c, "Less", x, 2),
                                            with_number(c, "Multiply", tail, kSharp), number_like(c, 0, x)});
    weights = c.b().add("Select", {with_number(c, "Less", x, 1), near, far});
  }
  return c.b().add("Divide", {weights, reduce(c, "ReduceSum", weights, {1}, true)});
}

// Antialiased resizing whose step is not the ratio of the sizes: with scale factors, or from corner to
// corner.
void give_filtered(Context& c, const Source& x, const std::optional<Source>& sizes, bool cubic) {
  const bool corners = c.flag("align_corners", false);
  const std::vector<double> scales = sizes ? std::vector<double>() : scale_factors(c, 2);
  const Source results = sizes ? *sizes : target_sizes(c, x);
  Source made = x;
  for (int64_t i = 0; i < 2; ++i) {
    const Source size = length_of(c, x, i + 2), result = select(c, results, 0, i);
    Source step;
    if (corners) {
      const auto intervals = [&](const Source& count) {
        return convert(c, with_number(c, "Subtract", count, 1), ElementType::kF32);
      };
      const Source ratio = c.b().add("Divide", {intervals(size), intervals(result)});
      step = c.b().add("Select", {with_number(c, "Greater", result, 1), ratio, number_like(c, 0, ratio)});
    } else {
      step = c.b().scalar(1 / scales[static_cast<size_t>(i)], ElementType::kF32);
    }
    const Source rows = convert(c, filters(c, size, result, step, cubic), c.b().type(x));
    made = i == 0 ? c.b().add("MatMul", {rows, made})
                  : c.b().add("MatMul", {made, rows}, {{"transpose_b", true}});
  }
  c.give(made);
}

// Resizing as Pillow does, where each pixel of a smaller image comes from all pixels that it covers.
void give_antialiased(Context& c, bool cubic) {
  const Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  if (rank != 4) fail(ErrorCode::kInvalidModel, "its input has ", rank, " axes, expected 4");
  const std::optional<Source> sizes = named_sizes(c, 2);
  // Beside a size, the scales say the same again.
  c.ignore("scale_factor scales_h scales_w");
  if (!sizes || c.flag("align_corners", false)) {
    give_filtered(c, x, sizes, cubic);
    return;
  }
  c.give(c.b().add("Interpolate", {x, *sizes, c.b().list({2, 3})},
                   {{"mode", cubic ? "bicubic_pillow" : "bilinear_pillow"},
                    {"cube_coeff", -0.5},
                    {"shape_calculation_mode", "sizes"},
                    {"coordinate_transformation_mode", "half_pixel"}}));
}

void antialiased_bilinear(Context& c) { give_antialiased(c, false); }
void antialiased_bicubic(Context& c) { give_antialiased(c, true); }

// Maxima back at the places where MaxPool found them, which count from the first pixel of each channel.
void max_unpool_of(Context& c, size_t spatial) {
  // The output size says these again.
  c.ignore("stride padding");
  const Source x = c.input(0), places = c.input(1);
  const Ints size = c.ints("output_size", spatial);
  int64_t elements = 1;
  bool fits = true;
  for (const int64_t each : size) fits &= each >= 0 && !__builtin_mul_overflow(elements, each, &elements);
  if (!fits) fail(ErrorCode::kInvalidModel, "its output size ", size, " is no size of an image");
  const size_t rank = c.b().rank(x), first = rank - spatial;
  if (rank < spatial + 1)
    fail(ErrorCode::kInvalidModel, "its input has ", rank, " axes, expected ", spatial + 1, " at least");
  const Source values = reshape_axes(c, x, first, spatial, {-1}),
               indices = reshape_axes(c, places, first, spatial, {-1});
  std::vector<Source> shape;
  for (size_t i = 0; i < first; ++i) shape.push_back(size_of(c, x, static_cast<int64_t>(i)));
  shape.push_back(c.b().list({elements}));
  const Source zeros = c.b().add("Broadcast", {number_like(c, 0, x), concat_lists(c, shape)});
  const Source axis = c.b().scalar(static_cast<int64_t>(first));
  const Source filled = c.b().add("ScatterElementsUpdate", {zeros, indices, values, axis});
  c.give(reshape_axes(c, filled, first, 1, size));
}

void max_unpool(Context& c) { max_unpool_of(c, 2); }
void max_unpool_volume(Context& c) { max_unpool_of(c, 3); }

constexpr std::string_view kAntialiased =
    "input output_size align_corners scale_factor|input output_size align_corners scales_h scales_w";

constexpr std::string_view kFiltered =
    "Interpolate Range Add Multiply Subtract Abs Divide Maximum Less Greater Select ReduceSum Floor MatMul";

constexpr Entry kEntries[] = {
    {"nn.Upsample", interpolate, "Interpolate AdaptiveAvgPool Multiply Floor"},
    {"F.interpolate", interpolate, "Interpolate AdaptiveAvgPool Multiply Floor"},
    {"F.upsample", interpolate, "Interpolate AdaptiveAvgPool Multiply Floor"},
    {"nn.UpsamplingNearest2d", nearest, "Interpolate"},
    {"F.upsample_nearest", nearest, "Interpolate"},
    {"nn.UpsamplingBilinear2d", bilinear_corners, "Interpolate"},
    {"F.upsample_bilinear", bilinear_corners, "Interpolate"},
    {"nn.PixelShuffle", pixel_shuffle, "DepthToSpace"},
    {"F.pixel_shuffle", pixel_shuffle, "DepthToSpace"},
    {"nn.PixelUnshuffle", pixel_unshuffle, "SpaceToDepth"},
    {"F.pixel_unshuffle", pixel_unshuffle, "SpaceToDepth"},
    {"nn.Unfold", unfold, "Pad ExtractImagePatches"},
    {"F.unfold", unfold, "Pad ExtractImagePatches"},
    {"nn.Fold", fold, "Col2Im"},
    {"F.fold", fold, "Col2Im"},
    {"F.grid_sample", grid_sample,
     "GridSample Floor Round GatherND Equal Select Multiply Add Subtract Abs FloorMod Divide Less Minimum "
     "Maximum LogicalAnd"},
    {"F.affine_grid", affine_grid, "Range Multiply Add Subtract Divide Maximum MatMul"},
    {"aten::_upsample_bilinear2d_aa", antialiased_bilinear, kFiltered, false, kAntialiased},
    {"aten::_upsample_bicubic2d_aa", antialiased_bicubic, kFiltered, false, kAntialiased},
    {"aten::_upsample_nearest_exact1d", nearest_exact, "Interpolate", false,
     "input output_size scale_factor"},
    {"aten::_upsample_nearest_exact2d", nearest_exact, "Interpolate", false,
     "input output_size scale_factor|input output_size scales_h scales_w"},
    {"aten::_upsample_nearest_exact3d", nearest_exact, "Interpolate", false,
     "input output_size scale_factor|input output_size scales_d scales_h scales_w"},
    {"aten::max_unpool2d", max_unpool, "ScatterElementsUpdate", false, "input indices output_size"},
    {"aten::max_unpool3d", max_unpool_volume, "ScatterElementsUpdate", false,
     "input indices output_size stride padding"},
};

}  // namespace

std::span<const Entry> images() { return kEntries; }

}  // namespace wasmvino::pnnx
