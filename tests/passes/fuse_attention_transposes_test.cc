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
