// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

void scaled_dot_product(Context& c) {
  std::vector<Source> inputs = {c.input(0), c.input(1), c.input(2)};
  const auto mask = c.op().find("attn_mask") ? std::nullopt : c.find_input("attn_mask", 3);
  if (mask) inputs.push_back(*mask);
  if (c.has("scale")) {
    // The scale is the fifth input. If there is no mask, the fourth is a mask that hides nothing.
    if (!mask) inputs.push_back(number_like(c, 0, inputs[0]));
    inputs.push_back(number_like(c, c.real("scale"), inputs[0]));
  }
  if (c.flag("enable_gqa", false))
    fail(ErrorCode::kUnsupported, "shares keys among heads (", c.op().parameter_text, ")");
  c.give(c.b().add("ScaledDotProductAttention", inputs, {{"causal", c.flag("is_causal", false)}}));
}

// x @ rows of a weight, plus the same rows of the bias, split into heads: [N, heads, T, width].
Source project(Context& c, Source x, Source weight, int64_t row, int64_t rows, int64_t heads) {
  Source result = c.b().add("MatMul", {x, weight}, {{"transpose_b", true}});
  if (c.has_weight("in_proj_bias"))
    result = c.b().add("Add", {result, c.weight_rows("in_proj_bias", row, rows)});
  return transpose(c, reshape_keeping(c, result, {0, 0, heads, rows / heads}), {0, 2, 1, 3});
}

void multi_head(Context& c) {
  const int64_t width = c.integer("embed_dim"), heads = c.integer("num_heads");
  if (heads < 1 || width < 1 || width % heads != 0) {
    fail(ErrorCode::kInvalidModel, "its ", heads, " heads do not divide its width of ", width);
  }
  if (c.flag("add_bias_kv", false) || c.flag("add_zero_attn", false)) {
    fail(ErrorCode::kUnsupported, "adds keys of its own (", c.op().parameter_text, ")");
  }
  const bool batch_first = c.flag("batch_first", false);
  const size_t masks = (c.is_marked("attn_mask") ? 1 : 0) + (c.is_marked("key_padding_mask") ? 1 : 0);
  if (c.is_marked("key_padding_mask")) fail(ErrorCode::kUnsupported, "has a mask of padding");
  const size_t tensors = c.input_count() - masks;
  const auto sequence = [&](size_t i) {
    const Source x = c.input(i);
    if (c.b().rank(x) != 3)
      fail(ErrorCode::kUnsupported, "its input is ", c.b().shape(x), ", expected three axes");
    return batch_first ? x : transpose(c, x, {1, 0, 2});
  };
  // A single input is query, key and value. With two inputs, the second is key and value.
  const Source query = sequence(0);
  const Source key = tensors > 1 ? sequence(1) : query;
  const Source value = tensors > 2 ? sequence(2) : key;
  const bool apart = c.has_weight("q_proj_weight");
  const auto weight = [&](std::string_view name, int64_t i) {
    return apart ? c.weight(name) : c.weight_rows("in_proj_weight", i * width, width);
  };
  const Source q = project(c, query, weight("q_proj_weight", 0), 0, width, heads);
  const Source k = project(c, key, weight("k_proj_weight", 1), width, width, heads);
  const Source v = project(c, value, weight("v_proj_weight", 2), 2 * width, width, heads);
  std::optional<Source> mask;
  if (c.is_marked("attn_mask")) {
    mask = *c.find_input("attn_mask", tensors);
    // [N * heads, T, S] has one mask per head.
    if (c.b().rank(*mask) == 3) mask = reshape_axes(c, *mask, 0, 1, {-1, heads});
  }
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
  if (!batch_first) result = transpose(c, result, {1, 0, 2});
  if (weights.node != nullptr) {
    c.give({result, weights});
  } else {
    c.give(result);
  }
}

constexpr Entry kEntries[] = {
    {"nn.MultiheadAttention", multi_head,
     "MatMul Add Multiply Softmax ReduceMean LogicalNot ScaledDotProductAttention"},
    {"F.scaled_dot_product_attention", scaled_dot_product, "ScaledDotProductAttention"},
};

}  // namespace

std::span<const Entry> attention() { return kEntries; }

}  // namespace wasmvino::pnnx
