// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_tester.h"
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

TEST(FuseMatMul, BiasThenFunction) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension(), 300});
  const Source product =
      add(model, "MatMul", "product", {x, weights(model, "b", {19, 300})}, {{"transpose_b", "true"}});
  const Source sum = add(model, "Add", "sum", {weights(model, "bias", {1, 1, 19}, 2), product});
  result(model, add(model, "Gelu", "gelu", {sum}));
  check_pass(fuse_mat_mul, model, "Parameter x; MatMul product(x); Add sum(product); Gelu gelu(sum)",
             "Parameter x; FusedMatMul product(x)");
}

// A depth of several blocks: the residual must be read before its memory is written.
TEST(FuseMatMul, BiasResidualAndFunction) {
  for (const char* function : {"Relu", "Tanh"}) {
    Model model;
    const Source x = parameter(model, "x", {3, 7, 600}), y = parameter(model, "y", {3, 7, 20});
    const Source other = add(model, "Exp", "exp", {y});
    const Source product = add(model, "MatMul", "product", {x, weights(model, "b", {600, 20})});
    const Source less = add(model, "Subtract", "less", {product, weights(model, "mean", {20}, 2)});
    const Source sum = add(model, "Add", "sum", {other, less});
    const Source again = add(model, "Add", "again", {sum, weights(model, "bias", {1}, 3)});
    result(model, add(model, function, "f", {again}));
    check_pass(fuse_mat_mul, model,
               std::string("Parameter x; Parameter y; Exp exp(y); MatMul product(x); Subtract less(product); "
                           "Add sum(exp, less); Add again(sum); ") +
                   function + " f(again)",
               "Parameter x; Parameter y; Exp exp(y); FusedMatMul product(x, exp)");
  }
}

TEST(FuseMatMul, ProductsOfManyMatrices) {
  Model model;
  const Source a = parameter(model, "a", {2, 3, 5, 4}), b = parameter(model, "b", {3, 6, 4});
  const Source product = add(model, "MatMul", "product", {a, b}, {{"transpose_b", "true"}});
  const Source sum = add(model, "Add", "sum", {product, parameter(model, "c", {2, 3, 5, 6})});
  result(model, add(model, "Sigmoid", "sigmoid",
                    {add(model, "Add", "shifted", {sum, weights(model, "bias", {6})})}));
  check_pass(
      fuse_mat_mul, model,
      "Parameter a; Parameter b; Parameter c; MatMul product(a, b); Add sum(product, c); Add shifted(sum); "
      "Sigmoid sigmoid(shifted)",
      "Parameter a; Parameter b; Parameter c; FusedMatMul product(a, b, c)");
}

TEST(FuseMatMul, OneOfTwoProductsTakesTheOther) {
  Model model;
  const Source x = parameter(model, "x", {4, 5});
  const Source left = add(model, "MatMul", "left", {x, weights(model, "b", {5, 6})});
  const Source right = add(model, "MatMul", "right", {x, weights(model, "c", {5, 6}, 2)});
  result(model, add(model, "Add", "sum", {left, right}));
  check_pass(fuse_mat_mul, model, "Parameter x; MatMul left(x); MatMul right(x); Add sum(left, right)",
             "Parameter x; MatMul right(x); FusedMatMul left(x, right)");
}

TEST(FuseMatMul, WhatIsBroadcastStays) {
  Model model;
  const Source x = parameter(model, "x", {Dimension(), 5}), row = parameter(model, "row", {1, 6});
  const Source product = add(model, "MatMul", "product", {x, weights(model, "b", {5, 6})});
  result(model, add(model, "Add", "sum", {product, row}));
  const Source rows = add(model, "MatMul", "rows", {x, weights(model, "c", {5, 6}, 2)});
  result(model, add(model, "Add", "each", {rows, weights(model, "by_row", {2, 1, 1})}));
  const std::string graph =
      "Parameter x; Parameter row; MatMul product(x); Add sum(product, row); MatMul rows(x); Add each(rows)";
  check_pass(fuse_mat_mul, model, graph, graph);
}

// Sizes that are open when the sum is fused may be broadcast in the end, either way or both.
TEST(FuseMatMul, ResidualsOfOpenSizes) {
  for (const bool function : {false, true}) {
    Model model;
    const Source x = parameter(model, "x", {Dimension(), Dimension(), 300});
    const Source y = parameter(model, "y", {Dimension(), Dimension(), 19});
    const Source product = add(model, "MatMul", "product", {x, weights(model, "b", {300, 19})});
    const Source shifted = add(model, "Add", "shifted", {product, weights(model, "bias", {19}, 2)});
    Source sum = add(model, "Add", "sum", {y, shifted});
    if (function) sum = add(model, "Tanh", "tanh", {sum});
    result(model, sum);
    check_open_sizes(fuse_mat_mul, model, "Parameter x; Parameter y; FusedMatMul product(x, y)",
                     {{{2, 7, 300}, {2, 7, 19}},
                      {{2, 7, 300}, {1, 7, 19}},
                      {{2, 7, 300}, {1, 1, 19}},
                      {{1, 7, 300}, {3, 1, 19}},
                      {{1, 1, 300}, {2, 4, 19}}});
  }
}

TEST(FuseMatMul, ResidualsThatAreNoBroadcastAreRefused) {
  Model model;
  const Source x = parameter(model, "x", {Dimension(), 5}), y = parameter(model, "y", {Dimension(), 6});
  result(model,
         add(model, "Add", "sum", {add(model, "MatMul", "product", {x, weights(model, "b", {5, 6})}), y}));
  model.index();
  model.infer();
  ASSERT_TRUE(fuse_mat_mul(model, registry()));
  model.index();
  test::expect_error(ErrorCode::kInvalidShape, "[4,6]", [&] { compute_for(model, {{4, 5}, {3, 6}}); });
}

// The last axis of the product of a matrix and a vector is that of rows.
TEST(FuseMatMul, VectorsStay) {
  Model model;
  const Source product =
      add(model, "MatMul", "product", {parameter(model, "x", {3, 5}), weights(model, "b", {5})});
  result(model, add(model, "Add", "sum", {product, weights(model, "bias", {3})}));
  const std::string graph = "Parameter x; MatMul product(x); Add sum(product)";
  check_pass(fuse_mat_mul, model, graph, graph);
}

TEST(FuseMatMul, ErrorsNameTheLayer) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension()}), y = parameter(model, "y", {Dimension(), 4});
  const Source product = add(model, "MatMul", "product", {x, y});
  result(model, add(model, "Relu", "relu", {product}));
  model.index();
  model.infer();
  ASSERT_TRUE(fuse_mat_mul(model, registry()));
  model.index();
  const std::vector<model::ValueInfo> sizes = {{ElementType::kF32, PartialShape{2, 5}, nullptr},
                                               {ElementType::kF32, PartialShape{6, 4}, nullptr}};
  test::expect_error(ErrorCode::kInvalidShape, "MatMul 'product' (MatMul-1",
                     [&] { infer_model(model, sizes); });
}

}  // namespace
}  // namespace wasmvino::passes
