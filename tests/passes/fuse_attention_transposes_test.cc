// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_tester.h"
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

Source transpose(Model& model, const std::string& name, Source x, std::initializer_list<int64_t> order) {
  return add(model, "Transpose", name, {x, integers(model, "order", order)});
}

// More queries and keys than are worked on at once.
TEST(FuseAttentionTransposes, HeadsOnBothSides) {
  for (const int64_t length : {7, 600}) {
    Model model;
    const Source q = transpose(model, "q", parameter(model, "queries", {2, length, 3, 8}), {0, 2, 1, 3});
    const Source k = transpose(model, "k", parameter(model, "keys", {2, 8, 3, length}), {0, 2, 3, 1});
    const Source v = transpose(model, "v", parameter(model, "values", {length, 3, 2, 5}), {2, 1, 0, 3});
    const Source y = add(model, "ScaledDotProductAttention", "y", {q, k, v});
    result(model, transpose(model, "joined", y, {0, 2, 1, 3}));
    check_pass(
        fuse_attention_transposes, model,
        "Parameter queries; Parameter keys; Parameter values; Transpose q(queries); Transpose k(keys); "
        "Transpose v(values); ScaledDotProductAttention y(q, k, v); Transpose joined(y)",
        "Parameter queries; Parameter keys; Parameter values; FusedAttention y(queries, keys, values)");
  }
}

TEST(FuseAttentionTransposes, OpenSizesAndMask) {
  Model model;
  const Source x = parameter(model, "x", {1, Dimension(), 3, 8});
  const Source q = transpose(model, "q", x, {0, 2, 1, 3}), k = transpose(model, "k", x, {0, 2, 1, 3});
  const Source v = transpose(model, "v", x, {0, 2, 1, 3});
  const Source y = add(model, "ScaledDotProductAttention", "y",
                       {q, k, v, parameter(model, "mask", {1, 1, 1, 1})}, {{"causal", "true"}});
  result(model, transpose(model, "columns", y, {0, 1, 3, 2}));
  check_pass(fuse_attention_transposes, model,
             "Parameter x; Parameter mask; Transpose q(x); Transpose k(x); Transpose v(x); "
             "ScaledDotProductAttention y(q, k, v, mask); Transpose columns(y)",
             "Parameter x; Parameter mask; FusedAttention y(x, x, x, mask); Transpose columns(y)");
}

// [batch, n, length, width] becomes [batch, heads, length, width].
Source repeat(Model& model, const std::string& name, Source x, int64_t heads, int64_t width, Source target) {
  const Source open = add(model, "Unsqueeze", name + "_open", {x, integers(model, "axis", {2})});
  const Source many = add(model, "Broadcast", name + "_many", {open, target}, {{"mode", "bidirectional"}});
  return add(model, "Reshape", name, {many, integers(model, "heads", {0, heads, -1, width})},
             {{"special_zero", "true"}});
}

TEST(FuseAttentionTransposes, HeadsShareKeysAndValues) {
  // In form 1, sizes are those of the data; in form 2, the batch is computed from a shape.
  for (const int form : {0, 1, 2}) {
    for (const int64_t groups : {1, 3}) {
      Model model;
      const Source q = parameter(model, "q", {2, groups * 4, Dimension(), 8});
      const Source k = parameter(model, "k", {2, groups, Dimension(), 8});
      const Source v = parameter(model, "v", {2, groups, Dimension(), 6});
      const auto target = [&](Source x, int64_t width) {
        if (form < 2) return integers(model, "target", {1, form == 0 ? 1 : groups, 4, 1, width});
        const Source shape = add(model, "ShapeOf", "shape", {x});
        const Source batch = add(model, "Gather", "batch",
                                 {shape, integers(model, "first", {0}), integers(model, "axis", {0})});
        return add(model, "Concat", "target", {batch, integers(model, "rest", {groups, 4, 1, width})},
                   {{"axis", "0"}});
      };
      const Source keys = repeat(model, "keys", k, groups * 4, 8, target(k, 8));
      const Source values = repeat(model, "values", v, groups * 4, 6, target(v, 6));
      result(model, add(model, "ScaledDotProductAttention", "y", {q, keys, values}));
      check_open_sizes(fuse_attention_transposes, model,
                       "Parameter q; Parameter k; Parameter v; FusedAttention y(q, k, v)",
                       {{{2, groups * 4, 5, 8}, {2, groups, 7, 8}, {2, groups, 7, 6}},
                        {{2, groups * 4, 1, 8}, {2, groups, 300, 8}, {2, groups, 300, 6}}});
    }
  }
}

// The target's 0, which is no valid size, is what OpenVINO GenAI writes: it counts on the fusion.
TEST(FuseAttentionTransposes, ZeroInTheTargetOfSharedHeads) {
  const auto build = [](Model& model, int64_t length) {
    const Source q = parameter(model, "q", {2, 6, Dimension(), 8});
    const Source k = parameter(model, "k", {2, 2, Dimension(), 8});
    const Source shape = add(model, "ShapeOf", "shape", {q});
    const Source batch =
        add(model, "Gather", "batch", {shape, integers(model, "first", {0}), integers(model, "axis", {0})});
    const Source target =
        add(model, "Concat", "target", {batch, integers(model, "rest", {2, 3, length, 8})}, {{"axis", "0"}});
    const Source keys = repeat(model, "keys", k, 6, 8, target);
    result(model, add(model, "ScaledDotProductAttention", "y", {q, keys, keys}));
    model.index();
    model.infer();
  };
  const std::vector<Shape> sizes = {{2, 6, 5, 8}, {2, 2, 7, 8}};
  Model valid, zero;
  build(valid, 7);
  build(zero, 0);
  test::expect_error(ErrorCode::kInvalidShape, "Broadcast", [&] { compute_for(zero, sizes); });
  ASSERT_FALSE(fuse_attention_transposes(valid, registry()));
  ASSERT_TRUE(fuse_attention_transposes(zero, registry()));
  zero.index();
  EXPECT_EQ(outline(zero), "Parameter q; Parameter k; FusedAttention y(q, k, k)");
  expect_same(compute_for(zero, sizes), compute_for(valid, sizes));
}

TEST(FuseAttentionTransposes, OtherRepetitionsStay) {
  // Along the length, of unknown number, and of other axes.
  for (const Ints& target : {Ints{1, 1, 1, 4, 1}, Ints{2, 1, 4, 1, 1}}) {
    Model model;
    const Source q = parameter(model, "q", {2, 8, 4, 8});
    const Source k = parameter(model, "k", {1, 2, 1, 8});
    const Source shape = {model.add_constant("target", Tensor::of<int64_t>({5}, target.begin())), 0};
    const Source open = add(model, "Unsqueeze", "open", {k, integers(model, "axis", {2})});
    const Source many = add(model, "Broadcast", "many", {open, shape}, {{"mode", "bidirectional"}});
    const Source keys = add(model, "Reshape", "keys", {many, integers(model, "heads", {-1, 8, 1, 8})});
    result(model, add(model, "ScaledDotProductAttention", "y", {q, keys, keys}));
    model.index();
    model.infer();
    EXPECT_FALSE(fuse_attention_transposes(model, registry()));
  }
}

TEST(FuseAttentionTransposes, WhatOthersReadStays) {
  Model model;
  const Source x = parameter(model, "x", {2, 6, 4});
  const Source turned = transpose(model, "turned", x, {1, 0, 2});
  result(model, add(model, "ScaledDotProductAttention", "y", {turned, turned, turned}));
  const std::string graph =
      "Parameter x; Transpose turned(x); ScaledDotProductAttention y(turned, turned, turned)";
  check_pass(fuse_attention_transposes, model, graph, graph);
}

TEST(FuseAttentionTransposes, ErrorsNameTheLayer) {
  Model model;
  const Source q = transpose(model, "q", parameter(model, "x", {Dimension(), 2, 4}), {1, 0, 2});
  const Source k = parameter(model, "k", {2, 5, Dimension()});
  result(model, add(model, "ScaledDotProductAttention", "y", {q, k, parameter(model, "v", {2, 5, 4})}));
  model.index();
  model.infer();
  ASSERT_TRUE(fuse_attention_transposes(model, registry()));
  model.index();
  const std::vector<model::ValueInfo> sizes = {{ElementType::kF32, PartialShape{3, 2, 4}, nullptr},
                                               {ElementType::kF32, PartialShape{2, 5, 6}, nullptr},
                                               {ElementType::kF32, PartialShape{2, 5, 4}, nullptr}};
  test::expect_error(ErrorCode::kInvalidShape, "ScaledDotProductAttention 'y'",
                     [&] { infer_model(model, sizes); });
}

}  // namespace
}  // namespace wasmvino::passes
