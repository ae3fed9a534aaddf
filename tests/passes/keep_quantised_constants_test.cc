// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/quantised_filters.h"
#include "runtime/compiled_model.h"
#include "runtime/explanation.h"
#include "tests/passes/quantised_weights.h"

namespace wasmvino::passes {
namespace {

void check(Model& model, const std::string& before, const std::string& after) {
  check_pass(keep_quantised_constants, model, before, after);
}

// The weights that the node before result 0 keeps; nullptr if they are not quantised.
const ops::QuantisedConstant* kept(const Model& model) {
  const Node& node = *model.results[0]->inputs[0].node;
  return node.inputs.size() > 1 ? ops::quantised_of(*node.inputs[1].node) : nullptr;
}

// --- MatMul and Gather -------------------------------------------------------------------------------------

TEST(KeepQuantisedConstants, GroupsOfFourBits) {
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
        "Parameter x; MatMul y(x)");
  ASSERT_NE(kept(model), nullptr);
  EXPECT_EQ(kept(model)->stored_type(), ElementType::kU4);
  // Scales stay in the model's type. Kernels convert and pack them.
  EXPECT_EQ(kept(model)->parts().scales[0].data->type(), ElementType::kF16);
  EXPECT_EQ(kept(model)->parts().zero_point->data->type(), ElementType::kU4);
  EXPECT_EQ(ops::matrix_form(*kept(model), false).group, 8u);
}

TEST(KeepQuantisedConstants, GroupsAlongTheFirstAxis) {
  Model model;
  const Source x = parameter(model, "x", {Dimension(), 24});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI4, {3, 8, 5}));
  const Source scale = weights(model, "scale", {3, 1, 5});
  const Source scaled = add(model, "Multiply", "scaled", {scale, values});
  const Source matrix = add(model, "Reshape", "matrix", {scaled, integers(model, "shape", {24, 5})});
  result(model, add(model, "MatMul", "y", {x, matrix}));
  check(model,
        "Parameter x; Convert values; Multiply scaled(values); Reshape matrix(scaled); MatMul y(x, matrix)",
        "Parameter x; MatMul y(x)");
}

TEST(KeepQuantisedConstants, EightBitsByChannelBehindATranspose) {
  Model model;
  const Source x = parameter(model, "x", {4, 9});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {9, 6}));
  const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", {1, 6})});
  const Source turned = add(model, "Transpose", "turned", {scaled, integers(model, "order", {1, 0})});
  result(model, add(model, "MatMul", "y", {x, turned}, {{"transpose_b", "true"}}));
  check(model,
        "Parameter x; Convert values; Multiply scaled(values); Transpose turned(scaled); MatMul y(x, turned)",
        "Parameter x; MatMul y(x)");
}

TEST(KeepQuantisedConstants, HalvesAndBytesWithOneZeroPoint) {
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
        "Parameter x; MatMul first(x); MatMul y(first)");
}

TEST(KeepQuantisedConstants, SeveralMatrices) {
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
            "Parameter x; MatMul y(x)");
      ASSERT_NE(kept(model), nullptr);
      EXPECT_EQ(kept(model)->stored_type(), ElementType::kU4);
      EXPECT_EQ(ops::matrix_form(*kept(model), !transpose_b).group, 4u);
    }
  }
}

// On the left, too, where a product of the transposes is transposed.
TEST(KeepQuantisedConstants, WeightsOnTheLeft) {
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
              "Parameter x; MatMul y(x); Transpose y/transposed(y)");
      }
    }
  }
}

// A vector on the left gives no axis that could be transposed.
TEST(KeepQuantisedConstants, VectorsOnTheLeft) {
  for (const PartialShape& shape : {PartialShape{6, 9}, PartialShape{2, 6, Dimension()}}) {
    Model model;
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kF16, {6}));
    result(model, add(model, "MatMul", "y", {values, parameter(model, "x", shape)}));
    check(model, "Parameter x; Convert values; MatMul y(values, x)", "Parameter x; MatMul y(x)");
  }
}

// The transposes of the data are matrices of one row.
TEST(KeepQuantisedConstants, WeightsOnTheLeftOfColumns) {
  Model model;
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {9, 6}));
  result(model, add(model, "MatMul", "y", {values, parameter(model, "x", {3, 6, 1})}));
  check(model, "Parameter x; Convert values; MatMul y(values, x)",
        "Parameter x; MatMul y(x); Transpose y/transposed(y)");
}

TEST(KeepQuantisedConstants, ScalesAlongTheDepth) {
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
          "Parameter x; MatMul y(x)");
    }
  }
}

// Groups of any length, of one element too.
TEST(KeepQuantisedConstants, GroupsWithinFourElements) {
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
          "Parameter x; MatMul y(x)");
  }
}

TEST(KeepQuantisedConstants, ZeroPointsAlongTheDepth) {
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
              "Parameter x; MatMul y(x)");
        // One number per row of B, not one per element.
        ASSERT_NE(kept(model), nullptr);
        EXPECT_TRUE(ops::matrix_form(*kept(model), true).has_column_zero_points);
      }
    }
  }
}

TEST(KeepQuantisedConstants, TransposesThatMoveElements) {
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
        "Parameter x; MatMul y(x)");
}

TEST(KeepQuantisedConstants, CodesOfOtherTypes) {
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
              "Parameter x; Gather rows; MatMul y(x, rows)");
      } else {
        result(model, add(model, "MatMul", "y", {x, matrix}, {{"transpose_b", "true"}}));
        check(model, before + "MatMul y(x, matrix)", "Parameter x; MatMul y(x)");
      }
    }
  }
}

// A table that words are looked up in and compared with.
TEST(KeepQuantisedConstants, TiedTables) {
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
        std::string("Parameter x; Multiply large(x); Convert indices(large); Gather rows(indices)") +
            (tied ? "; MatMul y(rows)" : ""));
  }
}

TEST(KeepQuantisedConstants, TablesStoredByColumns) {
  Model model;
  const Source x = parameter(model, "x", {3, 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {6, 11}));
  const Source turned = add(model, "Transpose", "turned", {values, integers(model, "order", {1, 0})});
  const Source rows = add(model, "Gather", "rows",
                          {turned, integers(model, "indices", {3, 10}), integers(model, "axis", {0})});
  result(model, add(model, "MatMul", "y", {x, rows}, {{"transpose_b", "true"}}));
  check(model,
        "Parameter x; Convert values; Transpose turned(values); Gather rows(turned); MatMul y(x, rows)",
        "Parameter x; Gather rows; MatMul y(x, rows)");
}

TEST(KeepQuantisedConstants, ProductsTakeWhatFollows) {
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
  EXPECT_EQ(outline(model), "Parameter x; Parameter z; Exp other(z); FusedMatMul product(x, other)");
  expect_same(compute(model), expected);
}

TEST(KeepQuantisedConstants, LeavesWhatItCannotRead) {
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
    SCOPED_TRACE("a type of another width");
    Model model;
    const Source x = parameter(model, "x", {2, 6});
    const Source wide = in_f32(model, "wide", stored(model, "stored_wide", ElementType::kI16, {6, 6}));
    result(model, add(model, "MatMul", "y", {x, wide}));
    const std::string same = "Parameter x; Convert wide; MatMul y(x, wide)";
    check(model, same, same);
  }
}

TEST(KeepQuantisedConstants, LeavesScalesOfManyNodes) {
  Model model;
  const Source x = parameter(model, "x", {6, 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {6, 6}));
  Source scale = weights(model, "scale", {1, 6});
  // Each reads the one before it twice: followed to the end these are 2^70.
  for (int i = 0; i < 70; ++i) scale = add(model, "Add", "double" + std::to_string(i), {scale, scale});
  result(model, add(model, "MatMul", "y", {x, add(model, "Multiply", "scaled", {values, scale})}));
  model.index();
  model.infer();
  EXPECT_FALSE(keep_quantised_constants(model, registry()));
}

TEST(KeepQuantisedConstants, ErrorsNameTheMatMul) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension()});
  const Source halves = in_f32(model, "halves", stored(model, "stored", ElementType::kF16, {10, 6}));
  result(model, add(model, "MatMul", "product", {x, halves}));
  model.index();
  model.infer();
  ASSERT_TRUE(keep_quantised_constants(model, registry()));
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

// --- Convolutions ------------------------------------------------------------------------------------------

TEST(KeepQuantisedConstants, FiltersOfAllTypes) {
  for (const ElementType type : {ElementType::kF16, ElementType::kBf16, ElementType::kI8, ElementType::kU8,
                                 ElementType::kI4, ElementType::kU4, ElementType::kU2, ElementType::kNf4,
                                 ElementType::kF4e2m1, ElementType::kF8e4m3, ElementType::kF8e5m2}) {
    for (const Shape& scale : {Shape{8, 1, 1, 1}, Shape{1}, Shape{}}) {
      SCOPED_TRACE(testing::Message() << name(type) << " " << to_string(scale));
      Model model;
      const Source x = parameter(model, "x", {1, 5, Dimension(), 6});
      const Source values = in_f32(model, "values", stored(model, "stored", type, {8, 5, 3, 3}));
      const Source scaled = add(model, "Multiply", "scaled", {weights(model, "scale", scale), values});
      result(model, add(model, "Convolution", "y", {x, scaled}));
      check(model, "Parameter x; Convert values; Multiply scaled(values); Convolution y(x, scaled)",
            "Parameter x; Convolution y(x)");
      ASSERT_NE(kept(model), nullptr);
      EXPECT_EQ(kept(model)->stored_type(), type);
      EXPECT_EQ(kept(model)->scales_along({0}).size(), 8u);
      // Other users get dequantised values.
      const Tensor& filters = model.results[0]->inputs[0].node->inputs[1].node->constant->value();
      EXPECT_EQ(to_string(filters.shape()), "[8,5,3,3]");
    }
  }
}

TEST(KeepQuantisedConstants, FiltersOfF16) {
  Model model;
  const Source x = parameter(model, "x", {1, 5, 7, 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kF16, {8, 5, 1, 1}));
  result(model, add(model, "Convolution", "y", {x, values}));
  check(model, "Parameter x; Convert values; Convolution y(x, values)", "Parameter x; Convolution y(x)");
  ASSERT_NE(kept(model), nullptr);
  EXPECT_TRUE(kept(model)->parts().scales.empty());
}

TEST(KeepQuantisedConstants, GroupedFilters) {
  Model model;
  const Source x = parameter(model, "x", {1, 8, Dimension(), 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kU8, {6, 4, 3, 3}));
  const Source zeros =
      in_f32(model, "zeros", stored(model, "stored_zeros", ElementType::kU8, {6, 1, 1, 1}, 2));
  const Source shifted = add(model, "Subtract", "shifted", {values, zeros});
  const Source scaled = add(model, "Multiply", "scaled", {shifted, weights(model, "scale", {6, 1, 1, 1})});
  const Source grouped =
      add(model, "Reshape", "grouped", {scaled, integers(model, "shape", {2, 3, 4, 3, 3})});
  const Source again = add(model, "Multiply", "again", {grouped, weights(model, "more", {2, 3, 1, 1, 1}, 3)});
  result(model, add(model, "GroupConvolution", "y", {x, again}));
  check(model,
        "Parameter x; Convert values; Convert zeros; Subtract shifted(values, zeros); Multiply "
        "scaled(shifted); Reshape grouped(scaled); Multiply again(grouped); GroupConvolution y(x, again)",
        "Parameter x; GroupConvolution y(x)");
}

TEST(KeepQuantisedConstants, TransposedConvolutions) {
  for (const bool grouped : {false, true}) {
    Model model;
    const std::string type = grouped ? "GroupConvolutionBackpropData" : "ConvolutionBackpropData";
    const Source x = parameter(model, "x", {1, 6, 5, Dimension()});
    const Shape shape = grouped ? Shape{2, 3, 4, 2, 2} : Shape{6, 4, 2, 2};
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, shape));
    const Shape scale = grouped ? Shape{2, 1, 4, 1, 1} : Shape{4, 1, 1};
    const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", scale)});
    result(model, add(model, type, "y", {x, scaled}, {{"strides", "2,2"}}));
    check(model, "Parameter x; Convert values; Multiply scaled(values); " + type + " y(x, scaled)",
          "Parameter x; " + type + " y(x)");
  }
}

// As OpenVINO 2020 and 2021 stored what NNCF had quantized.
TEST(KeepQuantisedConstants, LevelsOfFakeQuantize) {
  for (const bool fits : {true, false}) {
    Model model;
    const Source x = parameter(model, "x", {1, 5, 7, 6});
    Tensor bytes(ElementType::kU8, {4, 5, 3, 3});
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i % 255);
    // The largest would be taken for 254.
    if (!fits) bytes.mutable_data<uint8_t>()[7] = 255;
    const Source values = in_f32(model, "values", {model.add_constant("stored", bytes), 0});
    const auto floats = [&](const std::string& name, const Shape& shape,
                            std::initializer_list<float> numbers) {
      return Source{model.add_constant(name, Tensor::of<float>(shape, numbers)), 0};
    };
    const Source levels = add(model, "FakeQuantize", "levels",
                              {values, floats("in_low", {}, {0}), floats("in_high", {}, {254}),
                               floats("low", {4, 1, 1, 1}, {-0.5f, -0.25f, -1, -0.7f}),
                               floats("high", {4, 1, 1, 1}, {0.5f, 0.25f, 1, 0.7f})},
                              {{"levels", "255"}});
    result(model, add(model, "Convolution", "y", {x, levels}));
    const std::string before =
        "Parameter x; Convert values; FakeQuantize levels(values); Convolution y(x, levels)";
    check(model, before, fits ? "Parameter x; Convolution y(x)" : before);
    if (fits) {
      EXPECT_EQ(kept(model)->parts().zero_point->read(), std::vector<float>(4, 127));
    }
  }
}

TEST(KeepQuantisedConstants, BatchNormsBecomeScales) {
  for (const ElementType type : {ElementType::kF16, ElementType::kI8}) {
    Model model;
    const Source x = parameter(model, "x", {1, 5, 7, 6});
    Source values = in_f32(model, "values", stored(model, "stored", type, {8, 5, 3, 3}));
    if (type == ElementType::kI8)
      values = add(model, "Multiply", "scaled", {values, weights(model, "scale", {8, 1, 1, 1})});
    const Source y = add(model, "Convolution", "y", {x, values});
    const Source product = add(model, "Multiply", "product", {y, weights(model, "factors", {1, 8, 1, 1}, 2)});
    result(model, add(model, "Relu", "z",
                      {add(model, "Add", "sum", {product, weights(model, "bias", {8, 1, 1}, 3)})}));
    model.index();
    model.infer();
    const std::vector<Tensor> expected = compute(model);
    run_passes(model, registry());
    EXPECT_EQ(outline(model), "Parameter x; FusedConvolution y(x)");
    ASSERT_NE(kept(model), nullptr);
    EXPECT_EQ(kept(model)->stored_type(), type);
    EXPECT_EQ(kept(model)->scales_along({0}).size(), 8u);
    expect_same(compute(model), expected);
  }
}

// A product in front of a convolution is one for each input channel.
TEST(KeepQuantisedConstants, ProductsInFrontBecomeScales) {
  for (const bool transposed : {false, true}) {
    Model model;
    const Source x = parameter(model, "x", {1, 5, 7, 6});
    const Shape shape = transposed ? Shape{5, 8, 3, 3} : Shape{8, 5, 3, 3};
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kF16, shape));
    const Source product = add(model, "Multiply", "product", {x, weights(model, "factors", {1, 5, 1, 1}, 2)});
    result(model, add(model, transposed ? "ConvolutionBackpropData" : "Convolution", "y", {product, values}));
    model.index();
    model.infer();
    const std::vector<Tensor> expected = compute(model);
    run_passes(model, registry());
    EXPECT_EQ(outline(model), "Parameter x; FusedConvolution y(x)");
    ASSERT_NE(kept(model), nullptr);
    ASSERT_EQ(kept(model)->parts().scales.size(), 1u);
    EXPECT_EQ(kept(model)->parts().scales[0].axes.sizes, Ints{5});
    expect_same(compute(model), expected);
  }
}

TEST(KeepQuantisedConstants, ScalesOfInputChannels) {
  const auto kept_with = [](const PartialShape& data, const Shape& filters, const Shape& scale,
                            const std::string& type) {
    SCOPED_TRACE(to_string(filters) + " " + to_string(scale));
    Model model;
    const Source x = parameter(model, "x", data);
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, filters));
    const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", scale)});
    result(model, add(model, type, "y", {x, scaled}));
    check(model, "Parameter x; Convert values; Multiply scaled(values); " + type + " y(x, scaled)",
          "Parameter x; " + type + " y(x)");
    ASSERT_NE(kept(model), nullptr);
    ASSERT_EQ(kept(model)->parts().scales.size(), 1u);
  };
  const Dimension any;
  kept_with({1, 4, 7, any}, {8, 4, 3, 3}, {1, 4, 1, 1}, "Convolution");
  kept_with({1, 6, 7, any}, {2, 5, 3, 3, 3}, {2, 1, 3, 1, 1}, "GroupConvolution");
  kept_with({1, 4, 7, any}, {4, 8, 2, 2}, {4, 1, 1, 1}, "ConvolutionBackpropData");
  kept_with({1, 6, 7, any}, {2, 3, 4, 2, 2}, {2, 3, 1, 1, 1}, "GroupConvolutionBackpropData");
}

TEST(KeepQuantisedConstants, OneAndThreeDimensions) {
  const auto kept_with = [](const PartialShape& data, const Shape& filters, const std::string& type) {
    SCOPED_TRACE(type + " " + to_string(filters));
    Model model;
    const Source x = parameter(model, "x", data);
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kF16, filters));
    std::string ones;
    for (size_t i = 2; i < data.rank(); ++i) ones += i == 2 ? "1" : ",1";
    result(model, add(model, type, "y", {x, values},
                      {{"strides", ones}, {"dilations", ones}, {"pads_begin", ones}, {"pads_end", ones}}));
    check(model, "Parameter x; Convert values; " + type + " y(x, values)", "Parameter x; " + type + " y(x)");
    EXPECT_NE(kept(model), nullptr);
  };
  const Dimension any;
  kept_with({1, 4, any}, {6, 4, 3}, "Convolution");
  kept_with({1, 4, 5, 6, any}, {6, 4, 3, 3, 3}, "Convolution");
  kept_with({1, 4, any}, {2, 5, 2, 3}, "GroupConvolution");
  kept_with({1, 4, 5, 6, any}, {2, 5, 2, 3, 3, 3}, "GroupConvolution");
  kept_with({1, 4, any}, {4, 6, 3}, "ConvolutionBackpropData");
  kept_with({1, 4, 5, 6, any}, {4, 6, 3, 3, 3}, "ConvolutionBackpropData");
  kept_with({1, 4, any}, {2, 2, 5, 3}, "GroupConvolutionBackpropData");
  kept_with({1, 4, 5, 6, any}, {2, 2, 5, 3, 3, 3}, "GroupConvolutionBackpropData");
}

// Over planes and by channels, over as many as no vector has; filters of a transposed one are a group each.
TEST(KeepQuantisedConstants, DepthwiseFilters) {
  const auto kept_with = [](const PartialShape& data, const Shape& filters, const Shape& scale,
                            const std::string& type) {
    for (const ElementType element : {ElementType::kF16, ElementType::kU8, ElementType::kI4}) {
      SCOPED_TRACE(type + " " + to_string(filters) + " " + cat(element));
      Model model;
      const Source x = parameter(model, "x", data);
      Source values = in_f32(model, "values", stored(model, "stored", element, filters));
      std::string before = "Parameter x; Convert values; ", last = "values";
      if (element != ElementType::kF16) {
        Shape zero(filters.size(), 1);
        zero[0] = filters[0];
        const Source zeros = in_f32(model, "zeros", stored(model, "stored_zeros", element, zero, 2));
        values = add(model, "Subtract", "shifted", {values, zeros});
        before += "Convert zeros; Subtract shifted(values, zeros); ";
        last = "shifted";
      }
      const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", scale)});
      result(model, add(model, type, "y", {x, scaled}));
      check(model, before + "Multiply scaled(" + last + "); " + type + " y(x, scaled)",
            "Parameter x; " + type + " y(x)");
      EXPECT_NE(kept(model), nullptr);
    }
  };
  const Dimension any;
  kept_with({1, 13, 9, any}, {13, 1, 1, 3, 3}, {13, 1, 1, 1, 1}, "GroupConvolution");
  kept_with({2, 9, any, 40}, {9, 1, 1, 3, 3}, {9, 1, 1, 1, 1}, "GroupConvolution");
  kept_with({1, 4, 30}, {4, 1, 1, 5}, {1}, "GroupConvolution");
  kept_with({1, 4, 7, any}, {4, 1, 1, 3, 3}, {4, 1, 1, 1, 1}, "GroupConvolutionBackpropData");
  // Filters over one channel.
  kept_with({1, 1, 7, 40}, {1, 1, 3, 3}, {1, 1, 1, 1}, "Convolution");
  kept_with({2, 1, 9, any}, {3, 1, 5, 5}, {3, 1, 1, 1}, "Convolution");
}

// As converters of TensorFlow models write them: height, width, input, output.
TEST(KeepQuantisedConstants, FiltersInAnotherOrder) {
  Model model;
  const Source x = parameter(model, "x", {1, 5, 7, Dimension()});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {3, 3, 5, 8}));
  const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", {8})});
  const Source turned = add(model, "Transpose", "turned", {scaled, integers(model, "order", {3, 2, 0, 1})});
  const Source again = add(model, "Multiply", "again", {turned, weights(model, "more", {8, 1, 1, 1}, 3)});
  result(model, add(model, "Convolution", "y", {x, again}));
  check(model,
        "Parameter x; Convert values; Multiply scaled(values); Transpose turned(scaled); Multiply "
        "again(turned); Convolution y(x, again)",
        "Parameter x; Convolution y(x)");
  ASSERT_NE(kept(model), nullptr);
  // Whoever asks has them in the filters' order.
  Tensor expanded = model.results[0]->inputs[0].node->inputs[1].node->constant->value();
  EXPECT_EQ(to_string(expanded.shape()), "[8,5,3,3]");
}

TEST(KeepQuantisedConstants, ConvolutionsShareFilters) {
  Model model;
  const Source x = parameter(model, "x", {1, 5, 7, 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kF16, {5, 5, 3, 3}));
  const Source first = add(model, "Convolution", "first", {x, values});
  result(model, add(model, "Convolution", "y", {first, values}));
  check(model, "Parameter x; Convert values; Convolution first(x, values); Convolution y(first, values)",
        "Parameter x; Convolution first(x); Convolution y(first)");
  const Node& y = *model.results[0]->inputs[0].node;
  EXPECT_EQ(y.inputs[1].node, y.inputs[0].node->inputs[1].node);
}

// Filters that convolutions cannot pack are dequantised when the convolution is compiled.
TEST(KeepQuantisedConstants, FiltersWithOtherScales) {
  const auto check_scale = [](const Shape& filters, const Shape& scale) {
    SCOPED_TRACE(to_string(filters) + " " + to_string(scale));
    Model model;
    const Source x = parameter(model, "x", {1, 4, 7, 6});
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, filters));
    const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", scale)});
    result(model, add(model, "Convolution", "y", {x, scaled}));
    check(model, "Parameter x; Convert values; Multiply scaled(values); Convolution y(x, scaled)",
          "Parameter x; Convolution y(x)");
    ASSERT_NE(kept(model), nullptr);
    EXPECT_FALSE(ops::can_pack_filters(*kept(model), {}));
  };
  check_scale({8, 4, 3, 3}, {3, 1});        // one scale per row of the kernel
  check_scale({8, 4, 3, 3}, {8, 4, 1, 1});  // one scale per filter
}

// --- Other operations --------------------------------------------------------------------------------------

using Integers = std::vector<int64_t>;

// Checks the result for a graph whose last node is `reader`: its inputs `first` to `last` stay quantised.
void check_inputs(Model& model, Source reader, size_t first, size_t last, const std::string& after) {
  result(model, reader);
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model);
  EXPECT_TRUE(keep_quantised_constants(model, registry()));
  model.index();
  model.infer();
  EXPECT_EQ(outline(model), after);
  for (size_t i = first; i <= last; ++i)
    EXPECT_NE(ops::quantised_of(*reader.node->inputs[i].node), nullptr) << i;
  expect_same(compute(model), expected);
}

// Weights of `shape` with zero points, where integers, and scales for each row, or for groups of the last
// axis.
Source quantised(Model& model, const std::string& name, ElementType type, Shape shape, int64_t group = 0) {
  const Shape whole = shape;
  if (group > 0) {
    shape.back() /= group;
    shape.push_back(group);
  }
  Shape scale = shape;
  scale.back() = 1;
  Source value = in_f32(model, name + " in f32", stored(model, name, type, shape));
  if (is_integral(type)) {
    const Source zero = in_f32(model, name + " zero", stored(model, name + " zeros", type, scale, 5));
    value = add(model, "Subtract", name + " shifted", {value, zero});
  }
  value = add(model, "Multiply", name + " scaled", {value, weights(model, name + " scale", scale, 7)});
  if (group == 0) return value;
  const Source to = {
      model.add_constant(name + " shape", Tensor::of<int64_t>({static_cast<int64_t>(whole.size())},
                                                              Integers(whole.begin(), whole.end()).data())),
      0};
  return add(model, "Reshape", name + " whole", {value, to});
}

struct Form {
  ElementType type;
  int64_t group;
};
constexpr Form kForms[] = {{ElementType::kF16, 0}, {ElementType::kI8, 0}, {ElementType::kU8, 4},
                           {ElementType::kI4, 8},  {ElementType::kU4, 2}, {ElementType::kNf4, 0}};

TEST(KeepQuantisedConstants, WeightsOfCells) {
  struct Cell {
    const char* type;
    int64_t gates, biases;
    model::AttributeTexts attributes;
  };
  const Cell cells[] = {{"LSTMCell", 4, 4, {{"hidden_size", "8"}}},
                        {"GRUCell", 3, 3, {{"hidden_size", "8"}}},
                        {"GRUCell", 3, 4, {{"hidden_size", "8"}, {"linear_before_reset", "true"}}},
                        {"RNNCell", 1, 1, {{"hidden_size", "8"}}}};
  for (const Cell& cell : cells) {
    for (const Form& form : kForms) {
      SCOPED_TRACE(testing::Message() << cell.type << cell.biases << " " << cat(form.type));
      Model model;
      std::vector<Source> inputs = {parameter(model, "x", {3, 16}), parameter(model, "h", {3, 8})};
      const bool lstm = cell.gates == 4;
      if (lstm) inputs.push_back(parameter(model, "c", {3, 8}));
      const size_t w = inputs.size();
      inputs.push_back(quantised(model, "W", form.type, {cell.gates * 8, 16}, form.group));
      inputs.push_back(quantised(model, "R", form.type, {cell.gates * 8, 8}, form.group));
      inputs.push_back(weights(model, "B", {cell.biases * 8}, 3));
      const Source y = add(model, cell.type, "y", inputs, cell.attributes, lstm ? 2 : 1);
      check_inputs(model, y, w, w + 1,
                   std::string("Parameter x; Parameter h; ") + (lstm ? "Parameter c; " : "") + cell.type +
                       " y(x, h" + (lstm ? ", c)" : ")"));
    }
  }
}

// A cell runs again and again, in a loop or on a stream. It packs W and R in f32, unless that takes more than
// 4 MB for one of them.
TEST(KeepQuantisedConstants, CellsExpandSmallWeightsOnce) {
  const auto packed = [](int64_t input, int64_t hidden) {
    Model model;
    const std::vector<Source> inputs = {
        parameter(model, "x", {1, input}), parameter(model, "h", {1, hidden}),
        in_f32(model, "W", stored(model, "W stored", ElementType::kF16, {hidden, input})),
        in_f32(model, "R", stored(model, "R stored", ElementType::kF16, {hidden, hidden}))};
    result(model, add(model, "RNNCell", "y", inputs, {{"hidden_size", cat(hidden)}}));
    model.index();
    model.infer();
    const auto request = runtime::CompiledModel::compile(model, registry(), {})->create_infer_request();
    request->infer();
    return static_cast<int64_t>(request->explain().memory.packed);
  };
  EXPECT_EQ(packed(256, 512), 4 * 512 * (256 + 512));
  EXPECT_EQ(packed(32, 1024), 4 * 1024 * (32 + 1024));
  EXPECT_EQ(packed(1040, 1024), 2 * 1024 * 1040 + 4 * 1024 * 1024);
  EXPECT_EQ(packed(32, 1032), 4 * 1032 * 32 + 2 * 1032 * 1032);
}

TEST(KeepQuantisedConstants, WeightsOfSequencesInBothDirections) {
  for (const char* type : {"LSTMSequence", "GRUSequence", "RNNSequence"}) {
    for (const Form& form : kForms) {
      SCOPED_TRACE(testing::Message() << type << " " << cat(form.type));
      const int64_t gates = type[0] == 'L' ? 4 : type[0] == 'G' ? 3 : 1;
      Model model;
      std::vector<Source> inputs = {parameter(model, "x", {2, 5, 16}), parameter(model, "h", {2, 2, 8})};
      if (gates == 4) inputs.push_back(parameter(model, "c", {2, 2, 8}));
      inputs.push_back(integers(model, "lengths", {5, 3}));
      const size_t w = inputs.size();
      inputs.push_back(quantised(model, "W", form.type, {2, gates * 8, 16}, form.group));
      inputs.push_back(quantised(model, "R", form.type, {2, gates * 8, 8}, form.group));
      inputs.push_back(weights(model, "B", {2, gates * 8}, 3));
      const Source y = add(model, type, "y", inputs, {{"hidden_size", "8"}, {"direction", "bidirectional"}},
                           gates == 4 ? 3 : 2);
      check_inputs(model, y, w, w + 1,
                   std::string("Parameter x; Parameter h; ") + (gates == 4 ? "Parameter c; " : "") + type +
                       " y(x, h" + (gates == 4 ? ", c)" : ")"));
    }
  }
}

TEST(KeepQuantisedConstants, TablesOfRows) {
  struct Reader {
    const char* type;
    std::vector<Source> (*inputs)(Model&);
    model::AttributeTexts attributes;
  };
  const Reader readers[] = {
      {"Gather",
       [](Model& m) -> std::vector<Source> {
         return {integers(m, "i", {3, -1, 0, 90}), integers(m, "axis", {1})};
       },
       {}},
      {"GatherND",
       [](Model& m) -> std::vector<Source> {
         const int64_t tuples[] = {3, 7, 0, -2, 5, 15};
         return {Source{m.add_constant("i", Tensor::of<int64_t>({3, 2}, tuples)), 0}};
       },
       {}},
      {"GatherElements",
       [](Model& m) -> std::vector<Source> {
         std::vector<int64_t> indices(3 * 16);
         for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int64_t>(i % 6);
         return {Source{m.add_constant("i", Tensor::of<int64_t>({3, 16}, indices.data())), 0}};
       },
       {{"axis", "0"}}},
      {"EmbeddingBagOffsetsSum",
       [](Model& m) -> std::vector<Source> {
         return {integers(m, "i", {3, 1, 0, 5}), integers(m, "o", {0, 1})};
       },
       {}},
      {"EmbeddingBagPacked",
       [](Model& m) -> std::vector<Source> {
         const int64_t bags[] = {3, 5, 0, 2};
         return {Source{m.add_constant("i", Tensor::of<int64_t>({2, 2}, bags)), 0}};
       },
       {{"reduction", "mean"}}},
      {"EmbeddingSegmentsSum",
       [](Model& m) -> std::vector<Source> {
         const int64_t count = 3;
         return {integers(m, "i", {3, 1, 0, 5}), integers(m, "s", {0, 0, 2, 2}),
                 Source{m.add_constant("n", Tensor::of<int64_t>({}, &count)), 0}};
       },
       {}},
  };
  for (const Reader& reader : readers) {
    for (const Form& form : kForms) {
      SCOPED_TRACE(testing::Message() << reader.type << " " << cat(form.type));
      Model model;
      std::vector<Source> inputs = {quantised(model, "table", form.type, {6, 16}, form.group)};
      for (const Source& input : reader.inputs(model)) inputs.push_back(input);
      const Source y = add(model, reader.type, "y", inputs, reader.attributes);
      check_inputs(model, y, 0, 0, std::string(reader.type) + " y");
    }
  }
}

TEST(KeepQuantisedConstants, FiltersOfDeformableConvolution) {
  for (const Form& form :
       {Form{ElementType::kF16, 0}, Form{ElementType::kU8, 0}, Form{ElementType::kI4, 0}}) {
    SCOPED_TRACE(cat(form.type));
    Model model;
    const Source x = parameter(model, "x", {1, 6, 7, 8}),
                 offsets = parameter(model, "offsets", {1, 18, 5, 6});
    const Source filters = quantised(model, "filters", form.type, {9, 6, 3, 3});
    const Source y =
        add(model, "DeformableConvolution", "y", {x, offsets, filters},
            {{"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", "0,0"}, {"pads_end", "0,0"}});
    check_inputs(model, y, 2, 2, "Parameter x; Parameter offsets; DeformableConvolution y(x, offsets)");
  }
}

TEST(KeepQuantisedConstants, SeveralReadersShareOneConstant) {
  Model model;
  const Source x = parameter(model, "x", {2, 8}), h = parameter(model, "h", {2, 8});
  const Source w = quantised(model, "W", ElementType::kI8, {8, 8});
  const Source first =
      add(model, "RNNCell", "first", {x, h, w, w, weights(model, "B", {8})}, {{"hidden_size", "8"}});
  const Source second =
      add(model, "RNNCell", "second", {first, h, w, w, weights(model, "C", {8}, 2)}, {{"hidden_size", "8"}});
  check_inputs(model, second, 2, 3,
               "Parameter x; Parameter h; RNNCell first(x, h); RNNCell second(first, h)");
  EXPECT_EQ(first.node->inputs[2], second.node->inputs[3]);
}

TEST(KeepQuantisedConstants, LeavesFractionalZeroPointsOfCells) {
  Model model;
  const Source x = parameter(model, "x", {2, 8}), h = parameter(model, "h", {2, 8});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kU8, {8, 8}));
  const Source zero = {model.add_constant("zero", Tensor::of<float>({1}, {7.5f})), 0};
  const Source shifted = add(model, "Subtract", "shifted", {values, zero});
  result(model,
         add(model, "RNNCell", "y", {x, h, weights(model, "W", {8, 8}), shifted, weights(model, "B", {8})},
             {{"hidden_size", "8"}}));
  const std::string same =
      "Parameter x; Parameter h; Convert values; Subtract shifted(values); RNNCell y(x, h, shifted)";
  check_pass(keep_quantised_constants, model, same, same);
}

// An operation that no pass knows. Input 1 stays quantised because it says so.
class OwnOp final : public model::Op {
 public:
  void infer(model::InferContext& context) const override {
    context.set_output(0, context.input_type(1), context.input_shape(1));
  }
  void evaluate(model::EvalContext& context) const override {
    copy_elements(context.input(1), context.output(0));
  }
  model::InputRange quantised_inputs(const Node&) const override { return {1, 2}; }
};

TEST(KeepQuantisedConstants, NewOperationsTakePartByTheirOwnFile) {
  Model model;
  const Source x = parameter(model, "x", {4, 8});
  const Source first = quantised(model, "first", ElementType::kI8, {4, 8});
  const Source second = quantised(model, "second", ElementType::kI8, {4, 8});
  auto node = std::make_unique<Node>("y", "Own", 1, std::make_shared<OwnOp>());
  node->inputs = {add(model, "Add", "sum", {x, first}), second};
  node->outputs.resize(1);
  const Source y = {model.add(std::move(node)), 0};
  const Node& sum = *y.node->inputs[0].node;
  result(model, y);
  model.index();
  model.infer();
  EXPECT_TRUE(keep_quantised_constants(model, registry()));
  EXPECT_NE(ops::quantised_of(*y.node->inputs[1].node), nullptr);
  EXPECT_EQ(ops::quantised_of(*sum.inputs[1].node), nullptr) << "Add reads f32";
}

}  // namespace
}  // namespace wasmvino::passes
