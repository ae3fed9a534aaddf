// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/stored_weights.h"

namespace wasmvino::passes {
namespace {

void check(Model& model, const std::string& before, const std::string& after) {
  check_pass(keep_quantised_weights, model, before, after);
}

TEST(KeepQuantisedWeights, GroupsOfFourBits) {
  Model model;
  const Source x = parameter(model, "x", {2, 3, 16});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kU4, {11, 2, 8}));
  const Source zeros = in_f32(model, "zeros", stored(model, "stored_zeros", ElementType::kU4, {11, 2, 1}, 2));
  const Source shifted = add(model, "Subtract", "shifted", {values, zeros});
  const Source scale =
      in_f32(model, "scale", stored(model, "stored_scale", ElementType::kF16, {11, 2, 1}, 3));
  const Source scaled = add(model, "Multiply", "scaled", {shifted, scale});
  const Source matrix = add(model, "Reshape", "matrix", {scaled, integers(model, "shape", {11, 16})});
  result(model, add(model, "MatMul", "y", {x, matrix}, {{"transpose_b", "true"}}));
  check(model,
        "Parameter x; Convert values; Convert zeros; Subtract shifted(values, zeros); Convert scale; "
        "Multiply scaled(shifted, scale); Reshape matrix(scaled); MatMul y(x, matrix)",
        "Parameter x; CompressedMatMul y(x)");
  const Node& node = *model.results[0]->inputs[0].node;
  ASSERT_EQ(node.inputs.size(), 4u);
  EXPECT_EQ(node.inputs[1].node->constant->type(), ElementType::kU4);
  EXPECT_EQ(to_string(node.inputs[2].node->constant->shape()), "[2,2,8]");
  EXPECT_EQ(node.inputs[3].node->constant->type(), ElementType::kU8);
}

TEST(KeepQuantisedWeights, GroupsAlongTheFirstAxis) {
  Model model;
  const Source x = parameter(model, "x", {Dimension(), 24});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI4, {3, 8, 5}));
  const Source scale = weights(model, "scale", {3, 1, 5});
  const Source scaled = add(model, "Multiply", "scaled", {scale, values});
  const Source matrix = add(model, "Reshape", "matrix", {scaled, integers(model, "shape", {24, 5})});
  result(model, add(model, "MatMul", "y", {x, matrix}));
  check(model,
        "Parameter x; Convert values; Multiply scaled(values); Reshape matrix(scaled); MatMul y(x, matrix)",
        "Parameter x; CompressedMatMul y(x)");
}

TEST(KeepQuantisedWeights, EightBitsByChannelBehindATranspose) {
  Model model;
  const Source x = parameter(model, "x", {4, 9});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {9, 6}));
  const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", {1, 6})});
  const Source turned = add(model, "Transpose", "turned", {scaled, integers(model, "order", {1, 0})});
  result(model, add(model, "MatMul", "y", {x, turned}, {{"transpose_b", "true"}}));
  check(model,
        "Parameter x; Convert values; Multiply scaled(values); Transpose turned(scaled); MatMul y(x, turned)",
        "Parameter x; CompressedMatMul y(x)");
}

TEST(KeepQuantisedWeights, HalvesAndBytesWithOneZeroPoint) {
  Model model;
  const Source x = parameter(model, "x", {4, 10});
  const Source halves = in_f32(model, "halves", stored(model, "stored", ElementType::kF16, {10, 6}));
  const Source first = add(model, "MatMul", "first", {x, halves});
  const Source bytes = in_f32(model, "bytes", stored(model, "stored_bytes", ElementType::kU8, {3, 6}));
  const Source zero =
      in_f32(model, "zero", {model.add_constant("stored_zero", Tensor::of<uint8_t>({1}, {131})), 0});
  const Source shifted = add(model, "Subtract", "shifted", {bytes, zero});
  result(model, add(model, "MatMul", "y", {first, shifted}, {{"transpose_b", "true"}}));
  check(model,
        "Parameter x; Convert halves; MatMul first(x, halves); Convert bytes; Convert zero; "
        "Subtract shifted(bytes, zero); MatMul y(first, shifted)",
        "Parameter x; CompressedMatMul first(x); CompressedMatMul y(first)");
}

TEST(KeepQuantisedWeights, SeveralMatrices) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      SCOPED_TRACE(testing::Message() << transpose_a << transpose_b);
      Model model;
      const Source x = transpose_a ? parameter(model, "x", {5, 1, 12, Dimension()})
                                   : parameter(model, "x", {5, 1, Dimension(), 12});
      // Groups of 4 along the depth.
      const Shape grouped = transpose_b ? Shape{2, 9, 3, 4} : Shape{2, 3, 4, 9};
      const Shape by_group = transpose_b ? Shape{2, 9, 3, 1} : Shape{2, 3, 1, 9};
      const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kU4, grouped));
      const Source zeros =
          in_f32(model, "zeros", stored(model, "stored_zeros", ElementType::kU4, by_group, 2));
      const Source shifted = add(model, "Subtract", "shifted", {values, zeros});
      const Source scaled = add(model, "Multiply", "scaled", {shifted, weights(model, "scale", by_group)});
      const Source shape =
          transpose_b ? integers(model, "shape", {2, 9, 12}) : integers(model, "shape", {2, 12, 9});
      const Source matrices = add(model, "Reshape", "matrices", {scaled, shape});
      result(model, add(model, "MatMul", "y", {x, matrices},
                        {{"transpose_a", transpose_a ? "true" : "false"},
                         {"transpose_b", transpose_b ? "true" : "false"}}));
      check(model,
            "Parameter x; Convert values; Convert zeros; Subtract shifted(values, zeros); Multiply "
            "scaled(shifted); Reshape matrices(scaled); MatMul y(x, matrices)",
            "Parameter x; CompressedMatMul y(x)");
      const Node& node = *model.results[0]->inputs[0].node;
      ASSERT_EQ(node.inputs.size(), 4u);
      EXPECT_EQ(node.inputs[1].node->constant->type(), ElementType::kU4);
      EXPECT_EQ(to_string(node.inputs[2].node->constant->shape()), "[2,2,3,8]");
    }
  }
}

// On the left, too, where a product of the transposes is transposed.
TEST(KeepQuantisedWeights, WeightsOnTheLeft) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const bool several : {false, true}) {
        SCOPED_TRACE(testing::Message() << transpose_a << transpose_b << several);
        Model model;
        const Dimension any;
        const Source x =
            transpose_b ? parameter(model, "x", {3, 1, any, 6}) : parameter(model, "x", {3, 1, 6, any});
        Shape shape = transpose_a ? Shape{6, 9} : Shape{9, 6};
        if (several) shape.insert(0, 2);
        const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, shape));
        const Source scale = weights(model, "scale", transpose_a ? Shape{1, 9} : Shape{9, 1});
        const Source scaled = add(model, "Multiply", "scaled", {values, scale});
        result(model, add(model, "MatMul", "y", {scaled, x},
                          {{"transpose_a", transpose_a ? "true" : "false"},
                           {"transpose_b", transpose_b ? "true" : "false"}}));
        check(model, "Parameter x; Convert values; Multiply scaled(values); MatMul y(scaled, x)",
              "Parameter x; CompressedMatMul y(x); Transpose y/turned(y)");
      }
    }
  }
}

TEST(KeepQuantisedWeights, ScalesAlongTheDepth) {
  for (const ElementType type : {ElementType::kI8, ElementType::kF16}) {
    for (const Shape& scale : {Shape{6, 1}, Shape{2, 6, 1}}) {
      Model model;
      const Source x = parameter(model, "x", {2, 3, 6});
      const Source values = in_f32(model, "values", stored(model, "stored", type, {2, 6, 7}));
      const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", scale)});
      const Source again = add(model, "Multiply", "again", {scaled, weights(model, "of_columns", {7}, 3)});
      result(model, add(model, "MatMul", "y", {x, again}));
      check(
          model,
          "Parameter x; Convert values; Multiply scaled(values); Multiply again(scaled); MatMul y(x, again)",
          "Parameter x; CompressedMatMul y(x)");
    }
  }
}

// Groups of any length, of one element too.
TEST(KeepQuantisedWeights, GroupsWithinFourElements) {
  for (const int64_t group : {1, 2, 3, 6, 10}) {
    SCOPED_TRACE(group);
    Model model;
    const Source x = parameter(model, "x", {3, 60});
    const Source values =
        in_f32(model, "values", stored(model, "stored", ElementType::kU4, {60 / group, group, 7}));
    const Source zeros =
        in_f32(model, "zeros", stored(model, "stored_zeros", ElementType::kU4, {1, 1, 7}, 2));
    const Source shifted = add(model, "Subtract", "shifted", {values, zeros});
    const Source scaled =
        add(model, "Multiply", "scaled", {shifted, weights(model, "scale", {60 / group, 1, 7})});
    const Source matrix = add(model, "Reshape", "matrix", {scaled, integers(model, "shape", {60, 7})});
    result(model, add(model, "MatMul", "y", {x, matrix}));
    check(model,
          "Parameter x; Convert values; Convert zeros; Subtract shifted(values, zeros); Multiply "
          "scaled(shifted); Reshape matrix(scaled); MatMul y(x, matrix)",
          "Parameter x; CompressedMatMul y(x)");
  }
}

TEST(KeepQuantisedWeights, ZeroPointsAlongTheDepth) {
  for (const ElementType type : {ElementType::kU8, ElementType::kI4}) {
    for (const Shape& zero : {Shape{6, 1}, Shape{2, 6, 1}}) {
      for (const Shape& scale : {Shape{1, 7}, Shape{6, 1}}) {
        Model model;
        const Source x = parameter(model, "x", {2, 3, 6});
        const Source values = in_f32(model, "values", stored(model, "stored", type, {2, 6, 7}));
        const Source zeros = in_f32(model, "zeros", stored(model, "stored_zeros", type, zero, 2));
        const Source shifted = add(model, "Subtract", "shifted", {values, zeros});
        const Source scaled = add(model, "Multiply", "scaled", {shifted, weights(model, "scale", scale)});
        result(model, add(model, "MatMul", "y", {x, scaled}));
        check(model,
              "Parameter x; Convert values; Convert zeros; Subtract shifted(values, zeros); Multiply "
              "scaled(shifted); MatMul y(x, scaled)",
              "Parameter x; CompressedMatMul y(x)");
        // One number for a row of B, not for each of its elements.
        const Node& node = *model.results[0]->inputs[0].node;
        EXPECT_EQ(to_string(node.inputs.back().node->constant->shape()), "[2,6]");
      }
    }
  }
}

TEST(KeepQuantisedWeights, TransposesThatMoveElements) {
  Model model;
  const Source x = parameter(model, "x", {4, 5, 12});
  // Heads and their sizes stand apart, the depth in the middle.
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {2, 12, 8}));
  const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", {2, 1, 8})});
  const Source turned = add(model, "Transpose", "turned", {scaled, integers(model, "order", {1, 0, 2})});
  const Source matrix = add(model, "Reshape", "matrix", {turned, integers(model, "shape", {12, 16})});
  result(model, add(model, "MatMul", "y", {x, matrix}));
  check(model,
        "Parameter x; Convert values; Multiply scaled(values); Transpose turned(scaled); Reshape "
        "matrix(turned); MatMul y(x, matrix)",
        "Parameter x; CompressedMatMul y(x)");
}

TEST(KeepQuantisedWeights, CodesOfOtherTypes) {
  for (const ElementType type : {ElementType::kU2, ElementType::kNf4, ElementType::kF4e2m1,
                                 ElementType::kF8e4m3, ElementType::kF8e5m2}) {
    for (const bool is_gathered : {false, true}) {
      SCOPED_TRACE(testing::Message() << name(type) << is_gathered);
      Model model;
      const Source x = parameter(model, "x", {3, 8});
      const Source values = in_f32(model, "values", stored(model, "stored", type, {13, 2, 4}));
      const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", {13, 2, 1})});
      const Source matrix = add(model, "Reshape", "matrix", {scaled, integers(model, "shape", {13, 8})});
      const std::string before =
          "Parameter x; Convert values; Multiply scaled(values); Reshape matrix(scaled); ";
      if (is_gathered) {
        const Source rows = add(model, "Gather", "rows",
                                {matrix, integers(model, "indices", {12, 0}), integers(model, "axis", {0})});
        result(model, add(model, "MatMul", "y", {x, rows}, {{"transpose_b", "true"}}));
        check(model, before + "Gather rows(matrix); MatMul y(x, rows)",
              "Parameter x; CompressedGather rows; MatMul y(x, rows)");
      } else {
        result(model, add(model, "MatMul", "y", {x, matrix}, {{"transpose_b", "true"}}));
        check(model, before + "MatMul y(x, matrix)", "Parameter x; CompressedMatMul y(x)");
      }
    }
  }
}

// A table that words are looked up in and compared with.
TEST(KeepQuantisedWeights, TiedTables) {
  for (const bool tied : {false, true}) {
    Model model;
    const Source x = parameter(model, "x", {3});
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI4, {21, 3, 4}));
    const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", {21, 3, 1})});
    const Source matrix = add(model, "Reshape", "matrix", {scaled, integers(model, "shape", {21, 12})});
    // The parameter's numbers as indices, some of them outside of the table.
    const Source large =
        add(model, "Multiply", "large", {x, {model.add_constant("30", Tensor::of<float>({1}, {30})), 0}});
    const Source indices = add(model, "Convert", "indices", {large}, {{"destination_type", "i32"}});
    const Source rows = add(model, "Gather", "rows", {matrix, indices, integers(model, "axis", {0})});
    result(model, tied ? add(model, "MatMul", "y", {rows, matrix}, {{"transpose_b", "true"}}) : rows);
    check(
        model,
        std::string("Parameter x; Convert values; Multiply scaled(values); Reshape matrix(scaled); Multiply "
                    "large(x); Convert indices(large); Gather rows(matrix, indices)") +
            (tied ? "; MatMul y(rows, matrix)" : ""),
        std::string(
            "Parameter x; Multiply large(x); Convert indices(large); CompressedGather rows(indices)") +
            (tied ? "; CompressedMatMul y(rows)" : ""));
  }
}

TEST(KeepQuantisedWeights, TablesStoredByColumns) {
  Model model;
  const Source x = parameter(model, "x", {3, 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {6, 11}));
  const Source turned = add(model, "Transpose", "turned", {values, integers(model, "order", {1, 0})});
  const Source rows = add(model, "Gather", "rows",
                          {turned, integers(model, "indices", {3, 10}), integers(model, "axis", {0})});
  result(model, add(model, "MatMul", "y", {x, rows}, {{"transpose_b", "true"}}));
  check(model,
        "Parameter x; Convert values; Transpose turned(values); Gather rows(turned); MatMul y(x, rows)",
        "Parameter x; CompressedGather rows; MatMul y(x, rows)");
}

TEST(KeepQuantisedWeights, ProductsTakeWhatFollows) {
  Model model;
  const Source x = parameter(model, "x", {3, 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {13, 6}));
  const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", {13, 1})});
  const Source product = add(model, "MatMul", "product", {x, scaled}, {{"transpose_b", "true"}});
  const Source sum = add(model, "Add", "sum", {product, weights(model, "bias", {13}, 2)});
  const Source other = add(model, "Exp", "other", {parameter(model, "z", {3, 13})});
  result(model, add(model, "Tanh", "y", {add(model, "Add", "total", {sum, other})}));
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model);
  run_passes(model, registry());
  EXPECT_EQ(outline(model), "Parameter x; Parameter z; Exp other(z); CompressedMatMul product(x, other)");
  expect_same(compute(model), expected);
}

TEST(KeepQuantisedWeights, LeavesWhatItCannotRead) {
  {
    SCOPED_TRACE("read in f32 by another node");
    Model model;
    const Source x = parameter(model, "x", {6, 6});
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {6, 6}));
    result(model, add(model, "Add", "y", {add(model, "MatMul", "product", {x, values}), values}));
    const std::string same = "Parameter x; Convert values; MatMul product(x, values); Add y(product, values)";
    check(model, same, same);
  }
  {
    SCOPED_TRACE("a zero point that is no integer");
    Model model;
    const Source x = parameter(model, "x", {6, 6});
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kU8, {6, 6}));
    const Source zero = {model.add_constant("zero", Tensor::of<float>({1}, {7.5f})), 0};
    result(model, add(model, "MatMul", "y", {x, add(model, "Subtract", "shifted", {values, zero})}));
    const std::string same = "Parameter x; Convert values; Subtract shifted(values); MatMul y(x, shifted)";
    check(model, same, same);
  }
  {
    SCOPED_TRACE("scales of axes that do not nest");
    Model model;
    const Source x = parameter(model, "x", {12, 12});
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kU8, {12, 3, 4}));
    const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", {1, 3, 1})});
    const Source turned = add(model, "Reshape", "turned", {scaled, integers(model, "shape", {12, 4, 3})});
    const Source again = add(model, "Multiply", "again", {turned, weights(model, "by", {1, 4, 1})});
    const Source matrix = add(model, "Reshape", "matrix", {again, integers(model, "whole", {12, 12})});
    result(model, add(model, "MatMul", "y", {x, matrix}));
    const std::string same =
        "Parameter x; Convert values; Multiply scaled(values); Reshape turned(scaled); Multiply "
        "again(turned); "
        "Reshape matrix(again); MatMul y(x, matrix)";
    check(model, same, same);
  }
  {
    SCOPED_TRACE("a type of another width, and a vector");
    Model model;
    const Source x = parameter(model, "x", {2, 6});
    const Source wide = in_f32(model, "wide", stored(model, "stored_wide", ElementType::kI16, {6, 6}));
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {6}));
    const Source product = add(model, "MatMul", "product", {x, wide});
    result(model, add(model, "MatMul", "y", {product, values}));
    const std::string same =
        "Parameter x; Convert wide; MatMul product(x, wide); Convert values; MatMul y(product, values)";
    check(model, same, same);
  }
}

TEST(KeepQuantisedWeights, LeavesScalesOfManyNodes) {
  Model model;
  const Source x = parameter(model, "x", {6, 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {6, 6}));
  Source scale = weights(model, "scale", {1, 6});
  // Each reads the one before it twice: followed to the end these are 2^70.
  for (int i = 0; i < 70; ++i) scale = add(model, "Add", "double" + std::to_string(i), {scale, scale});
  result(model, add(model, "MatMul", "y", {x, add(model, "Multiply", "scaled", {values, scale})}));
  model.index();
  model.infer();
  EXPECT_FALSE(keep_quantised_weights(model, registry()));
}

TEST(KeepQuantisedWeights, ErrorsNameTheMatMul) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension()});
  const Source halves = in_f32(model, "halves", stored(model, "stored", ElementType::kF16, {10, 6}));
  result(model, add(model, "MatMul", "product", {x, halves}));
  model.index();
  model.infer();
  ASSERT_TRUE(keep_quantised_weights(model, registry()));
  model.index();
  try {
    compute(model, 9);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.layer_type(), "MatMul-1");
    EXPECT_EQ(error.layer(), "product");
    EXPECT_NE(error.reason().find("axis 1 of input 0 [2,9] is 9, but axis 0 of input 1 [10,6] is 10"),
              std::string::npos)
        << error.reason();
  }
}

}  // namespace
}  // namespace wasmvino::passes
