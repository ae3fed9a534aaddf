// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/passes/quantised_weights.h"

namespace wasmvino::passes {
namespace {

// Weights [n][k] with a scale for each `group` of a row.
struct Weights {
  ElementType type;
  int64_t n, k, group;
  bool zero_points;
};

Source add_weights(Model& model, const Weights& w) {
  const int64_t groups = w.k / w.group;
  Source value = in_f32(model, "values", stored(model, "stored", w.type, {w.n, groups, w.group}));
  if (w.zero_points) {
    const Source zeros = in_f32(model, "zeros", stored(model, "stored_zeros", w.type, {w.n, groups, 1}, 2));
    value = add(model, "Subtract", "shifted", {value, zeros});
  }
  value = add(model, "Multiply", "scaled", {value, weights(model, "scale", {w.n, groups, 1}, 3)});
  return add(model, "Reshape", "matrix", {value, integers(model, "shape", {w.n, w.k})});
}

// y = x weights, as far as constants are concerned by passes.
void make_product(Model& model, const Weights& w, Source x) {
  result(model, add(model, "MatMul", "y", {x, add_weights(model, w)}, {{"transpose_b", "true"}}));
  model.index();
  model.infer();
  keep_quantised_constants(model, registry());
  model.index();
}

// y = x weights with x quantised, in f32 for the sums of integers: within their rounding.
void check_quantised(const Weights& w, PartialShape shape, int64_t group) {
  Model model;
  make_product(model, w, parameter(model, "x", std::move(shape)));
  const std::vector<Tensor> plain = compute(model);
  ASSERT_TRUE(quantise_rows(model, static_cast<size_t>(group)));
  model.index();
  EXPECT_EQ(outline(model), "Parameter x; DynamicMatMul y(x)");
  EXPECT_FALSE(quantise_rows(model, static_cast<size_t>(group)));
  const std::vector<Tensor> results = compute(model);
  ASSERT_EQ(to_string(results[0].shape()), to_string(plain[0].shape()));
  double error = 0, magnitude = 0;
  for (size_t i = 0; i < plain[0].size(); ++i) {
    const float value = plain[0].data<float>()[i];
    error = std::max<double>(error, std::abs(results[0].data<float>()[i] - value));
    magnitude = std::max<double>(magnitude, std::abs(value));
  }
  // Each element of x moves by at most half a step of 1 / 127, in either direction.
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 0.02 * magnitude);
}

TEST(QuantiseRows, GroupsAndChannels) {
  for (const auto& [type, zero_points] : {std::pair{ElementType::kU4, true},
                                          {ElementType::kU4, false},
                                          {ElementType::kI4, false},
                                          {ElementType::kU8, true},
                                          {ElementType::kI8, false}}) {
    for (const int64_t group : {32, 64, 192}) {
      SCOPED_TRACE(testing::Message() << name(type) << " " << group);
      check_quantised({type, 13, 192, group, zero_points}, {3, 192}, 32);
      check_quantised({type, 13, 192, group, zero_points}, {2, Dimension(), 192}, 16);
      check_quantised({type, 13, 192, group, zero_points}, {192}, 32);
    }
  }
  check_quantised({ElementType::kI8, 13, 40, 40, false}, {3, 40}, 32);
}

TEST(QuantiseRows, LeavesWhatOpenVinoLeaves) {
  const auto stays = [](const Weights& w, size_t group) {
    SCOPED_TRACE(testing::Message() << name(w.type) << " " << w.k << " in groups of " << w.group);
    Model model;
    make_product(model, w, parameter(model, "x", {3, w.k}));
    EXPECT_FALSE(quantise_rows(model, group));
    EXPECT_EQ(outline(model), "Parameter x; MatMul y(x)");
  };
  stays({ElementType::kU4, 8, 64, 32, true}, 0);
  stays({ElementType::kU4, 8, 64, 32, true}, 24);
  stays({ElementType::kU4, 8, 64, 32, true}, 64);
  stays({ElementType::kU4, 8, 64, 16, true}, 32);
  stays({ElementType::kU4, 8, 96, 48, true}, 32);
  stays({ElementType::kI8, 8, 16, 16, false}, 32);
  stays({ElementType::kI8, 8, 64, 64, true}, 32);
  stays({ElementType::kI4, 8, 64, 32, true}, 32);
  stays({ElementType::kNf4, 8, 64, 32, false}, 32);
  stays({ElementType::kF16, 8, 64, 32, false}, 32);
  stays({ElementType::kI8, 8, 36, 36, false}, 32);
}

TEST(QuantiseRows, ProductsKeepWhatWasFused) {
  Model model;
  const Source x = parameter(model, "x", {3, 64});
  const Source matrix = add_weights(model, {ElementType::kI8, 13, 64, 32, false});
  const Source product = add(model, "MatMul", "product", {x, matrix}, {{"transpose_b", "true"}});
  const Source sum = add(model, "Add", "sum", {product, weights(model, "bias", {13}, 2)});
  const Source total =
      add(model, "Add", "total", {sum, add(model, "Exp", "z", {parameter(model, "p", {3, 13})})});
  result(model, add(model, "Tanh", "y", {total}));
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model);
  run_passes(model, registry(), {.row_group = 32});
  EXPECT_EQ(outline(model), "Parameter x; Parameter p; Exp z(p); DynamicMatMul product(x, z)");
  expect_same(compute(model), expected, 1.0f);
}

}  // namespace
}  // namespace wasmvino::passes
