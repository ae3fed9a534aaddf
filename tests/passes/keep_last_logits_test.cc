// SPDX-License-Identifier: Apache-2.0
#include "runtime/compiled_model.h"
#include "tests/ops/op_tester.h"
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

// tanh(x W) / 3 + b, as some models limit their logits.
void build(Model& model, const std::string& output, const std::string& type = "MatMul") {
  const Source x = parameter(model, "x", {2, Dimension(), 8});
  const Source y = type == "MatMul" ? add(model, "MatMul", "y", {x, weights(model, "w", {8, 5})})
                                    : add(model, type, "y", {x});
  const Source limited =
      add(model, "Divide", "limited", {add(model, "Tanh", "t", {y}), weights(model, "three", {1}, 3)});
  result(model, add(model, "Add", "biased", {limited, weights(model, "b", {1}, 2)}));
  model.index();
  model.infer();
  model.results[0]->output_names = {output};
}

TEST(KeepLastLogits, ComputesOneRow) {
  Model model;
  build(model, "logits");
  const Shape shape = {2, 3, 8};
  const Tensor all = compute_for(model, {shape})[0];
  keep_last_logits(model, registry());
  model.index();
  model.infer();
  EXPECT_EQ(
      outline(model),
      "Parameter x; Slice y/last(x); MatMul y(y/last); Tanh t(y); Divide limited(t); Add biased(limited)");
  const Tensor last = compute_for(model, {shape})[0];
  ASSERT_EQ(last.shape(), (Shape{2, 1, 5}));
  for (size_t batch = 0; batch < 2; ++batch) {
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_FLOAT_EQ(last.data<float>()[batch * 5 + i], all.data<float>()[(batch * 3 + 2) * 5 + i]);
    }
  }
}

TEST(KeepLastLogits, IsAnOptionOfCompilation) {
  Model model;
  build(model, "logits");
  const auto compiled = runtime::CompiledModel::compile(model, registry(), {.last_logits = true});
  EXPECT_EQ(to_string(compiled->outputs()[0].shape), "[2,..1,5]");  // none for no position
}

TEST(KeepLastLogits, RefusesOtherModels) {
  Model other, relu;
  build(other, "scores");
  test::expect_error(ErrorCode::kInvalidArgument, "the model has no output 'logits'",
                     [&] { keep_last_logits(other, registry()); });
  build(relu, "logits", "Relu");
  test::expect_error(ErrorCode::kInvalidArgument, "but found Relu 'y'",
                     [&] { keep_last_logits(relu, registry()); });
}

}  // namespace
}  // namespace wasmvino::passes
