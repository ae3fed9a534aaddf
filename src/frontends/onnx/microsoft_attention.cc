// SPDX-License-Identifier: Apache-2.0
// Attention of com.microsoft: Attention, QAttention, MultiHeadAttention, GroupQueryAttention,
// RotaryEmbedding.
#include <cmath>

#include "frontends/build/functions.h"
#include "frontends/onnx/families.h"
#include "frontends/onnx/heads.h"
#include "frontends/onnx/integers.h"
#include "frontends/onnx/quantization.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout
using model::Builder;

Source sum_of(Builder& b, const std::optional<Source>& a, const Source& other) {
  return a ? b.add("Add", {*a, other}) : other;
}

// Hides what a boolean mask does not show, by the attribute mask_filter_value.
Source filtered(Context& c, const Source& visible, const Source& like) {
  Builder& b = c.b();
  return b.add("Select",
               {visible, number_like(b, 0, like), number_like(b, c.real("mask_filter_value", -10000), like)});
}

// What the mask of integers adds to the scores of `key`. Its forms: lengths of keys [B]; ends and beginnings
// of keys [2 B]; 0 and 1 for [B, T], [B, S, T] or [B, 1, M, M].
Source bias_of_mask(Context& c, const Source& mask, const Source& query, const Source& key) {
  Builder& b = c.b();
  const auto is_one = [&](const Source& x) { return b.add("NotEqual", {x, number_like(b, 0, x)}); };
  switch (b.rank(mask)) {
    case 1: {
      const PartialShape shape = b.shape(mask), queries = b.shape(query);
      const Source keys = convert(b, counted(c, key, 2), b.type(mask));
      const auto before = [&](const Source& ends) {
        return b.add("Less", {keys, reshape(b, ends, Ints{-1, 1, 1, 1})});
      };
      if (shape[0].is_static() && queries[0].is_static() && shape[0].size() != queries[0].size()) {
        if (shape[0].size() != 2 * queries[0].size()) {
          fail(ErrorCode::kUnsupported, "its mask has shape ", shape, " for a batch of ", queries[0],
               ", expected one or two numbers for each");
        }
        const std::vector<Source> ends = split(b, mask, 0, {queries[0].size(), queries[0].size()});
        const Source hidden = b.add("LogicalNot", {before(ends[1])});
        return filtered(c, b.add("LogicalAnd", {before(ends[0]), hidden}), query);
      }
      return filtered(c, before(mask), query);
    }
    case 2:
      return filtered(c, is_one(unsqueeze(b, mask, {1, 2})), query);
    case 3:
      return filtered(c, is_one(unsqueeze(b, mask, {1})), query);
    default: {
      // The rows of the queries, which are the last of all positions, and the columns of the keys.
      const Source keys = size_of(b, key, 2), queries = size_of(b, query, 2);
      const Source first = b.add("Subtract", {keys, queries});
      const Source part = b.add("Slice", {mask, concat_lists(b, {first, b.list({0})}),
                                          concat_lists(b, {keys, keys}), b.list({1, 1}), b.list({2, 3})});
      return filtered(c, is_one(part), query);
    }
  }
}

// How many keys there were before the new ones.
Source past_length(Context& c, const Source& query, const Source& key) {
  Builder& b = c.b();
  return b.add("Subtract", {size_of(b, key, 2), size_of(b, query, 2)});
}

// --- Attention ---------------------------------------------------------------------------------------------

// Attention of queries, keys and values in one matrix [B, S, q + k + v].
void attention_of(Context& c, const Source& projected, size_t mask, size_t past, size_t bias) {
  Builder& b = c.b();
  const int64_t heads = c.count("num_heads");
  if (heads < 1)
    fail(ErrorCode::kInvalidModel, "its attribute 'num_heads' is ", heads, ", expected 1 or more");
  if (c.flag("do_rotary"))
    fail(ErrorCode::kUnsupported, "its attribute 'do_rotary' is 1, which is not supported");
  Ints sizes = c.ints("qkv_hidden_sizes");
  if (sizes.empty()) {
    const PartialShape shape = b.shape(projected);
    const Dimension all = shape.has_rank() ? shape[shape.rank() - 1] : Dimension();
    if (!all.is_static() || all.size() % 3 != 0)
      fail(ErrorCode::kUnsupported, "its weights have ", all, " columns, expected a known multiple of 3");
    sizes = Ints(3, all.size() / 3);
  }
  const std::vector<Source> parts = split(b, projected, 2, sizes);
  Attention a{split_heads(c, parts[0], heads), split_heads(c, parts[1], heads),
              split_heads(c, parts[2], heads)};
  if (const auto before = c.find_input(past)) {
    a.key = concat(b, {select(b, *before, 0, 0), a.key}, 2);
    a.value = concat(b, {select(b, *before, 0, 1), a.value}, 2);
  }
  if (const auto given = c.find_input(mask)) a.bias = bias_of_mask(c, *given, a.query, a.key);
  if (bias > 0 && c.has_input(bias)) a.bias = sum_of(b, a.bias, c.input(bias));
  if (c.flag("unidirectional")) a.visible = causal_mask(c, a.query, a.key, past_length(c, a.query, a.key));
  a.scale = c.real("scale", 0);
  std::vector<Source> outputs = {merge_heads(c, attend(c, a))};
  if (c.output_count() > 1)
    outputs.push_back(concat(b, {unsqueeze(b, a.key, {0}), unsqueeze(b, a.value, {0})}, 0));
  c.give(outputs);
}

void attention(Context& c) {
  Builder& b = c.b();
  Source projected = b.add("MatMul", {c.input(0), c.input(1)});
  if (const auto bias = c.find_input(2)) projected = b.add("Add", {projected, *bias});
  attention_of(c, projected, 3, 4, 5);
}

void q_attention(Context& c) {
  Builder& b = c.b();
  const Source sum = multiply_integers(c, c.input(0), c.find_input(6), c.input(1), c.find_input(7));
  const Source scale = b.add("Multiply", {as_scalar(b, c.input(3)), as_scalar(b, c.input(4))});
  const Source product = b.add("Multiply", {convert(b, sum, ElementType::kF32), scale});
  attention_of(c, b.add("Add", {product, c.input(2)}), 5, 8, 0);
}

// --- MultiHeadAttention ------------------------------------------------------------------------------------

// Parts of the bias for queries, keys and values.
std::vector<Source> bias_parts(Context& c, const Source& bias, const std::vector<Source>& values) {
  Ints sizes;
  for (const Source& value : values) {
    const PartialShape shape = c.b().shape(value);
    const Dimension width = shape[shape.rank() - 1];
    if (!width.is_static()) fail(ErrorCode::kUnsupported, "has a bias for a hidden size that is unknown");
    sizes.push_back(width.size());
  }
  return split(c.b(), bias, 0, sizes);
}

// Keys and values that share a tensor: [B, S, heads, n, D] as n times [B, S, heads * D].
std::vector<Source> unpacked(Context& c, const Source& x, int64_t count) {
  std::vector<Source> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(reshape_keeping(c.b(), select(c.b(), x, 3, i), {0, 0, -1}));
  return parts;
}

void multi_head_attention(Context& c) {
  Builder& b = c.b();
  const int64_t heads = c.count("num_heads");
  if (heads < 1)
    fail(ErrorCode::kInvalidModel, "its attribute 'num_heads' is ", heads, ", expected 1 or more");
  std::vector<Source> parts;  // [B, S, hidden]
  bool cross = false;         // keys and values already have heads
  if (!c.has_input(1)) {
    parts = unpacked(c, c.input(0), 3);
  } else if (!c.has_input(2)) {
    parts = unpacked(c, c.input(1), 2);
    parts.insert(parts.begin(), c.input(0));
  } else {
    parts = {c.input(0), c.input(1), c.input(2)};
    cross = b.rank(parts[1]) == 4;
  }
  if (const auto bias = c.find_input(3)) {
    if (cross) {
      const PartialShape shape = b.shape(parts[0]);
      if (!shape[2].is_static())
        fail(ErrorCode::kUnsupported, "has a bias for a hidden size that is unknown");
      parts[0] = b.add("Add", {parts[0], slice(b, *bias, 0, 0, shape[2].size())});
    } else {
      const std::vector<Source> added = bias_parts(c, *bias, parts);
      for (size_t i = 0; i < 3; ++i) parts[i] = b.add("Add", {parts[i], added[i]});
    }
  }
  Attention a{split_heads(c, parts[0], heads), cross ? parts[1] : split_heads(c, parts[1], heads),
              cross ? parts[2] : split_heads(c, parts[2], heads)};
  if (c.has_input(6) && c.has_input(7)) {
    a.key = concat(b, {c.input(6), a.key}, 2);
    a.value = concat(b, {c.input(7), a.value}, 2);
  }
  if (const auto mask = c.find_input(4)) a.bias = bias_of_mask(c, *mask, a.query, a.key);
  if (const auto bias = c.find_input(5)) a.bias = sum_of(b, a.bias, *bias);
  if (c.flag("unidirectional")) a.visible = causal_mask(c, a.query, a.key, past_length(c, a.query, a.key));
  a.scale = c.real("scale", 0);
  std::vector<Source> outputs = {merge_heads(c, attend(c, a)), a.key, a.value};
  outputs.resize(std::min(outputs.size(), c.output_count()));
  c.give(outputs);
}

// --- GroupQueryAttention -----------------------------------------------------------------------------------

// New keys or values behind those of the past, of which `length` [B, 1] count for each row of the batch. All
// have [B, heads, S, D], and the result has max(total, length of the past) positions. The last ones may be 0.
Source appended(Context& c, const Source& past, const Source& added, const Source& length,
                const Source& total) {
  Builder& b = c.b();
  const Source stored = squeeze(b, size_of(b, past, 2), {0}), count = squeeze(b, size_of(b, added, 2), {0});
  const Source positions = range_to(b, b.add("Maximum", {stored, total}));
  const Source row =
      concat_lists(b, {size_of(b, past, 0), size_of(b, past, 1), b.list({1}), size_of(b, past, 3)});
  const Source zeros = b.add("Broadcast", {number_like(b, 0, past), row});
  // The new ones stand behind the past in the joined tensor, and after `length` in the result.
  const Source moved = b.add("Add", {b.add("Subtract", {positions, length}), stored});
  const Source is_old = b.add("Less", {positions, length});
  const Source is_new = b.add("Less", {positions, b.add("Add", {length, count})});
  const Source rest = b.add("Add", {stored, count});
  const Source places = b.add("Select", {is_old, positions, b.add("Select", {is_new, moved, rest})});
  return b.add("Gather", {concat(b, {past, added, zeros}, 2), places, b.scalar(int64_t{2})},
               {{"batch_dims", int64_t{1}}});
}

Source head_norm(Context& c, const Source& x, const Source& weight, double epsilon) {
  Builder& b = c.b();
  const Source data = convert(b, x, ElementType::kF32);
  const Source mean = reduce(b, "ReduceMean", b.add("Multiply", {data, data}), {-1}, true);
  const Source root = b.add("Sqrt", {b.add("Add", {mean, number_like(b, epsilon, data)})});
  const Source y = b.add("Multiply", {data, b.add("Divide", {number_like(b, 1, data), root})});
  return convert(b, b.add("Multiply", {y, convert(b, weight, ElementType::kF32)}), b.type(x));
}

Source cached_angles(Context& c, size_t cache, const Source& positions) {
  return c.b().add("Gather", {c.input(cache), positions, c.b().scalar(int64_t{0})});
}

void group_query_attention(Context& c) {
  Builder& b = c.b();
  const int64_t heads = c.count("num_heads"), shared = c.count("kv_num_heads");
  if (heads < 1 || shared < 1 || heads % shared != 0)
    fail(ErrorCode::kInvalidModel, "shares ", shared, " heads of keys among ", heads, ", expected a divisor");
  if (c.has_input(12) || c.has_input(13))
    fail(ErrorCode::kUnsupported, "has a quantised cache of keys and values, which is not supported");
  if (c.wants(3)) fail(ErrorCode::kUnsupported, "its output 3, the scores, is not computed");
  std::vector<Source> parts;
  if (c.has_input(1)) {
    parts = {c.input(0), c.input(1), c.input(2)};
  } else {
    const PartialShape shape = b.shape(c.input(0));
    const Dimension all = shape.has_rank() ? shape[shape.rank() - 1] : Dimension();
    if (!all.is_static() || all.size() % (heads + 2 * shared) != 0)
      fail(ErrorCode::kUnsupported, "its packed input has ", all, " columns for ", heads + 2 * shared,
           " heads");
    const int64_t width = all.size() / (heads + 2 * shared);
    parts = split(b, c.input(0), 2, {heads * width, shared * width, shared * width});
  }
  Source query = split_heads(c, parts[0], heads), key = split_heads(c, parts[1], shared),
         value = split_heads(c, parts[2], shared);
  const double epsilon = c.real("qk_norm_epsilon", 1e-6);
  if (const auto weight = c.find_input(14))
    query = head_norm(c, query, *weight, c.real("q_norm_epsilon", epsilon));
  if (const auto weight = c.find_input(15))
    key = head_norm(c, key, *weight, c.real("k_norm_epsilon", epsilon));

  // How many positions of the cache count, for each row of the batch: [B, 1].
  const Source lengths = reshape(b, convert(b, c.input(5), ElementType::kI64), Ints{-1, 1});
  const Source ends = b.add("Add", {lengths, b.scalar(int64_t{1})});
  const Source rows = squeeze(b, size_of(b, query, 2), {0});
  const Source before = b.add("Maximum", {b.add("Subtract", {ends, rows}), b.scalar(int64_t{0})});
  if (c.flag("do_rotary")) {
    const Source positions = c.has_input(9) ? c.input(9) : b.add("Add", {before, counted(c, query, 2)});
    const Rotation rotation = {cached_angles(c, 7, positions), cached_angles(c, 8, positions),
                               c.flag("rotary_interleaved")};
    query = rotate(c, query, rotation);
    key = rotate(c, key, rotation);
  }
  if (c.has_input(3)) {
    const Source total = reshape(b, convert(b, c.input(6), ElementType::kI64), Ints());
    key = appended(c, c.input(3), key, before, total);
    value = appended(c, c.input(4), value, before, total);
  }
  const int64_t repeats = heads / shared;
  Attention a{query, repeat_heads(c, key, shared, repeats), repeat_heads(c, value, shared, repeats)};
  const auto per_row = [&](const Source& x) { return reshape(b, x, Ints{-1, 1, 1, 1}); };
  if (c.flag("causal", true)) {
    a.visible = causal_mask(c, query, key, per_row(before), c.integer("local_window_size", -1));
  } else {
    a.visible = b.add("Less", {counted(c, key, 2), per_row(ends)});
  }
  a.bias = c.find_input(10);
  if (const auto sink = c.find_input(11)) {
    a.sink = reshape(b, *sink, Ints{1, -1, 1, 1});
  } else if (c.integer("smooth_softmax", 0) > 0) {
    a.sink = number_like(b, 0, query);
  }
  a.scale = c.real("scale", 0);
  a.softcap = c.real("softcap", 0);
  std::vector<Source> outputs = {merge_heads(c, attend(c, a)), key, value};
  outputs.resize(std::min(outputs.size(), c.output_count()));
  c.give(outputs);
}

// --- RotaryEmbedding ---------------------------------------------------------------------------------------

void rotary_embedding(Context& c) {
  Builder& b = c.b();
  const Source x = c.input(0);
  Source positions = c.input(1);
  const bool flat = b.rank(x) == 3;
  const PartialShape shape = b.shape(x), cache = b.shape(c.input(2));
  int64_t heads = c.integer("num_heads", 0);
  if (flat && heads == 0) {
    if (!shape[2].is_static() || !cache.has_rank() || !cache[1].is_static() || cache[1].size() == 0)
      fail(ErrorCode::kUnsupported, "the sizes of its heads are unknown");
    heads = shape[2].size() / (2 * cache[1].size());
  }
  const Source data = flat ? split_heads(c, x, heads) : x;
  if (b.rank(positions) < 2)
    positions =
        unsqueeze(b, b.add("Add", {counted(c, data, 2), convert(b, positions, ElementType::kI64)}), {0});
  const Rotation rotation = {cached_angles(c, 2, positions), cached_angles(c, 3, positions),
                             c.flag("interleaved")};
  const Source result = rotate(c, data, rotation);
  c.give(flat ? merge_heads(c, result) : result);
}

constexpr Entry kEntries[] = {
    {"Attention", kAllOpsets, attention, "MatMul ScaledDotProductAttention", "com.microsoft"},
    {"GroupQueryAttention", kAllOpsets, group_query_attention, "ScaledDotProductAttention", "com.microsoft"},
    {"MultiHeadAttention", kAllOpsets, multi_head_attention, "ScaledDotProductAttention", "com.microsoft"},
    {"QAttention", kAllOpsets, q_attention, "MatMul ScaledDotProductAttention", "com.microsoft"},
    {"RotaryEmbedding", kAllOpsets, rotary_embedding, "Multiply Add", "com.microsoft"},
};

}  // namespace

std::span<const Entry> microsoft_attention() { return kEntries; }

}  // namespace wasmvino::onnx
