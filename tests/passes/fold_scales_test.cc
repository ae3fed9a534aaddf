// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

Source number(Model& model, const std::string& name, float value) {
  return {model.add_constant(name, Tensor::of<float>({1, 1}, {value})), 0};
}

TEST(FoldScales, ProductsAndQuotientsBehind) {
  for (const bool transposed : {false, true}) {
    Model model;
    const Source x = parameter(model, "x", {2, Dimension(), 5});
    const Source b = weights(model, "b", transposed ? Shape{7, 5} : Shape{5, 7});
    const Source product =
        add(model, "MatMul", "product", {x, b}, {{"transpose_b", transposed ? "true" : "false"}});
    const Source scaled = add(model, "Multiply", "scaled", {weights(model, "columns", {1, 7}, 2), product});
    result(model, add(model, "Divide", "less", {scaled, number(model, "divisor", 3)}));
    check_pass(fold_scales, model,
               "Parameter x; MatMul product(x); Multiply scaled(product); Divide less(scaled)",
               "Parameter x; MatMul product(x)");
  }
}

// (x - mean) / deviation, then a sum that stays as it is.
TEST(FoldScales, SumsInFrontOfScales) {
  Model model;
  const Source x = parameter(model, "x", {2, 5});
  const Source product = add(model, "MatMul", "product", {x, weights(model, "b", {5, 7})});
  const Source less = add(model, "Subtract", "less", {product, weights(model, "mean", {7}, 2)});
  const Source more = add(model, "Add", "more", {number(model, "one", 1), less});
  const Source scaled = add(model, "Multiply", "scaled", {more, weights(model, "factors", {7}, 3)});
  result(model, add(model, "Add", "shifted", {scaled, weights(model, "shift", {7}, 4)}));
  check_pass(fold_scales, model,
             "Parameter x; MatMul product(x); Subtract less(product); Add more(less); Multiply scaled(more); "
             "Add shifted(scaled)",
             "Parameter x; MatMul product(x); Add scaled(product); Add shifted(scaled)");
}

TEST(FoldScales, ProductsInFront) {
  for (const bool transposed : {false, true}) {
    Model model;
    const Source x =
        parameter(model, "x", transposed ? PartialShape{5, Dimension()} : PartialShape{Dimension(), 5});
    const Source rows = weights(model, "rows", transposed ? Shape{5, 1} : Shape{5}, 2);
    const Source scaled = add(model, "Multiply", "scaled", {x, rows});
    const Source less = add(model, "Divide", "less", {scaled, number(model, "divisor", 8)});
    const std::string flag = transposed ? "true" : "false";
    result(model, add(model, "MatMul", "product",
                      {less, weights(model, "b", transposed ? Shape{7, 5} : Shape{5, 7})},
                      {{"transpose_a", flag}, {"transpose_b", flag}}));
    check_pass(fold_scales, model,
               "Parameter x; Multiply scaled(x); Divide less(scaled); MatMul product(less)",
               "Parameter x; MatMul product(x)");
  }
}

TEST(FoldScales, ManyMatrices) {
  Model model;
  const Source x = parameter(model, "x", {3, 4, 5});
  const Source scaled = add(model, "Multiply", "scaled", {x, weights(model, "rows", {5}, 2)});
  const Source product = add(model, "MatMul", "product", {scaled, weights(model, "b", {3, 5, 7})});
  result(model, add(model, "Multiply", "y", {product, weights(model, "columns", {7}, 3)}));
  check_pass(fold_scales, model,
             "Parameter x; Multiply scaled(x); MatMul product(scaled); Multiply y(product)",
             "Parameter x; MatMul product(x)");
}

// Weights of 4 bits take values in by their scales: one a column, or one for the rows of a group.
TEST(FoldScales, QuantisedWeights) {
  Model model;
  const Source x = parameter(model, "x", {2, 16});
  Tensor bits(ElementType::kU4, {11, 2, 8});
  kernels::Random random(1);
  for (size_t i = 0; i < bits.byte_size(); ++i)
    bits.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(random.next());
  const Source stored = {model.add_constant("stored", bits), 0};
  const Source values = add(model, "Convert", "values", {stored}, {{"destination_type", "f32"}});
  const Source expanded =
      add(model, "Multiply", "expanded", {values, weights(model, "scale", {11, 2, 1}, 2)});
  const Source matrix = add(model, "Reshape", "matrix", {expanded, integers(model, "shape", {11, 16})});
  std::vector<float> groups(16, 0.5f);
  std::fill(groups.begin() + 8, groups.end(), 3.0f);
  const Source by_group = {model.add_constant("groups", Tensor::of<float>({16}, groups.data())), 0};
  const Source in_front = add(model, "Multiply", "in_front", {x, by_group});
  const Source product = add(model, "MatMul", "product", {in_front, matrix}, {{"transpose_b", "true"}});
  result(model, add(model, "Multiply", "y", {product, weights(model, "columns", {11}, 3)}));
  model.index();
  model.infer();
  ASSERT_TRUE(keep_quantised_constants(model, registry()));
  check_pass(fold_scales, model,
             "Parameter x; Multiply in_front(x); MatMul product(in_front); Multiply y(product)",
             "Parameter x; MatMul product(x)");
}

TEST(FoldScales, QuantisedWeightsHaveNoScaleForARow) {
  Model model;
  const Source x = parameter(model, "x", {2, 8});
  const Source stored = {
      model.add_constant("stored", Tensor::of<int8_t>({8, 3}, std::vector<int8_t>(24, 5).data())), 0};
  const Source values = add(model, "Convert", "values", {stored}, {{"destination_type", "f32"}});
  const Source matrix = add(model, "Multiply", "matrix", {values, weights(model, "scale", {3}, 2)});
  const Source scaled = add(model, "Multiply", "scaled", {x, weights(model, "rows", {8}, 3)});
  result(model, add(model, "MatMul", "y", {scaled, matrix}));
  model.index();
  model.infer();
  ASSERT_TRUE(keep_quantised_constants(model, registry()));
  const std::string graph = "Parameter x; Multiply scaled(x); MatMul y(scaled)";
  check_pass(fold_scales, model, graph, graph);
}

// Scales of their columns, where there are some, take in a value for each row of B.
TEST(FoldScales, QuantisedWeightsWithColumnScales) {
  for (const bool zero_points : {false, true}) {
    Model model;
    const Source x = parameter(model, "x", {2, 8});
    const Source stored = {
        model.add_constant("stored", Tensor::of<int8_t>({8, 3}, std::vector<int8_t>(24, 5).data())), 0};
    Source values = add(model, "Convert", "values", {stored}, {{"destination_type", "f32"}});
    const Source zeros = {model.add_constant("zeros", Tensor::of<float>({3}, {1.0f, -2.0f, 9.0f})), 0};
    if (zero_points) values = add(model, "Subtract", "shifted", {values, zeros});
    const Source matrix = add(model, "Multiply", "matrix", {values, weights(model, "scale", {8, 1}, 2)});
    const Source scaled = add(model, "Multiply", "scaled", {x, weights(model, "rows", {8}, 3)});
    const Source product = add(model, "MatMul", "product", {scaled, matrix});
    result(model, add(model, "Multiply", "y", {product, weights(model, "columns", {3}, 4)}));
    model.index();
    model.infer();
    ASSERT_TRUE(keep_quantised_constants(model, registry()));
    check_pass(fold_scales, model,
               "Parameter x; Multiply scaled(x); MatMul product(scaled); Multiply y(product)",
               "Parameter x; MatMul product(x)");
  }
}

// Weights that somebody else reads would exist twice; a value by row is no part of a matrix by column; what
// others read is computed anyway.
TEST(FoldScales, WhatStays) {
  Model shared;
  const Source x = parameter(shared, "x", {2, 5}), b = weights(shared, "b", {5, 5});
  const Source product = add(shared, "MatMul", "product", {x, b});
  result(shared, add(shared, "Multiply", "scaled", {product, weights(shared, "columns", {5}, 2)}));
  result(shared, add(shared, "MatMul", "other", {x, b}));
  const std::string graph = "Parameter x; MatMul product(x); Multiply scaled(product); MatMul other(x)";
  check_pass(fold_scales, shared, graph, graph);

  Model rows;
  const Source y = add(rows, "MatMul", "product", {parameter(rows, "x", {2, 5}), weights(rows, "b", {5, 3})});
  result(rows, add(rows, "Multiply", "scaled", {y, weights(rows, "rows", {2, 1}, 2)}));
  const std::string by_row = "Parameter x; MatMul product(x); Multiply scaled(product)";
  check_pass(fold_scales, rows, by_row, by_row);

  Model infinite;
  const Source z =
      add(infinite, "MatMul", "product", {parameter(infinite, "x", {2, 5}), weights(infinite, "b", {5, 3})});
  result(infinite, add(infinite, "Divide", "scaled", {number(infinite, "one", 1), z}));
  const std::string inverse = "Parameter x; MatMul product(x); Divide scaled(product)";
  check_pass(fold_scales, infinite, inverse, inverse);

  Model read;
  const Source data = parameter(read, "x", {2, 5});
  const Source scaled = add(read, "Multiply", "scaled", {data, weights(read, "rows", {5}, 2)});
  result(read, add(read, "MatMul", "product", {scaled, weights(read, "b", {5, 3})}));
  result(read, scaled);
  const std::string twice = "Parameter x; Multiply scaled(x); MatMul product(scaled)";
  check_pass(fold_scales, read, twice, twice);
}

TEST(FoldScales, NoDivisionByZero) {
  Model model;
  const Source product =
      add(model, "MatMul", "product", {parameter(model, "x", {2, 5}), weights(model, "b", {5, 3})});
  const Source divisor = {model.add_constant("divisor", Tensor::of<float>({3}, {1, 0, 2})), 0};
  result(model, add(model, "Divide", "quotient", {product, divisor}));
  model.index();
  model.infer();
  EXPECT_FALSE(fold_scales(model, registry()));
}

}  // namespace
}  // namespace wasmvino::passes
