// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

Dimension head_count(Context& c, const Source& x) {
  const PartialShape& shape = c.b().shape(x);
  return shape.has_rank() && shape.rank() > 2 ? shape[shape.rank() - 3] : Dimension();
}

// Keys or values [..., shared, T, width] for `heads` heads: each is repeated for the queries that share it.
Source repeat_heads(Context& c, const Source& x, Dimension heads) {
  const Dimension shared = head_count(c, x);
  if (!heads.is_static() || !shared.is_static() || shared.size() == 0 || heads.size() % shared.size() != 0) {
    fail(ErrorCode::kUnsupported, "shares keys and values ", c.b().shape(x), " among ", heads,
         " heads, expected a multiple of known numbers");
  }
  const int64_t axis = static_cast<int64_t>(c.b().rank(x)) - 2;
  Ints repeats(static_cast<size_t>(axis) + 3, 1);
  repeats[static_cast<size_t>(axis)] = heads.size() / shared.size();
  const Source repeated = c.b().add("Tile", {unsqueeze(c, x, axis), c.b().list(repeats)});
  return reshape_axes(c, repeated, static_cast<size_t>(axis) - 1, 2, {heads.size()});
}

void scaled_dot_product(Context& c) {
  std::vector<Source> inputs = {c.input(0), c.input(1), c.input(2)};
  const auto mask = c.op().find("attn_mask") ? std::nullopt : c.find_input("attn_mask", 3);
  if (mask) inputs.push_back(*mask);
  if (c.has("scale")) {
    // The scale is the fifth input. If there is no mask, the fourth is a mask that hides nothing.
    if (!mask) inputs.push_back(number_like(c, 0, inputs[0]));
    inputs.push_back(number_like(c, c.real("scale"), inputs[0]));
  }
  if (c.flag("enable_gqa", false)) {
    const Dimension heads = head_count(c, inputs[0]);
    for (Source* shared : {&inputs[1], &inputs[2]}) *shared = repeat_heads(c, *shared, heads);
  }
  c.give(c.b().add("ScaledDotProductAttention", inputs, {{"causal", c.flag("is_causal", false)}}));
}

// x @ rows of a weight, plus the same rows of the bias, split into heads: [N, heads, T, width].
Source project(Context& c, const Source& x, const Source& weight, int64_t row, int64_t rows, int64_t heads) {
  Source result = c.b().add("MatMul", {x, weight}, {{"transpose_b", true}});
  if (c.has_weight("in_proj_bias"))
    result = c.b().add("Add", {result, c.weight_rows("in_proj_bias", row, rows)});
  return transpose(c, reshape_keeping(c, result, {0, 0, heads, rows / heads}), {0, 2, 1, 3});
}

// Whether a mask is one row of keys per element of the batch. pnnx gives such masks the same name as those
// with one row per query, but the batch is dynamic.
bool is_padding_mask(Context& c, const Source& mask, const Source& query) {
  const PartialShape &shape = c.b().shape(mask), &queries = c.b().shape(query);
  return shape.has_rank() && shape.rank() == 2 && !shape[0].is_static() && queries[1].is_static();
}

// [N, S] to [N, 1, 1, S]
Source padding_mask(Context& c, const Source& mask) {
  return c.b().add("Unsqueeze", {mask, c.b().list({1, 2})});
}

// Masks of one type: a boolean one hides where it is true, one of numbers is added to scores.
Source both_masks(Context& c, const Source& a, const Source& b) {
  const ElementType type = c.b().type(a);
  if (type != c.b().type(b)) {
    fail(ErrorCode::kUnsupported, "has masks of two types, ", type, " and ", c.b().type(b));
  }
  return c.b().add(type == ElementType::kBoolean ? "LogicalOr" : "Add", {a, b});
}

// pnnx names only one of two masks. The other one has fewer axes than queries, keys and values.
std::optional<Source> unnamed_mask(Context& c) {
  for (size_t i = 1; i < c.input_count(); ++i) {
    if (c.op().input_names[i].empty() && c.b().rank(c.input(i)) == 2 && c.b().rank(c.input(0)) == 3) {
      return c.input(i);
    }
  }
  return std::nullopt;
}

// Keys or values [N, heads, S, width] with one more row, which all elements of the batch share.
Source with_row(Context& c, const Source& rows, const Source& row) {
  const Source shape =
      concat_lists(c, {size_of(c, rows, 0), size_of(c, rows, 1), c.b().list({1}), size_of(c, rows, 3)});
  return concat(c, {rows, c.b().add("Broadcast", {row, shape})}, 2);
}

// The last columns of a mask that hides nothing.
Source no_mask(Context& c, const Source& mask, int64_t columns) {
  std::vector<Source> shape;
  for (int64_t i = 0; i + 1 < static_cast<int64_t>(c.b().rank(mask)); ++i)
    shape.push_back(size_of(c, mask, i));
  shape.push_back(c.b().list({columns}));
  return c.b().add("Broadcast", {number_like(c, 0, mask), concat_lists(c, shape)});
}

void multi_head(Context& c) {
  const int64_t width = c.integer("embed_dim"), heads = c.integer("num_heads");
  if (heads < 1 || width < 1 || width % heads != 0) {
    fail(ErrorCode::kInvalidModel, "its ", heads, " heads do not divide its width of ", width);
  }
  const bool batch_first = c.flag("batch_first", false);
  const std::optional<Source> unnamed = unnamed_mask(c);
  const size_t masks =
      (c.is_marked("attn_mask") ? 1 : 0) + (c.is_marked("key_padding_mask") ? 1 : 0) + (unnamed ? 1 : 0);
  const size_t tensors = c.input_count() - masks;
  const auto sequence = [&](size_t i) {
    const Source x = c.input(i);
    const size_t rank = c.b().rank(x);
    if (rank != 3 && rank != 2)
      fail(ErrorCode::kUnsupported, "its input is ", c.b().shape(x), ", expected two or three axes");
    if (rank == 2) return unsqueeze(c, x, 0);
    return batch_first ? x : transpose(c, x, {1, 0, 2});
  };
  // A single input is query, key and value. With two inputs, the second is key and value.
  const Source query = sequence(0);
  const Source key = tensors > 1 ? sequence(1) : query;
  const Source value = tensors > 2 ? sequence(2) : key;
  const bool apart = c.has_weight("q_proj_weight");
  const auto weight = [&](const char* name, int64_t i) {
    return apart ? c.weight(name) : c.weight_rows("in_proj_weight", i * width, width);
  };
  const Source q = project(c, query, weight("q_proj_weight", 0), 0, width, heads);
  Source k = project(c, key, weight("k_proj_weight", 1), width, width, heads);
  Source v = project(c, value, weight("v_proj_weight", 2), 2 * width, width, heads);
  const int64_t added = (c.flag("add_bias_kv", false) ? 1 : 0) + (c.flag("add_zero_attn", false) ? 1 : 0);
  if (c.flag("add_bias_kv", false)) {
    const auto bias = [&](const char* name) {
      return transpose(c, c.weight(name, {1, 1, heads, width / heads}), {0, 2, 1, 3});
    };
    k = with_row(c, k, bias("bias_k"));
    v = with_row(c, v, bias("bias_v"));
  }
  if (c.flag("add_zero_attn", false)) {
    for (Source* rows : {&k, &v}) *rows = with_row(c, *rows, number_like(c, 0, *rows));
  }
  const auto score_mask = [&](const Source& mask) {
    if (is_padding_mask(c, mask, query)) return padding_mask(c, mask);
    // [N * heads, T, S] has one mask per head.
    return c.b().rank(mask) == 3 ? reshape_axes(c, mask, 0, 1, {-1, heads}) : mask;
  };
  std::optional<Source> mask;
  if (unnamed) mask = score_mask(*unnamed);
  if (c.is_marked("attn_mask")) {
    const Source named = score_mask(c.required_input("attn_mask", tensors));
    mask = mask ? both_masks(c, *mask, named) : named;
  }
  if (c.is_marked("key_padding_mask")) {
    const Source padding = padding_mask(c, c.required_input("key_padding_mask", tensors));
    mask = mask ? both_masks(c, *mask, padding) : padding;
  }
  // Masks leave the added keys as they are.
  if (mask && added > 0)
    mask = c.b().add("Concat", {*mask, no_mask(c, *mask, added)}, {{"axis", int64_t{-1}}});
  Source attended, weights;
  if (c.op().outputs.size() > 1) {
    const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
    Source scores = c.b().add("MatMul", {with_number(c, "Multiply", q, scale), k}, {{"transpose_b", true}});
    if (mask && c.b().type(*mask) == ElementType::kBoolean) {
      scores = c.b().add("Select", {*mask, number_like(c, -INFINITY, scores), scores});
    } else if (mask) {
      scores = c.b().add("Add", {scores, *mask});
    }
    const Source each = c.b().add("SoftMax", {scores}, {{"axis", int64_t{3}}});
    attended = c.b().add("MatMul", {each, v});
    weights = reduce(c, "ReduceMean", each, {1}, false);
  } else {
    std::vector<Source> inputs = {q, k, v};
    // In PyTorch's module, true hides an element; in the operation, false does.
    if (mask && c.b().type(*mask) == ElementType::kBoolean) mask = c.b().add("LogicalNot", {*mask});
    if (mask) inputs.push_back(*mask);
    attended = c.b().add("ScaledDotProductAttention", inputs, {{"causal", false}});
  }
  const Source joined = reshape_keeping(c, transpose(c, attended, {0, 2, 1, 3}), {0, 0, width});
  Source result = c.b().add("MatMul", {joined, c.weight("out_proj.weight")}, {{"transpose_b", true}});
  if (c.has_weight("out_proj.bias")) result = c.b().add("Add", {result, c.weight("out_proj.bias")});
  if (c.b().rank(c.input(0)) == 2) {
    result = squeeze(c, result, 0);
    if (weights.node != nullptr) weights = squeeze(c, weights, 0);
  } else if (!batch_first) {
    result = transpose(c, result, {1, 0, 2});
  }
  if (weights.node != nullptr) {
    c.give({result, weights});
  } else {
    c.give(result);
  }
}

constexpr Entry kEntries[] = {
    {"nn.MultiheadAttention", multi_head,
     "MatMul Add Multiply Softmax ReduceMean LogicalNot LogicalOr ScaledDotProductAttention"},
    {"F.scaled_dot_product_attention", scaled_dot_product, "ScaledDotProductAttention Tile"},
};

}  // namespace

std::span<const Entry> attention() { return kEntries; }

}  // namespace wasmvino::pnnx
