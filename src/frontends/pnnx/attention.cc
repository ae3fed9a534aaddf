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

// Whether a row of a mask may hide all keys. Constant masks, such as causal ones, tell it.
bool may_hide_rows(Context& c, const Source& mask) {
  const auto& constant = c.b().info(mask).constant;
  if (constant == nullptr || constant->shape().empty()) return true;
  const bool boolean = constant->type() == ElementType::kBoolean;
  if (!boolean && constant->type() != ElementType::kF32) return true;
  const Tensor value = constant->value();
  const size_t columns = static_cast<size_t>(constant->shape().back());
  size_t shown = 0;  // elements of the row
  for (size_t i = 0; i < value.size(); ++i) {
    shown += boolean ? value.data<uint8_t>()[i] != 0 : value.data<float>()[i] > -HUGE_VALF;
    if ((i + 1) % columns != 0) continue;
    if (shown == 0) return true;
    shown = 0;
  }
  return false;
}

// Rows that a mask hides altogether are 0 in PyTorch, and NaN in the operation.
Source without_hidden_rows(Context& c, const Source& attended, const Source& mask) {
  const int64_t last = static_cast<int64_t>(c.b().rank(mask)) - 1;
  const Source shown = c.b().type(mask) == ElementType::kBoolean
                           ? reduce(c, "ReduceLogicalOr", mask, {last}, true)
                           : with_number(c, "Greater", reduce(c, "ReduceMax", mask, {last}, true), -HUGE_VAL);
  return c.b().add("Select", {shown, attended, number_like(c, 0, attended)});
}

void scaled_dot_product(Context& c) {
  if (c.real("dropout_p", 0) != 0)
    fail(ErrorCode::kUnsupported, "drops elements at random (", c.op().parameter_text,
         "), expected dropout_p=0");
  std::vector<Source> inputs = {c.input(0), c.input(1), c.input(2)};
  const auto mask = c.find("attn_mask") ? std::nullopt : c.find_input("attn_mask", 3);
  if (mask) inputs.push_back(*mask);
  if (c.has("scale")) {
    // The scale is the fifth input. If there is no mask, the fourth is a mask that hides nothing.
    if (!mask) inputs.push_back(number_like(c, 0, inputs[0]));
    inputs.push_back(number_like(c, c.number("scale"), inputs[0]));
  }
  if (c.flag("enable_gqa", false)) {
    const Dimension heads = head_count(c, inputs[0]);
    for (Source* shared : {&inputs[1], &inputs[2]}) *shared = repeat_heads(c, *shared, heads);
  }
  const Source attended =
      c.b().add("ScaledDotProductAttention", inputs, {{"causal", c.flag("is_causal", false)}});
  c.give(mask && may_hide_rows(c, *mask) ? without_hidden_rows(c, attended, *mask) : attended);
}

// x @ rows of a weight, plus the same rows of the bias, split into heads: [N, heads, T, width].
Source project(Context& c, const Source& x, const Source& weight, int64_t row, int64_t rows, int64_t heads) {
  Source result = c.b().add("MatMul", {x, weight}, {{"transpose_b", true}});
  if (c.has_weight("in_proj_bias"))
    result = c.b().add("Add", {result, c.weight_rows("in_proj_bias", row, rows)});
  return transpose(c, reshape_keeping(c, result, {0, 0, heads, rows / heads}), {0, 2, 1, 3});
}

// Whether a mask is one row of keys per element of the batch. pnnx gives such masks the same name as those
// with one row per query, whose number of rows is that of the queries.
bool is_padding_mask(Context& c, const Source& mask, const Source& query) {
  const PartialShape &shape = c.b().shape(mask), &queries = c.b().shape(query);
  if (!shape.has_rank() || shape.rank() != 2) return false;
  const Dimension rows = shape[0], length = queries[1];
  if (rows.is_static() != length.is_static()) return true;
  return rows.is_static() && rows.size() != length.size();
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
  // Weights tell these.
  c.ignore("bias kdim vdim dropout");
  const bool batch_first = c.flag("batch_first", false);
  const std::optional<Source> unnamed = unnamed_mask(c);
  const size_t masks =
      (c.is_marked("attn_mask") ? 1 : 0) + (c.is_marked("key_padding_mask") ? 1 : 0) + (unnamed ? 1 : 0);
  const size_t tensors = c.input_count() - masks;
  if (tensors > 3)
    fail(ErrorCode::kUnsupported, "has ", tensors, " inputs beside its masks, expected 3 at most");
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
    // With average_attn_weights=False, the file declares an axis of heads.
    const PartialShape& declared = c.declared_output(1).shape;
    const bool apart = declared.has_rank() && declared.rank() == c.b().rank(c.input(0)) + 1;
    weights = apart ? each : reduce(c, "ReduceMean", each, {1}, false);
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

Source linear(Context& c, const Source& x, const Source& weight, const Source& bias) {
  return c.b().add("Add", {c.b().add("MatMul", {x, weight}, {{"transpose_b", true}}), bias});
}

// Heads [N, heads, T, width] of a part of the joined weights: queries, keys or values.
Source heads_of(Context& c, const Source& x, size_t part, int64_t width, int64_t heads) {
  const Ints thirds(3, width);
  const Source weight = split(c, c.required_input("qkv_weight", 0), 0, thirds)[part],
               bias = split(c, c.required_input("qkv_bias", 0), 0, thirds)[part];
  return transpose(c, reshape_keeping(c, linear(c, x, weight, bias), {0, 0, heads, width / heads}),
                   {0, 2, 1, 3});
}

// Where a mask of PyTorch's fused calls hides a score, as [N, heads, T, S] or what is broadcast to it. Type 1
// masks keys, of which each element of the batch has its own. Numbers hide where they are not 0.
Source hidden_scores(Context& c, const Source& mask) {
  constexpr int64_t kKeys = 1;
  const Source hidden = convert(c, mask, ElementType::kBoolean);
  return c.integer("mask_type", 0) == kKeys ? padding_mask(c, hidden) : hidden;
}

struct Attended {
  Source result, weights;  // weights of each head
};

// The attention of PyTorch's fused calls, whose weights are inputs.
Attended fused_attention(Context& c, const Source& query, const Source& key, const Source& value) {
  const int64_t width = c.integer("embed_dim"), heads = c.integer("num_heads");
  if (heads < 1 || width < 1 || width % heads != 0) {
    fail(ErrorCode::kInvalidModel, "its ", heads, " heads do not divide its width of ", width);
  }
  const Source q = heads_of(c, query, 0, width, heads), k = heads_of(c, key, 1, width, heads),
               v = heads_of(c, value, 2, width, heads);
  const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
  Source scores = c.b().add("MatMul", {with_number(c, "Multiply", q, scale), k}, {{"transpose_b", true}});
  if (c.is_marked("mask")) {
    const Source hidden = hidden_scores(c, c.required_input("mask", 0));
    scores = c.b().add("Select", {hidden, number_like(c, -INFINITY, scores), scores});
  }
  const Source weights = c.b().add("SoftMax", {scores}, {{"axis", int64_t{3}}});
  const Source joined =
      reshape_keeping(c, transpose(c, c.b().add("MatMul", {weights, v}), {0, 2, 1, 3}), {0, 0, width});
  return {linear(c, joined, c.required_input("proj_weight", 0), c.required_input("proj_bias", 0)), weights};
}

// nn.MultiheadAttention, traced as the root of a network.
void fused_multi_head(Context& c) {
  const Attended made = fused_attention(c, c.required_input("query", 0), c.required_input("key", 0),
                                        c.required_input("value", 0));
  const bool averaged = c.flag("average_attn_weights", true);
  c.ignore("mask_type");
  if (!c.flag("need_weights", true)) {
    c.give_first(made.result);
  } else {
    c.give({made.result, averaged ? reduce(c, "ReduceMean", made.weights, {1}, false) : made.weights});
  }
}

// nn.TransformerEncoderLayer after eval(). Each half adds to what it was given; the norms stand before or
// behind.
void encoder_layer(Context& c) {
  const Source x = c.required_input("src", 0);
  const bool norm_first = c.flag("norm_first", false);
  const double eps = c.real("eps");
  const auto norm = [&](const Source& of, const char* weight, const char* bias) {
    const Source made = c.b().add("MVN", {of, c.b().list({2})},
                                  {{"eps", eps}, {"normalize_variance", true}, {"eps_mode", "inside_sqrt"}});
    const Source scaled = c.b().add("Multiply", {made, c.required_input(weight, 0)});
    return c.b().add("Add", {scaled, c.required_input(bias, 0)});
  };
  const auto first = [&](const Source& of) { return norm(of, "norm_weight_1", "norm_bias_1"); };
  const auto second = [&](const Source& of) { return norm(of, "norm_weight_2", "norm_bias_2"); };
  const Source seen = norm_first ? first(x) : x;
  c.ignore("mask_type");
  Source half = c.b().add("Add", {x, fused_attention(c, seen, seen, seen).result});
  if (!norm_first) half = first(half);
  Source inner = linear(c, norm_first ? second(half) : half, c.required_input("ffn_weight_1", 0),
                        c.required_input("ffn_bias_1", 0));
  inner = c.flag("use_gelu", false) ? c.b().add("Gelu", {inner}, {{"approximation_mode", "ERF"}})
                                    : c.b().add("Relu", {inner});
  const Source result = c.b().add("Add", {half, linear(c, inner, c.required_input("ffn_weight_2", 0),
                                                       c.required_input("ffn_bias_2", 0))});
  c.give(norm_first ? result : second(result));
}

constexpr Entry kEntries[] = {
    {"aten::_transformer_encoder_layer_fwd", encoder_layer,
     "VariadicSplit MatMul Add Multiply Select Softmax MVN Relu Gelu", false,
     "src embed_dim num_heads qkv_weight qkv_bias proj_weight proj_bias use_gelu norm_first eps "
     "norm_weight_1 "
     "norm_bias_1 norm_weight_2 norm_bias_2 ffn_weight_1 ffn_bias_1 ffn_weight_2 ffn_bias_2 mask mask_type"},
    {"aten::_native_multi_head_attention", fused_multi_head,
     "VariadicSplit MatMul Add Multiply Select Softmax ReduceMean", false,
     "query key value embed_dim num_heads qkv_weight qkv_bias proj_weight proj_bias mask need_weights "
     "average_attn_weights mask_type"},

    {"nn.MultiheadAttention", multi_head,
     "MatMul Add Multiply Softmax ReduceMean LogicalNot LogicalOr ScaledDotProductAttention"},
    {"F.scaled_dot_product_attention", scaled_dot_product,
     "ScaledDotProductAttention Tile ReduceLogicalOr ReduceMax Greater Select"},
};

}  // namespace

std::span<const Entry> attention() { return kEntries; }

}  // namespace wasmvino::pnnx
