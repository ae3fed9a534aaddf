// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_tester.h"
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

TEST(FuseElementwiseChain, FunctionsAndOperandsOfAllForms) {
  Model model;
  const Source x = parameter(model, "x", {3, Dimension(), 40}),
               y = parameter(model, "y", {3, Dimension(), 40});
  const Source scalar = {model.add_constant("scalar", Tensor::scalar<float>(1.5f)), 0};
  const Source scaled = add(model, "Multiply", "scaled", {x, scalar});
  const Source shifted = add(model, "Add", "shifted", {weights(model, "bias", {40}), scaled});
  const Source tanh = add(model, "Tanh", "tanh", {shifted});
  const Source rows = add(model, "Subtract", "rows", {weights(model, "rows_of", {3, 1, 1}), tanh});
  const Source sum = add(model, "Add", "sum", {rows, y});
  const Source again = add(model, "Maximum", "again", {y, sum});
  const Source clamp = add(model, "Clamp", "clamp", {again}, {{"min", "-0.5"}, {"max", "0.75"}});
  result(model, add(model, "Divide", "ratio", {scalar, clamp}));
  check_pass(
      fuse_elementwise_chain, model,
      "Parameter x; Parameter y; Multiply scaled(x); Add shifted(scaled); Tanh tanh(shifted); "
      "Subtract rows(tanh); Add sum(rows, y); Maximum again(y, sum); Clamp clamp(again); Divide ratio(clamp)",
      "Parameter x; Parameter y; ElementwiseChain ratio(x, y)");
}

// More elements than a block, rows that are gathered, and a tail.
TEST(FuseElementwiseChain, Blocks) {
  for (const PartialShape& shape : {PartialShape{3001}, PartialShape{2, 5, 701}, PartialShape{1200, 3}}) {
    Model model;
    const Source x = parameter(model, "x", shape), y = parameter(model, "y", shape);
    const int64_t last = shape[shape.rank() - 1].size();
    const Source sum = add(model, "Add", "sum", {x, weights(model, "bias", {last})});
    const Source product = add(model, "Multiply", "product", {sum, y});
    result(model, add(model, "SoftPlus", "softplus", {product}));
    check_pass(fuse_elementwise_chain, model,
               "Parameter x; Parameter y; Add sum(x); Multiply product(sum, y); SoftPlus softplus(product)",
               "Parameter x; Parameter y; ElementwiseChain softplus(x, y)");
  }
}

TEST(FuseElementwiseChain, PowersThatAreProductsOrRoots) {
  for (const float exponent : {2.0f, 3.0f, -1.0f, 0.5f, -0.5f}) {
    Model model;
    const Source x = parameter(model, "x", {Dimension(), 3});
    const Source number = {model.add_constant("number", Tensor::of<float>({1}, {exponent})), 0};
    result(model, add(model, "Power", "power", {x, number}));
    check_pass(fuse_elementwise_chain, model, "Parameter x; Power power(x)",
               "Parameter x; ElementwiseChain power(x)");
  }
  Model model;
  const Source x = parameter(model, "x", {3});
  const Source more = {model.add_constant("more", Tensor::of<float>({1, 1}, {2})), 0};
  const Source one = {model.add_constant("one", Tensor::scalar<float>(1)), 0};
  result(model, add(model, "Power", "wider", {x, more}));
  result(model, add(model, "Power", "power", {x, one}));
  const std::string graph = "Parameter x; Power wider(x); Power power(x)";
  check_pass(fuse_elementwise_chain, model, graph, graph);
}

TEST(FuseElementwiseChain, ValuesThatOthersReadStay) {
  Model model;
  const Source x = parameter(model, "x");
  const Source exp = add(model, "Exp", "exp", {x});
  const Source log = add(model, "Log", "log", {add(model, "Abs", "abs", {exp})});
  result(model, add(model, "Add", "sum", {log, exp}));
  check_pass(fuse_elementwise_chain, model,
             "Parameter x; Exp exp(x); Abs abs(exp); Log log(abs); Add sum(log, exp)",
             "Parameter x; Exp exp(x); ElementwiseChain sum(exp)");
}

TEST(FuseElementwiseChain, TwoChainsThatMeet) {
  Model model;
  const Source x = parameter(model, "x"), y = parameter(model, "y");
  const Source left = add(model, "Abs", "abs", {add(model, "Exp", "exp", {x})});
  const Source right = add(model, "Sqrt", "sqrt", {add(model, "Sigmoid", "sigmoid", {y})});
  result(model, add(model, "Add", "sum", {left, right}));
  check_pass(fuse_elementwise_chain, model,
             "Parameter x; Parameter y; Exp exp(x); Abs abs(exp); Sigmoid sigmoid(y); Sqrt sqrt(sigmoid); "
             "Add sum(abs, sqrt)",
             "Parameter x; Parameter y; ElementwiseChain sqrt(y); ElementwiseChain sum(x, sqrt)");
}

// What is repeated is computed before that, once.
TEST(FuseElementwiseChain, RepeatedValuesStay) {
  Model model;
  const Source x = parameter(model, "x", {1, 6}), y = parameter(model, "y", {4, 6});
  const Source exp = add(model, "Exp", "exp", {x});
  const Source sum = add(model, "Add", "sum", {exp, y});
  result(model, add(model, "Abs", "abs", {sum}));
  check_pass(fuse_elementwise_chain, model,
             "Parameter x; Parameter y; Exp exp(x); Add sum(exp, y); Abs abs(sum)",
             "Parameter x; Parameter y; Exp exp(x); ElementwiseChain abs(y, exp)");
}

// An open size may turn out to be 1, whatever was likely: the chain repeats its values then.
TEST(FuseElementwiseChain, OpenSizesMayBeRepeated) {
  Model model;
  const Source x = parameter(model, "x", {Dimension(), 1}), y = parameter(model, "y", {4, 1});
  result(model, add(model, "Abs", "abs", {add(model, "Add", "sum", {add(model, "Exp", "exp", {x}), y})}));
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model, 1);
  ASSERT_TRUE(fuse_elementwise_chain(model, registry()));
  model.index();
  EXPECT_EQ(outline(model), "Parameter x; Parameter y; ElementwiseChain abs(x, y)");
  expect_same(compute(model, 1), expected);
}

TEST(FuseElementwiseChain, OtherTypesAndRulesStay) {
  Model model;
  const Source x = parameter(model, "x", {2, 3});
  const Source pdpd =
      add(model, "Add", "pdpd", {x, weights(model, "bias", {2})}, {{"auto_broadcast", "pdpd"}});
  const Source doubles =
      add(model, "Convert", "doubles", {add(model, "Abs", "abs", {pdpd})}, {{"destination_type", "f64"}});
  const Source exp = add(model, "Exp", "exp", {add(model, "Tanh", "tanh", {doubles})});
  result(model, add(model, "Convert", "floats", {exp}, {{"destination_type", "f32"}}));
  const std::string graph =
      "Parameter x; Add pdpd(x); Abs abs(pdpd); Convert doubles(abs); Tanh tanh(doubles); Exp exp(tanh); "
      "Convert floats(exp)";
  check_pass(fuse_elementwise_chain, model, graph, graph);
}

TEST(FuseElementwiseChain, SixOperandsTakeTwoChains) {
  Model model;
  Source value = parameter(model, "x", {2, 6});
  for (int i = 0; i < 6; ++i) {
    const std::string name = "add" + std::to_string(i);
    value =
        add(model, "Add", name, {value, weights(model, name + "/bias", {6}, static_cast<uint32_t>(i + 1))});
  }
  result(model, value);
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model);
  ASSERT_TRUE(fuse_elementwise_chain(model, registry()));
  model.index();
  EXPECT_EQ(outline(model), "Parameter x; ElementwiseChain add3(x); ElementwiseChain add5(add3)");
  expect_same(compute(model), expected);
}

TEST(FuseElementwiseChain, ErrorsNameTheLayer) {
  Model model;
  const Source x = parameter(model, "x", {Dimension()}), y = parameter(model, "y", {Dimension()});
  result(model, add(model, "Abs", "abs", {add(model, "Add", "sum", {x, y})}));
  model.index();
  model.infer();
  ASSERT_TRUE(fuse_elementwise_chain(model, registry()));
  model.index();
  const std::vector<model::ValueInfo> sizes = {{ElementType::kF32, PartialShape{2}, nullptr},
                                               {ElementType::kF32, PartialShape{3}, nullptr}};
  test::expect_error(ErrorCode::kInvalidShape, "Add 'sum' (Add-1", [&] { infer_model(model, sizes); });
}

}  // namespace
}  // namespace wasmvino::passes
