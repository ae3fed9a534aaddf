// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wasmvino::pnnx {
namespace {

// Booleans, integers, floating-point numbers.
int category(ElementType type) { return type == ElementType::kBoolean ? 0 : is_real(type) ? 2 : 1; }

// The type of an operation on a tensor and a number.
ElementType with_number_type(ElementType type, bool integral) {
  if (type == ElementType::kBoolean) return integral ? ElementType::kI64 : ElementType::kF32;
  return is_real(type) || integral ? type : ElementType::kF32;
}

ElementType with_number_type(Context& c, ElementType type, const Scalar& number) {
  return with_number_type(type, number.known ? number.integral : !is_real(c.b().type(number.computed)));
}

bool wraps(std::string_view operation, ElementType type) {
  if (type != ElementType::kU8 && type != ElementType::kI8) return false;
  return operation == "Add" || operation == "Subtract" || operation == "Multiply" || operation == "Abs" ||
         operation == "Negative" || operation == "Power" || operation == "MatMul";
}

// The lowest 8 bits of i32 numbers.
Source wrapped(Context& c, Source wide, ElementType type) {
  const auto by = [&](const char* operation, int64_t number) {
    wide = c.b().add(operation, {wide, c.b().scalar(static_cast<double>(number), ElementType::kI32)});
  };
  constexpr int64_t kBias = 128, kMask = 255;
  if (type == ElementType::kI8) by("Add", kBias);
  by("BitwiseAnd", kMask);
  if (type == ElementType::kI8) by("Subtract", kBias);
  return convert(c, wide, type);
}

// The places of a diagonal in a matrix as a list, for sizes and an offset that the graph computes.
Source computed_places(Context& c, const Source& rows, const Source& columns, const Source& offset) {
  const Source right = with_number(c, "Maximum", offset, 0), down = c.b().add("Subtract", {right, offset});
  const Source first = c.b().add("Add", {c.b().add("Multiply", {down, columns}), right});
  const Source count =
      c.b().add("Minimum", {c.b().add("Subtract", {rows, down}), c.b().add("Subtract", {columns, right})});
  const Source steps = range_to(c, with_number(c, "Maximum", count, 0));
  return c.b().add("Add", {c.b().add("Multiply", {steps, with_number(c, "Add", columns, 1)}), first});
}

}  // namespace

ElementType promoted(ElementType a, ElementType b) {
  if (a == b) return a;
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (bit_width(a) != bit_width(b)) return bit_width(a) > bit_width(b) ? a : b;
  // f16 and bf16; i8 and u8.
  return is_real(a) ? ElementType::kF32 : ElementType::kI16;
}

Source convert(Context& c, const Source& source, ElementType type) {
  return c.b().type(source) == type ? source : c.b().add("Convert", {source}, {{"destination_type", type}});
}

Source apply_wrapping(Context& c, const char* type, const Source& x) {
  const ElementType known = c.b().type(x);
  return wraps(type, known) ? wrapped(c, c.b().add(type, {convert(c, x, ElementType::kI32)}), known)
                            : c.b().add(type, {x});
}

Source apply_wrapping(Context& c, const char* type, const Source& a, const Source& b) {
  const ElementType known = c.b().type(a);
  if (!wraps(type, known)) return c.b().add(type, {a, b});
  return wrapped(c, c.b().add(type, {convert(c, a, ElementType::kI32), convert(c, b, ElementType::kI32)}),
                 known);
}

Source binary(Context& c, const char* type, const Source& a, const Source& b) {
  if (c.b().type(a) == ElementType::kBoolean && c.b().type(b) == ElementType::kBoolean) {
    // As in PyTorch, the sum of two booleans is true if any is, and their product if both are.
    const std::string_view name = type;
    if (name == "Add" || name == "Maximum") type = "LogicalOr";
    if (name == "Multiply" || name == "Minimum") type = "LogicalAnd";
  }
  const ElementType common = promoted(c.b().type(a), c.b().type(b));
  return apply_wrapping(c, type, convert(c, a, common), convert(c, b, common));
}

Source with_number(Context& c, const char* type, const Source& a, double number) {
  const ElementType common = with_number_type(c.b().type(a), std::trunc(number) == number);
  return apply_wrapping(c, type, convert(c, a, common), c.b().scalar(number, common));
}

Source with_number(Context& c, const char* type, double number, const Source& b) {
  const ElementType common = with_number_type(c.b().type(b), std::trunc(number) == number);
  return apply_wrapping(c, type, c.b().scalar(number, common), convert(c, b, common));
}

Source with_number(Context& c, const char* type, const Source& a, const Scalar& number) {
  const ElementType common = with_number_type(c, c.b().type(a), number);
  return apply_wrapping(c, type, convert(c, a, common), number_as(c, number, common));
}

Source with_number(Context& c, const char* type, const Scalar& number, const Source& b) {
  const ElementType common = with_number_type(c, c.b().type(b), number);
  return apply_wrapping(c, type, number_as(c, number, common), convert(c, b, common));
}

Source number_as(Context& c, const Scalar& number, ElementType type) {
  return number.known ? c.b().scalar(*number.known, type) : convert(c, number.computed, type);
}

Source number_like(Context& c, double number, const Source& like) {
  return c.b().scalar(number, c.b().type(like));
}

Source number_like(Context& c, const Scalar& number, const Source& like) {
  return number_as(c, number, c.b().type(like));
}

Source other_operand(Context& c, const char* name, size_t position, const Source& like) {
  if (c.find(name) == nullptr) {
    if (const auto found = c.find_input(name, position)) return *found;
  }
  const Scalar number = c.number(name);
  return number_as(c, number, with_number_type(c, c.b().type(like), number));
}

Source shape_of(Context& c, const Source& source) {
  const PartialShape& shape = c.b().shape(source);
  return shape.is_static() ? c.b().list(shape.to_shape()) : c.b().add("ShapeOf", {source});
}

Source size_of(Context& c, const Source& source, int64_t axis) {
  const PartialShape& shape = c.b().shape(source);
  if (shape.has_rank() && (axis < 0 || static_cast<uint64_t>(axis) >= shape.rank())) {
    fail(ErrorCode::kInvalidModel, "takes the size of axis ", axis, " of ", shape);
  }
  if (shape.has_rank() && shape[static_cast<size_t>(axis)].is_static()) {
    return c.b().list({shape[static_cast<size_t>(axis)].size()});
  }
  return c.b().add("Gather", {shape_of(c, source), c.b().list({axis}), c.b().scalar(int64_t{0})});
}

Source length_of(Context& c, const Source& source, int64_t axis) {
  return squeeze(c, size_of(c, source, axis), 0);
}

Source range_to(Context& c, const Source& end, int64_t step) {
  return c.b().add("Range", {c.b().scalar(int64_t{0}), end, c.b().scalar(step)},
                   {{"output_type", ElementType::kI64}});
}

Source concat_lists(Context& c, const std::vector<Source>& lists) {
  return lists.size() == 1 ? lists[0] : c.b().add("Concat", lists, {{"axis", int64_t{0}}});
}

Source reshape(Context& c, const Source& source, const Ints& shape) {
  return c.b().add("Reshape", {source, c.b().list(shape)}, {{"special_zero", false}});
}

Source reshape_keeping(Context& c, const Source& source, const Ints& shape) {
  return c.b().add("Reshape", {source, c.b().list(shape)}, {{"special_zero", true}});
}

Source reshape_axes(Context& c, const Source& source, size_t first, size_t count, const Ints& sizes) {
  const PartialShape shape = c.b().shape(source);
  const size_t rank = c.b().rank(source);
  Ints known;
  std::vector<Source> lists;
  bool all_known = true;
  for (size_t i = 0; i < first; ++i) known.push_back(0);
  for (const int64_t size : sizes) known.push_back(size);
  for (size_t i = first + count; i < rank; ++i) {
    all_known &= shape[i].is_static();
    known.push_back(shape[i].is_static() ? shape[i].size() : 0);
  }
  if (all_known && first + count <= rank) {
    // In Reshape, a size of 0 copies the source's size. Shapes with a true size of 0 are rare, so they take
    // the long way.
    const bool any_zero =
        std::find(known.begin() + static_cast<ptrdiff_t>(first), known.end(), 0) != known.end();
    if (!any_zero) return reshape_keeping(c, source, known);
  }
  for (size_t i = 0; i < first; ++i) lists.push_back(size_of(c, source, static_cast<int64_t>(i)));
  if (!sizes.empty()) lists.push_back(c.b().list(sizes));
  for (size_t i = first + count; i < rank; ++i) lists.push_back(size_of(c, source, static_cast<int64_t>(i)));
  return c.b().add("Reshape", {source, concat_lists(c, lists)}, {{"special_zero", false}});
}

Source transpose(Context& c, const Source& source, const Ints& order) {
  return c.b().add("Transpose", {source, c.b().list(order)});
}

Source squeeze(Context& c, const Source& source, int64_t axis) {
  return c.b().add("Squeeze", {source, c.b().list({axis})});
}

Source unsqueeze(Context& c, const Source& source, int64_t axis) {
  return c.b().add("Unsqueeze", {source, c.b().list({axis})});
}

Source concat(Context& c, const std::vector<Source>& parts, int64_t axis) {
  return parts.size() == 1 ? parts[0] : c.b().add("Concat", parts, {{"axis", axis}});
}

std::vector<Source> split(Context& c, const Source& source, int64_t axis, const Ints& sizes) {
  const Source made =
      c.b().add("VariadicSplit", {source, c.b().scalar(axis), c.b().list(sizes)}, {}, sizes.size());
  std::vector<Source> parts;
  for (size_t i = 0; i < sizes.size(); ++i) parts.push_back(model::Builder::output(made, i));
  return parts;
}

Source select(Context& c, const Source& source, int64_t axis, int64_t index) {
  return c.b().add("Gather", {source, c.b().scalar(index), c.b().scalar(axis)});
}

Source slice(Context& c, const Source& source, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  return c.b().add("Slice",
                   {source, c.b().list({begin}), c.b().list({end}), c.b().list({step}), c.b().list({axis})});
}

Source channel_weight(Context& c, const char* name, size_t rank) {
  Shape shape = {static_cast<int64_t>(element_count(c.weight_text(name).shape))};
  while (shape.size() + 1 < rank) shape.push_back(1);
  return c.weight(name, shape);
}

Source scale_or(Context& c, const char* name, size_t position, double otherwise, int64_t size,
                const Source& like) {
  if (c.has_weight(name)) return c.weight(name);
  const Parameter* parameter = c.find(name);
  if (parameter == nullptr) {
    if (const auto found = c.find_input(name, position)) return *found;
  }
  return c.b().add("Broadcast", {number_like(c, otherwise, like), c.b().list({size})});
}

Source with_batch(Context& c, const Source& x, size_t spatial) {
  return c.b().rank(x) == spatial + 1 ? unsqueeze(c, x, 0) : x;
}

Source without_batch(Context& c, const Source& x, const Source& output, size_t spatial) {
  return c.b().rank(x) == spatial + 1 ? squeeze(c, output, 0) : output;
}

Source reduce(Context& c, const char* type, const Source& source, const Ints& axes, bool keep) {
  return c.b().add(type, {source, c.b().list(axes)}, {{"keep_dims", keep}});
}

Ints reduced_axes(Context& c, const Source& source, const char* name) {
  const size_t rank = c.b().rank(source);
  Ints axes;
  if (c.has(name)) {
    for (const int64_t axis : c.ints(name)) axes.push_back(rank == 0 ? 0 : c.axis(axis, rank));
  } else {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  }
  return rank == 0 ? Ints() : axes;
}

Source reduced_count(Context& c, const Source& source, const Ints& axes) {
  const PartialShape shape = c.b().shape(source);
  double count = 1;
  for (const int64_t axis : axes) {
    const Dimension size = shape[static_cast<size_t>(axis)];
    count = size.is_static() ? count * static_cast<double>(size.size()) : NAN;
  }
  if (!std::isnan(count)) return number_like(c, count, source);
  const Source sizes = c.b().add("Gather", {shape_of(c, source), c.b().list(axes), c.b().scalar(int64_t{0})});
  return convert(c, reduce(c, "ReduceProd", sizes, {0}, false), c.b().type(source));
}

Source as_real(Context& c, const Source& x) {
  return is_real(c.b().type(x)) ? x : convert(c, x, ElementType::kF32);
}

Source widened(Context& c, const Source& x) {
  return is_real(c.b().type(x)) ? x : convert(c, x, ElementType::kI64);
}

Source declared_real(Context& c, const Source& x) {
  if (c.op().outputs.empty()) return x;
  const ElementType declared = c.declared_output().type;
  return declared != ElementType::kDynamic && is_real(declared) ? convert(c, x, declared) : x;
}

Source declared_integer(Context& c, const Source& x) {
  if (c.op().outputs.empty()) return x;
  const ElementType declared = c.declared_output().type;
  const bool integral =
      declared != ElementType::kDynamic && declared != ElementType::kBoolean && !is_real(declared);
  return integral ? convert(c, x, declared) : x;
}

Source log_sum_exp(Context& c, const Source& x, const Ints& axes, bool keep) {
  // Where the maximum is infinite, 0 takes its place: exp(x) is then infinite, or 0 everywhere.
  const Source largest = reduce(c, "ReduceMax", x, axes, true);
  const Source infinite = c.b().add("IsInf", {largest});
  const Source most = c.b().add("Select", {infinite, number_like(c, 0, x), largest});
  const Source sum = reduce(c, "ReduceSum", c.b().add("Exp", {c.b().add("Subtract", {x, most})}), axes, keep);
  const Source added = keep ? most : c.b().add("Squeeze", {most, c.b().list(axes)});
  return c.b().add("Add", {c.b().add("Log", {sum}), added});
}

Source top_k(Context& c, const Source& x, const Source& k, int64_t axis, bool largest, bool sorted) {
  return c.b().add("TopK", {x, k},
                   {{"axis", axis},
                    {"mode", largest ? "max" : "min"},
                    {"sort", sorted ? "value" : "none"},
                    {"index_element_type", ElementType::kI64}},
                   2);
}

Diagonal find_diagonal(Context& c, const Source& x, const Scalar& offset, int64_t row_axis,
                       int64_t column_axis) {
  const size_t rank = c.b().rank(x);
  const int64_t row = c.axis(row_axis, rank), column = c.axis(column_axis, rank);
  if (row == column) fail(ErrorCode::kInvalidModel, "takes a diagonal of axis ", row, " alone");
  Diagonal found;
  for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i) {
    if (i != row && i != column) found.order.push_back(i);
  }
  found.order.push_back(row);
  found.order.push_back(column);
  found.matrices = transpose(c, x, found.order);
  const Dimension rows = c.b().shape(x)[static_cast<size_t>(row)],
                  columns = c.b().shape(x)[static_cast<size_t>(column)];
  constexpr int64_t kMost = 1 << 20;
  if (!offset.known || !rows.is_static() || !columns.is_static() || rows.size() > kMost ||
      columns.size() > kMost) {
    found.places = computed_places(c, length_of(c, x, row), length_of(c, x, column),
                                   number_as(c, offset, ElementType::kI64));
    return found;
  }
  const int64_t right = static_cast<int64_t>(std::clamp<double>(*offset.known, 0, kMost)),
                down = static_cast<int64_t>(std::clamp<double>(-*offset.known, 0, kMost));
  Ints places;
  for (int64_t i = 0; i + down < rows.size() && i + right < columns.size(); ++i) {
    places.push_back((i + down) * columns.size() + i + right);
  }
  found.places = c.b().list(places);
  return found;
}

Source flat_matrices(Context& c, const Diagonal& diagonal) {
  return reshape_axes(c, diagonal.matrices, c.b().rank(diagonal.matrices) - 2, 2, {-1});
}

Source diagonal_of(Context& c, const Source& x, const Scalar& offset, int64_t row_axis, int64_t column_axis) {
  const Diagonal found = find_diagonal(c, x, offset, row_axis, column_axis);
  const int64_t last = static_cast<int64_t>(c.b().rank(x)) - 2;
  return c.b().add("Gather", {flat_matrices(c, found), found.places, c.b().scalar(last)});
}

Source p_norm(Context& c, const Source& source, double p, const Ints& axes, bool keep) {
  if (p == 2) return reduce(c, "ReduceL2", source, axes, keep);
  if (p == 1) return reduce(c, "ReduceL1", source, axes, keep);
  const Source magnitude = c.b().add("Abs", {source});
  if (std::isinf(p)) return reduce(c, p > 0 ? "ReduceMax" : "ReduceMin", magnitude, axes, keep);
  if (p == 0) {
    const Source nonzero = convert(c, with_number(c, "NotEqual", source, 0), c.b().type(source));
    return reduce(c, "ReduceSum", nonzero, axes, keep);
  }
  const Source sum = reduce(c, "ReduceSum", with_number(c, "Power", magnitude, p), axes, keep);
  return with_number(c, "Power", sum, 1 / p);
}

Source interpolate(Context& c, const Source& start, const Source& end, const Source& weight) {
  const Source difference = c.b().add("Subtract", {end, start});
  const Source from_start = c.b().add("Add", {start, binary(c, "Multiply", difference, weight)});
  const Source rest = with_number(c, "Subtract", 1, weight);
  const Source from_end = c.b().add("Subtract", {end, binary(c, "Multiply", difference, rest)});
  const Source near = with_number(c, "Less", c.b().add("Abs", {weight}), 0.5);
  return c.b().add("Select", {near, from_start, from_end});
}

// With u = 1 + x rounded, log(u) x / (u - 1): the rounding of u cancels. W. Kahan, as in HP-15C Advanced
// Functions.
Source log1p(Context& c, const Source& source) {
  const Source x = as_real(c, source), u = with_number(c, "Add", x, 1);
  const Source log = c.b().add("Log", {u}), gap = with_number(c, "Subtract", u, 1);
  // Where u is 1, the result is x, and where it is infinite, infinity.
  const Source exact = c.b().add("LogicalOr", {with_number(c, "Equal", gap, 0), c.b().add("IsInf", {u})});
  const Source limit = c.b().add("Select", {with_number(c, "Equal", gap, 0), x, log});
  const Source ratio = c.b().add("Multiply", {log, c.b().add("Divide", {x, gap})});
  return c.b().add("Select", {exact, limit, ratio});
}

// 2 exp(x / 2) sinh(x / 2), whose factors overflow at twice the x; exp(x) - 1 beyond 1, where nothing
// cancels.
Source expm1(Context& c, const Source& source) {
  const Source x = as_real(c, source), half = with_number(c, "Multiply", x, 0.5);
  const Source small = with_number(
      c, "Multiply", c.b().add("Multiply", {c.b().add("Exp", {half}), c.b().add("Sinh", {half})}), 2);
  const Source large = with_number(c, "Subtract", c.b().add("Exp", {x}), 1);
  return c.b().add("Select", {with_number(c, "Less", c.b().add("Abs", {x}), 1), small, large});
}

Source pad_with_zeros(Context& c, const Source& source, const Ints& pads) {
  return pad(c, source, pads, "constant", {0, true, {}});
}

Source pad(Context& c, Source source, const Ints& pads, const std::string& mode, const Scalar& value) {
  const size_t rank = c.b().rank(source);
  if (pads.size() % 2 != 0 || pads.size() / 2 > rank) {
    fail(ErrorCode::kInvalidModel, "pads ", pads, ", expected two numbers for each of at most ", rank,
         " axes");
  }
  if (mode == "circular") {
    for (size_t i = 0; i < pads.size() / 2; ++i) {
      const int64_t axis = static_cast<int64_t>(rank - 1 - i), before = pads[2 * i], after = pads[2 * i + 1];
      constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
      // Negative numbers cut elements off, before others wrap around.
      if (before < 0 || after < 0)
        source = slice(c, source, axis, std::max<int64_t>(-before, 0), after < 0 ? after : kEnd);
      std::vector<Source> parts;
      if (before > 0) parts.push_back(slice(c, source, axis, -before, kEnd));
      parts.push_back(source);
      if (after > 0) parts.push_back(slice(c, source, axis, 0, after));
      source = concat(c, parts, axis);
    }
    return source;
  }
  std::string pad_mode = mode;
  if (mode == "zeros") pad_mode = "constant";
  if (mode == "replicate") pad_mode = "edge";
  if (pad_mode != "constant" && pad_mode != "edge" && pad_mode != "reflect") {
    fail(ErrorCode::kUnsupported, "pads in the unknown mode '", mode, "'");
  }
  Ints before, after;
  for (size_t i = 0; i < rank; ++i) {
    before.push_back(0);
    after.push_back(0);
  }
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    before[rank - 1 - i] = pads[2 * i];
    after[rank - 1 - i] = pads[2 * i + 1];
  }
  std::vector<Source> inputs = {source, c.b().list(before), c.b().list(after)};
  if (pad_mode == "constant") inputs.push_back(number_like(c, value, source));
  return c.b().add("Pad", inputs, {{"pad_mode", pad_mode}});
}

}  // namespace wasmvino::pnnx
