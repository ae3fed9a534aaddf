// SPDX-License-Identifier: Apache-2.0
#include "passes/follow_batch.h"

#include <functional>

#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

using Build = std::function<Source(Model&, Source)>;

// What a model with the input x gives for its own shape and, after follow_batch(), for another one.
struct Results {
  Tensor before, after;
};

Results results_of(const Shape& shape, const Shape& other, const Build& build) {
  Model model;
  result(model, build(model, parameter(model, "x", shape)));
  model.index();
  model.infer();
  Results results = {.before = compute_for(model, {shape})[0], .after = {}};
  follow_batch(model);
  auto op = std::make_shared<model::ParameterOp>();
  op->type = ElementType::kF32;
  op->shape = other;
  model.parameters[0]->op = std::move(op);
  model.infer();
  results.after = compute_for(model, {other})[0];
  return results;
}

Source reshape(Model& model, const std::string& name, Source data, std::initializer_list<int64_t> sizes) {
  return add(model, "Reshape", name, {data, integers(model, name + "/sizes", sizes)},
             {{"special_zero", "false"}});
}

Shape shape_after(const Shape& shape, const Shape& other, const Build& build) {
  return results_of(shape, other, build).after.shape();
}

TEST(FollowBatch, OneAxisTakesAllElements) {
  EXPECT_EQ(shape_after({1, 4, 6}, {3, 4, 6}, [](Model& m, Source x) { return reshape(m, "r", x, {24}); }),
            (Shape{72}));
}

TEST(FollowBatch, RowsOfMatMulsTakeTheBatch) {
  for (const std::initializer_list<int64_t>& sizes : {std::initializer_list<int64_t>{1, 24}, {1, -1}}) {
    const Build left = [&](Model& m, Source x) {
      return add(m, "MatMul", "y", {reshape(m, "r", x, sizes), weights(m, "w", {24, 5})});
    };
    EXPECT_EQ(shape_after({1, 4, 6}, {3, 4, 6}, left), (Shape{3, 5}));
    const Build transposed = [&](Model& m, Source x) {
      return add(m, "MatMul", "y", {reshape(m, "r", x, sizes), weights(m, "w", {5, 24})},
                 {{"transpose_b", "true"}});
    };
    EXPECT_EQ(shape_after({1, 4, 6}, {3, 4, 6}, transposed), (Shape{3, 5}));
    const Build right = [&](Model& m, Source x) {
      return add(m, "MatMul", "y", {weights(m, "w", {5, 24}), reshape(m, "r", x, sizes)},
                 {{"transpose_b", "true"}});
    };
    EXPECT_EQ(shape_after({1, 4, 6}, {3, 4, 6}, right), (Shape{5, 3}));
  }
}

TEST(FollowBatch, AxesAreKeptAroundAMatMul) {
  for (const bool biased : {false, true}) {
    const Build build = [&](Model& m, Source x) {
      Source y = add(m, "MatMul", "y", {reshape(m, "rows", x, {-1, 6}), weights(m, "w", {6, 2})});
      if (biased) y = add(m, "Add", "z", {y, weights(m, "b", {1, 2})});
      return reshape(m, "r", y, {1, 4, 2});
    };
    EXPECT_EQ(shape_after({1, 4, 6}, {3, 4, 6}, build), (Shape{3, 4, 2}));
    EXPECT_THROW(shape_after({1, 4, 6}, {1, 8, 6}, build), Error);
  }
}

TEST(FollowBatch, TargetsThatBeginWithTheBatchFollowIt) {
  const Build build = [](Model& m, Source x) { return reshape(m, "r", x, {1, 2, 12}); };
  EXPECT_EQ(shape_after({1, 4, 6}, {3, 4, 6}, build), (Shape{3, 2, 12}));
  EXPECT_THROW(shape_after({1, 4, 6}, {1, 8, 6}, build), Error);
  // The first size of the result is no batch, and -1 has its meaning.
  const Build rows = [](Model& m, Source x) { return reshape(m, "r", x, {4, 6}); };
  EXPECT_THROW(shape_after({1, 4, 6}, {3, 4, 6}, rows), Error);
  const Build open = [](Model& m, Source x) { return reshape(m, "r", x, {1, -1}); };
  EXPECT_EQ(shape_after({1, 4, 6}, {3, 4, 6}, open), (Shape{1, 72}));
}

TEST(FollowBatch, ChangesNoResultOfTheOldShape) {
  const Build build = [](Model& m, Source x) {
    const Source flat = reshape(m, "flat", reshape(m, "r", x, {1, 6, 4}), {1, 24});
    return add(m, "MatMul", "y", {flat, weights(m, "w", {24, 5})});
  };
  const Results results = results_of({1, 4, 6}, {1, 4, 6}, build);
  ASSERT_EQ(results.after.shape(), results.before.shape());
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(results.after.data<float>()[i], results.before.data<float>()[i]);
}

}  // namespace
}  // namespace wasmvino::passes
