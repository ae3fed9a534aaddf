// SPDX-License-Identifier: Apache-2.0
// Attention and convolution of one sequence with a state, and attention with graphs that change its scores.
#include <cmath>

#include "frontends/onnx/families.h"
#include "frontends/onnx/heads.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

// A convolution of each channel [B, C, L] with the k - 1 elements before it, which are the state.
void causal_convolution(Context& c) {
  model::Builder& b = c.b();
  const Source x = c.input(0), filters = c.input(1);
  const PartialShape& taps = b.shape(filters);
  if (b.rank(x) != 3 || b.rank(filters) != 3)
    fail(ErrorCode::kInvalidModel, "convolves ", b.shape(x), " with ", taps, ", expected three axes each");
  const std::string activation = c.word("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish") {
    fail(ErrorCode::kInvalidModel, "its attribute activation is '", activation,
         "', expected none, silu or swish");
  }
  const Source kept = b.add("Subtract", {size_of(b, filters, 2), b.list({1})});
  const Source before = c.has_input(3)
                            ? c.input(3)
                            : filled(b, 0, concat_lists(b, {size_of(b, x, 0), size_of(b, x, 1), kept}), x);
  const Source all = concat(b, {before, x}, 2);
  const Ints none = {0};
  Source made = b.add("GroupConvolution", {all, unsqueeze(b, filters, {1})},
                      {{"strides", Ints{1}},
                       {"dilations", Ints{1}},
                       {"pads_begin", none},
                       {"pads_end", none},
                       {"auto_pad", "explicit"}});
  if (const auto bias = c.find_input(2)) made = b.add("Add", {made, for_channels(c, *bias, 3)});
  if (activation != "none") made = b.add("Swish", {made});
  const Source end = size_of(b, all, 2);
  const Source state = b.add("Slice", {all, b.add("Subtract", {end, kept}), end, b.list({1}), b.list({2})});
  c.give({made, state});
}

void linear_attention(Context& c) {
  model::Builder& b = c.b();
  const std::string rule = c.word("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta",
             delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear") {
    fail(ErrorCode::kInvalidModel, "its attribute update_rule is '", rule,
         "', expected linear, gated, delta or gated_delta");
  }
  if (gated != c.has_input(4))
    fail(ErrorCode::kInvalidModel, "its update_rule is ", rule, ", but it has ", gated ? "no" : "a",
         " decay");
  if (delta != c.has_input(5))
    fail(ErrorCode::kInvalidModel, "its update_rule is ", rule, ", but it has ", delta ? "no" : "a", " beta");
  const int64_t queries = c.count("q_num_heads"), heads = c.count("kv_num_heads");
  if (heads < 1 || queries < heads || queries % heads != 0)
    fail(ErrorCode::kInvalidModel, "has ", queries, " heads of queries for ", heads, " of keys");
  const ElementType type = b.type(c.input(0)), f32 = ElementType::kF32;
  const auto real = [&](size_t i) { return convert(b, c.input(i), f32); };
  const Source key = split_heads(c, real(1), heads), value = split_heads(c, real(2), heads);
  const Source query = split_heads(c, real(0), queries);
  const Source state = c.has_input(3) ? real(3)
                                      : filled(b, 0,
                                               concat_lists(b, {size_of(b, key, 0), b.list({heads}),
                                                                size_of(b, key, 3), size_of(b, value, 3)}),
                                               key);
  // [B, H, T, 1 or D]
  const auto per_head = [&](size_t i, double otherwise) {
    if (!c.has_input(i)) return reshape(b, b.scalar(otherwise, f32), Ints{1, 1, 1, 1});
    const Source x = real(i);
    const Dimension last = b.shape(x).has_rank() && b.rank(x) == 3 ? b.shape(x)[2] : Dimension();
    if (!last.is_static() || (last.size() % heads != 0 && last.size() != 1)) {
      fail(ErrorCode::kUnsupported, "its input ", i, " is ", b.shape(x),
           ", expected three axes, the last of which is known and a multiple of the ", heads, " heads");
    }
    return split_heads(c, x, last.size() == 1 ? 1 : heads);
  };
  Source scale = b.scalar(c.real("scale", 0), f32);
  if (c.real("scale", 0) == 0) {
    const Source size = convert(b, squeeze(b, size_of(b, key, 3), {0}), f32);
    scale = b.add("Power", {size, b.scalar(-0.5, f32)});
  }
  const Source made = b.add_of(
      "ai.onnx", "LinearAttention",
      {b.add("Multiply", {query, scale}), key, value, state, b.add("Exp", {per_head(4, 0)}), per_head(5, 1)},
      {{"delta", delta}}, 2);
  const Source last = model::Builder::output(made, 1);
  c.give(
      {convert(b, merge_heads(c, made), type), convert(b, last, c.has_input(3) ? b.type(c.input(3)) : type)});
}

void flex_attention(Context& c) {
  model::Builder& b = c.b();
  const Source query = c.input(0);
  for (size_t i = 0; i < 3; ++i) {
    const PartialShape& shape = b.shape(c.input(i));
    if (!shape.has_rank() || shape.rank() != 4 || !shape[1].is_static() || shape[1].size() < 1)
      fail(ErrorCode::kUnsupported, "its input ", i, " is ", shape, ", expected [B, heads, S, D]");
  }
  const int64_t heads = b.shape(query)[1].size(), own = b.shape(c.input(1))[1].size();
  if (heads % own != 0 || b.shape(c.input(2))[1].size() != own)
    fail(ErrorCode::kInvalidModel, "has ", heads, " heads of queries for ", own, " of keys");
  const auto repeated = [&](size_t i) {
    return heads == own ? c.input(i) : repeat_heads(c, c.input(i), own, heads / own);
  };
  const ElementType type = b.type(query);
  const ElementType wide =
      c.element_type("softmax_precision", is_half_precision(type) ? ElementType::kF32 : type);
  // The root of the scale is applied to both factors, so that f16 does not overflow.
  Source root;
  if (c.has("scale")) {
    root = b.scalar(std::sqrt(c.real("scale")), type);
  } else {
    const Source size = convert(b, squeeze(b, size_of(b, query, 3), {0}), ElementType::kF32);
    root = convert(b, b.add("Power", {size, b.scalar(-0.25, ElementType::kF32)}), type);
  }
  const auto scaled = [&](const Source& x) { return b.add("Multiply", {x, root}); };
  const auto changed = [&](const char* graph, const Source& x) {
    if (!c.has(graph)) return x;
    const std::vector<Value> made = c.merged(graph, {Value::of(x)});
    if (made.size() != 1 || made[0].kind != Value::Kind::kTensor)
      fail(ErrorCode::kInvalidModel, "its graph ", graph, " has ", made.size(),
           " outputs, expected one tensor");
    return convert(b, made[0].tensors[0], wide);
  };
  const Source scores = b.add("MatMul", {scaled(query), scaled(repeated(1))}, {{"transpose_b", true}});
  const Source weights =
      b.add("Softmax", {changed("score_mod", convert(b, scores, wide))}, {{"axis", int64_t{-1}}});
  const Source values = repeated(2);
  const Source made = b.add("MatMul", {changed("prob_mod", weights), convert(b, values, wide)});
  c.give(convert(b, made, b.type(values)));
}

constexpr Entry kEntries[] = {
    {"CausalConvWithState", kAllOpsets, causal_convolution, "GroupConvolution"},
    {"FlexAttention", kAllOpsets, flex_attention, "MatMul Softmax", "ai.onnx.preview"},
    {"LinearAttention", kAllOpsets, linear_attention, "LinearAttention"},
};

}  // namespace

std::span<const Entry> states() { return kEntries; }

}  // namespace wasmvino::onnx
