// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/heads.h"

#include <cmath>
#include <limits>

#include "frontends/build/functions.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout
using model::Builder;

// What is added to scores: the bias, and -infinity where nothing is seen.
std::optional<Source> additive_mask(Context& c, const Attention& a) {
  Builder& b = c.b();
  std::optional<Source> bias;
  if (a.bias) bias = convert(b, *a.bias, b.type(a.query));
  if (!a.visible) return bias;
  const Source hidden = number_like(b, -std::numeric_limits<double>::infinity(), a.query);
  return b.add("Select", {*a.visible, bias ? *bias : number_like(b, 0, a.query), hidden});
}

// The scale as a value of the query's type.
Source scale_of(Context& c, const Attention& a) {
  Builder& b = c.b();
  if (a.scale != 0) return number_like(b, a.scale, a.query);
  const PartialShape shape = b.shape(a.query);
  const Dimension width = shape.has_rank() ? shape[shape.rank() - 1] : Dimension();
  if (width.is_static() && width.size() > 0)
    return number_like(b, 1 / std::sqrt(static_cast<double>(width.size())), a.query);
  const Source size = convert(b, squeeze(b, size_of(b, a.query, 3), {0}), b.type(a.query));
  return b.add("Divide", {number_like(b, 1, a.query), b.add("Sqrt", {size})});
}

// With a cap, the scores are computed step by step, in f32.
Source attend_capped(Context& c, const Attention& a) {
  Builder& b = c.b();
  const auto real = [&](const Source& x) { return convert(b, x, ElementType::kF32); };
  Source scores = b.add("MatMul", {real(a.query), real(a.key)}, {{"transpose_b", true}});
  scores = b.add("Multiply", {scores, real(scale_of(c, a))});
  const Source cap = number_like(b, a.softcap, scores);
  scores = b.add("Multiply", {b.add("Tanh", {b.add("Divide", {scores, cap})}), cap});
  if (const auto mask = additive_mask(c, a)) scores = b.add("Add", {scores, real(*mask)});
  if (a.sink) {
    // One more column, which has no value.
    const Source one =
        concat_lists(b, {size_of(b, scores, 0), size_of(b, scores, 1), size_of(b, scores, 2), b.list({1})});
    scores = concat(b, {scores, b.add("Broadcast", {real(*a.sink), one})}, 3);
  }
  Source weights = b.add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  if (a.sink) weights = slice(b, weights, 3, 0, -1);
  return convert(b, b.add("MatMul", {weights, real(a.value)}), b.type(a.query));
}

}  // namespace

Source split_heads(Context& c, const Source& x, int64_t heads) {
  return transpose(c.b(), reshape_keeping(c.b(), x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

Source merge_heads(Context& c, const Source& x) {
  return reshape_keeping(c.b(), transpose(c.b(), x, {0, 2, 1, 3}), {0, 0, -1});
}

Source repeat_heads(Context& c, const Source& x, int64_t heads, int64_t repeats) {
  if (repeats == 1) return x;
  Builder& b = c.b();
  const Source wide =
      b.add("Broadcast", {unsqueeze(b, x, {2}), b.list({1, 1, repeats, 1, 1})}, {{"mode", "bidirectional"}});
  const Source sizes =
      concat_lists(b, {size_of(b, x, 0), b.list({heads * repeats}), size_of(b, x, 2), size_of(b, x, 3)});
  return reshape(b, wide, sizes);
}

Source counted(Context& c, const Source& x, int64_t axis) {
  return range_to(c.b(), squeeze(c.b(), size_of(c.b(), x, axis), {0}));
}

Source attend(Context& c, const Attention& a) {
  if (a.softcap != 0) return attend_capped(c, a);
  Builder& b = c.b();
  std::vector<Source> inputs = {a.query, a.key, a.value};
  if (a.visible && !a.bias) {
    inputs.push_back(*a.visible);
  } else if (const auto mask = additive_mask(c, a)) {
    inputs.push_back(*mask);
  } else {
    inputs.push_back(number_like(b, 0, a.query));
  }
  inputs.push_back(scale_of(c, a));
  if (a.sink) inputs.push_back(convert(b, *a.sink, b.type(a.query)));
  return b.add("ScaledDotProductAttention", inputs, {{"causal", false}});
}

Source causal_mask(Context& c, const Source& query, const Source& key, const Source& offset, int64_t window) {
  Builder& b = c.b();
  const Source rows = b.add("Add", {unsqueeze(b, counted(c, query, 2), {1}), offset});
  const Source keys = counted(c, key, 2);
  const Source visible = b.add("LessEqual", {keys, rows});
  if (window <= 0) return visible;
  const Source first = b.add("Subtract", {rows, b.scalar(window)});
  return b.add("LogicalAnd", {visible, b.add("Greater", {keys, first})});
}

Source rotate(Context& c, const Source& x, const Rotation& rotation) {
  Builder& b = c.b();
  const auto width_of = [&](const Source& value) {
    const PartialShape shape = b.shape(value);
    const Dimension last = shape.has_rank() && shape.rank() > 0 ? shape[shape.rank() - 1] : Dimension();
    if (!last.is_static()) fail(ErrorCode::kUnsupported, "the width of its heads or caches is unknown");
    return last.size();
  };
  const int64_t width = width_of(x), half = width_of(rotation.cosines);
  if (2 * half > width) {
    fail(ErrorCode::kInvalidShape, "rotates ", 2 * half, " elements of heads of ", width);
  }
  std::vector<Source> parts = {x};
  if (2 * half < width) parts = split(b, x, -1, {2 * half, width - 2 * half});
  Ints pairs, back;  // the first elements of all pairs, then the second ones; and the way back
  c.count_made(static_cast<size_t>(half));
  for (int64_t i = 0; i < half; ++i) pairs.push_back(2 * i), back.push_back(i), back.push_back(half + i);
  for (int64_t i = 0; i < half; ++i) pairs.push_back(2 * i + 1);
  const auto reorder = [&](const Source& value, const Ints& order) {
    return rotation.interleaved ? b.add("Gather", {value, b.list(order), b.scalar(int64_t{-1})}) : value;
  };
  const Source data = reorder(parts[0], pairs);
  const auto twice = [&](const Source& angles) {
    return unsqueeze(b, convert(b, concat(b, {angles, angles}, -1), b.type(x)), {1});
  };
  const std::vector<Source> halves = split(b, data, -1, {half, half});
  const Source turned = concat(b, {b.add("Negative", {halves[1]}), halves[0]}, -1);
  const Source sum = b.add("Add", {b.add("Multiply", {data, twice(rotation.cosines)}),
                                   b.add("Multiply", {turned, twice(rotation.sines)})});
  parts[0] = reorder(sum, back);
  return concat(b, parts, -1);
}

}  // namespace wasmvino::onnx
