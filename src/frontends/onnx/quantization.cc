// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/quantization.h"

#include <cmath>
#include <limits>

#include "frontends/build/functions.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: the file consists of its calls
using model::Builder;

bool has_one_element(const PartialShape& shape) {
  return shape.is_static() && element_count(shape.to_shape()) == 1;
}

// Repeats each block of a parameter along an axis, as many times as `size`, a list of one size, wants.
Source repeat_blocks(Builder& b, const Source& parameter, int64_t axis, int64_t block, const Source& size) {
  const Source positions = range_to(b, squeeze(b, size, {0}));
  const Source blocks = b.add("Divide", {positions, b.scalar(block)});
  return b.add("Gather", {parameter, blocks, b.scalar(axis)});
}

// A parameter of x, in a shape that broadcasts to it.
Source fit(Context& c, const Source& parameter, const Source& x, const Scales& scales) {
  Builder& b = c.b();
  const PartialShape shape = b.shape(parameter);
  if (scales.block > 0) {
    const int64_t axis = c.axis(scales.axis, b.rank(x));
    return repeat_blocks(b, parameter, axis, scales.block, size_of(b, x, axis));
  }
  if (!shape.has_rank() || shape.rank() == 0) return parameter;
  if (has_one_element(shape)) return as_scalar(b, parameter);
  if (shape.rank() != 1) {
    fail(ErrorCode::kInvalidShape, "its scale or zero point has shape ", shape,
         ", expected one element or one axis, unless there are blocks");
  }
  const size_t rank = b.rank(x);
  Ints sizes(rank, 1);
  sizes[static_cast<size_t>(c.axis(scales.axis, rank))] = -1;
  return reshape(b, parameter, sizes);
}

// The form of a blocked weight whose shape is known and divisible: each block has an axis of its own, so that
// the scales broadcast.
struct Blocks {
  Ints split, whole;
  int64_t axis;
};
std::optional<Blocks> blocks_of(Context& c, const Source& x, const Scales& scales) {
  const PartialShape shape = c.b().shape(x);
  if (scales.block <= 0 || !shape.is_static()) return std::nullopt;
  Blocks blocks;
  blocks.axis = c.axis(scales.axis, shape.rank());
  blocks.whole = shape.to_shape();
  const int64_t size = blocks.whole[static_cast<size_t>(blocks.axis)];
  if (size == 0 || size % scales.block != 0) return std::nullopt;
  for (size_t i = 0; i < blocks.whole.size(); ++i) {
    const bool here = static_cast<int64_t>(i) == blocks.axis;
    blocks.split.push_back(here ? size / scales.block : blocks.whole[i]);
    if (here) blocks.split.push_back(scales.block);
  }
  return blocks;
}

// The greatest finite number of a type of floats.
double greatest(ElementType type) {
  switch (type) {
    case ElementType::kF8e4m3:
      return 448;
    case ElementType::kF8e5m2:
      return 57344;
    case ElementType::kF4e2m1:
      return 6;
    default:
      fail(ErrorCode::kUnsupported, "quantises to ", type, ", expected integers of up to 16 bits, f8 or f4");
  }
}

struct Limits {
  double lowest, highest;
};
std::optional<Limits> limits_of(ElementType type) {
  if (!kAnyIntegers.contains(type) || bit_width(type) > 16) return std::nullopt;
  const bool is_signed = type == ElementType::kI4 || type == ElementType::kI8 || type == ElementType::kI16;
  const double levels = std::ldexp(1.0, static_cast<int>(bit_width(type)));
  return is_signed ? Limits{-levels / 2, levels / 2 - 1} : Limits{0, levels - 1};
}

// Rounds numbers in f32, adds the zero point and saturates.
Source to_levels(Context& c, const Source& x, const std::optional<Source>& zero_point, ElementType type,
                 const Limits& limits) {
  Builder& b = c.b();
  Source level = b.add("Round", {convert(b, x, ElementType::kF32)}, {{"mode", "half_to_even"}});
  if (zero_point) level = b.add("Add", {level, convert(b, *zero_point, ElementType::kF32)});
  level = b.add("Clamp", {level}, {{"min", limits.lowest}, {"max", limits.highest}});
  return convert(b, level, type);
}

}  // namespace

Source as_scalar(Builder& b, const Source& value) {
  return has_one_element(b.shape(value)) && b.rank(value) > 0 ? reshape(b, value, Ints()) : value;
}

Source dequantize(Context& c, const Source& x, const Scales& scales, ElementType type) {
  Builder& b = c.b();
  const ElementType from = b.type(x), given = b.type(scales.scale);
  const bool wide = bit_width(from) > 8;
  if (type == ElementType::kDynamic) type = given;
  // Differences of integers of 8 bits are exact in all types of scales.
  const ElementType computed = wide || type != given ? ElementType::kF32 : given;
  const auto blocks = blocks_of(c, x, scales);
  const auto fitted = [&](const Source& parameter) {
    return blocks ? unsqueeze(b, parameter, {blocks->axis + 1}) : fit(c, parameter, x, scales);
  };
  Source value = x;
  if (from == ElementType::kI32 && scales.zero_point) {
    value = b.add("Subtract", {value, fitted(*scales.zero_point)});
  }
  value = convert(b, value, computed);
  if (blocks) value = reshape(b, value, blocks->split);
  if (from != ElementType::kI32 && scales.zero_point && kAnyIntegers.contains(from))
    value = b.add("Subtract", {value, convert(b, fitted(*scales.zero_point), computed)});
  value = b.add("Multiply", {value, convert(b, fitted(scales.scale), computed)});
  if (blocks) value = reshape(b, value, blocks->whole);
  return convert(b, value, type);
}

Source quantize(Context& c, const Source& x, const Scales& scales, ElementType type, bool saturate,
                ElementType quotient) {
  Builder& b = c.b();
  if (quotient == ElementType::kDynamic) quotient = b.type(scales.scale);
  const Source scale = fit(c, scales.scale, x, scales);
  const Source ratio = b.add("Divide", {convert(b, x, quotient), convert(b, scale, quotient)});
  std::optional<Source> zero_point;
  if (scales.zero_point) zero_point = fit(c, *scales.zero_point, x, scales);
  if (const auto limits = limits_of(type)) return to_levels(c, ratio, zero_point, type, *limits);
  const double most = greatest(type);
  if (!saturate) return convert(b, ratio, type);
  return convert(b, b.add("Clamp", {ratio}, {{"min", -most}, {"max", most}}), type);
}

Source round_to_levels(Context& c, const Source& x, const std::optional<Source>& zero_point) {
  const ElementType type = zero_point ? c.b().type(*zero_point) : ElementType::kU8;
  const auto limits = limits_of(type);
  if (!limits) fail(ErrorCode::kInvalidType, "its zero point has type ", type, ", expected 8 or 16 bits");
  std::optional<Source> scalar;
  if (zero_point) scalar = as_scalar(c.b(), *zero_point);
  return to_levels(c, x, scalar, type, *limits);
}

Source centered(Context& c, const Source& x, const std::optional<Source>& zero_point, int64_t axis_from_end,
                ElementType type) {
  Builder& b = c.b();
  const Source wide = convert(b, x, type);
  if (!zero_point) return wide;
  Source offset = as_scalar(b, convert(b, *zero_point, type));
  const PartialShape shape = b.shape(offset);
  if (shape.has_rank() && shape.rank() == 1) {
    Ints sizes(static_cast<size_t>(axis_from_end), 1);
    sizes[0] = -1;
    offset = reshape(b, offset, sizes);
  }
  return b.add("Subtract", {wide, offset});
}

}  // namespace wasmvino::onnx
