// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

Source scalar(Model& model, float value) {
  return {model.add_constant("number", Tensor::scalar<float>(value)), 0};
}

Source product(Model& model, const std::string& name, Source a, Source b, bool transposed = false) {
  return add(model, "MatMul", name, {a, b}, {{"transpose_b", transposed ? "true" : "false"}});
}

Source transpose(Model& model, const std::string& name, Source x, std::initializer_list<int64_t> order) {
  return add(model, "Transpose", name, {x, integers(model, "order", order)});
}

Source softmax(Model& model, Source x) { return add(model, "Softmax", "softmax", {x}, {{"axis", "-1"}}); }

TEST(FuseAttention, ScaledAndMasked) {
  Model model;
  const Source q = parameter(model, "q", {2, 3, 6, 4}), k = parameter(model, "k", {2, 3, Dimension(), 4});
  const Source v = parameter(model, "v", {2, 3, Dimension(), 8}),
               mask = parameter(model, "mask", {2, 1, 1, 1});
  const Source scores =
      add(model, "Divide", "scaled", {product(model, "scores", q, k, true), scalar(model, 2)});
  const Source masked = add(model, "Add", "masked", {mask, scores});
  result(model, product(model, "y", softmax(model, masked), v));
  check_pass(
      fuse_attention, model,
      "Parameter q; Parameter k; Parameter v; Parameter mask; MatMul scores(q, k); Divide scaled(scores); "
      "Add masked(mask, scaled); Softmax softmax(masked); MatMul y(softmax, v)",
      "Parameter q; Parameter k; Parameter v; Parameter mask; ScaledDotProductAttention y(q, k, v, mask)");
}

// As BERT is exported: the key is turned to columns.
TEST(FuseAttention, TransposedKeys) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension(), 3, 4});
  const Source q = transpose(model, "q", x, {0, 2, 1, 3}), v = transpose(model, "v", x, {0, 2, 1, 3});
  const Source k = transpose(model, "k", add(model, "Exp", "exp", {x}), {0, 2, 3, 1});
  const Source scaled = add(model, "Multiply", "scaled", {q, scalar(model, 0.5f)});
  result(model, product(model, "y", softmax(model, product(model, "scores", scaled, k)), v));
  check_pass(fuse_attention, model,
             "Parameter x; Transpose q(x); Multiply scaled(q); Exp exp(x); Transpose k(exp); "
             "MatMul scores(scaled, k); Softmax softmax(scores); Transpose v(x); MatMul y(softmax, v)",
             "Parameter x; Transpose q(x); Exp exp(x); Transpose k(exp); Transpose v(x); "
             "ScaledDotProductAttention y(q, k, v)");
}

TEST(FuseAttention, OtherFormsStay) {
  {
    Model model;  // a mask behind which the scores may have more rows
    const Source q = parameter(model, "q", {2, Dimension(), 4}), k = parameter(model, "k", {2, 5, 4});
    const Source v = parameter(model, "v", {2, 5, 8}), mask = parameter(model, "mask", {2, Dimension(), 5});
    const Source masked = add(model, "Add", "masked", {product(model, "scores", q, k, true), mask});
    result(model, product(model, "y", softmax(model, masked), v));
    const std::string graph =
        "Parameter q; Parameter k; Parameter v; Parameter mask; MatMul scores(q, k); Add masked(scores, "
        "mask); "
        "Softmax softmax(masked); MatMul y(softmax, v)";
    check_pass(fuse_attention, model, graph, graph);
  }
  {
    Model model;  // weights that are read elsewhere
    const Source x = parameter(model, "x", {2, 6, 6});
    const Source weights = softmax(model, product(model, "scores", x, x, true));
    result(model, product(model, "y", weights, x));
    result(model, weights);
    const std::string graph =
        "Parameter x; MatMul scores(x, x); Softmax softmax(scores); MatMul y(softmax, x)";
    check_pass(fuse_attention, model, graph, graph);
  }
  {
    Model model;  // along another axis
    const Source x = parameter(model, "x", {2, 6, 6});
    const Source weights =
        add(model, "Softmax", "softmax", {product(model, "scores", x, x, true)}, {{"axis", "1"}});
    result(model, product(model, "y", weights, x));
    const std::string graph =
        "Parameter x; MatMul scores(x, x); Softmax softmax(scores); MatMul y(softmax, x)";
    check_pass(fuse_attention, model, graph, graph);
  }
}

}  // namespace
}  // namespace wasmvino::passes
