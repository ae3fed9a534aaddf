// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/float_types.h"
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::tree_ensemble_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Forest {
  std::vector<int32_t> roots, nodes;
  std::vector<float> thresholds;
  std::vector<int32_t> leaves, targets;
  std::vector<float> weights, base = {};
};

template <typename T>
Tensor list(const std::vector<T>& values, int64_t columns = 0) {
  const auto count = static_cast<int64_t>(values.size());
  return Tensor::of<T>(columns == 0 ? Shape{count} : Shape{count / columns, columns}, values.data());
}

std::vector<Tensor> inputs_of(const Tensor& data, const Forest& forest) {
  return {data,
          list(forest.roots),
          list(forest.nodes, 4),
          list(forest.thresholds),
          list(forest.leaves, 2),
          list(forest.targets),
          list(forest.weights),
          list(forest.base)};
}

Tensor run(const Tensor& data, const Forest& forest, const model::AttributeTexts& attributes) {
  return run_domain_op("ai.onnx.ml", "TreeEnsemble", attributes, inputs_of(data, forest));
}

// x0 <= 0.5 ? leaf 0 : (x1 <= -1 ? leaf 1 : leaf 2), and a tree that is leaf 1 alone.
Forest two_trees() {
  return {.roots = {0, ~1},
          .nodes = {0, 0, ~0, 1, 0, 1, ~1, ~2},
          .thresholds = {0.5f, -1},
          .leaves = {0, 1, 1, 3, 3, 4},
          .targets = {0, 0, 1, 1},
          .weights = {1, 2, 10, 20}};
}

TEST(TreeEnsemble, Aggregates) {
  const Tensor data = Tensor::of<float>({3, 2}, {0, 0, 1, -2, 1, 0});
  const Forest forest = two_trees();
  expect_tensor<float>(run(data, forest, {{"n_targets", "2"}}), {3, 2}, {3, 10, 4, 20, 2, 30});
  expect_tensor<float>(run(data, forest, {{"n_targets", "2"}, {"aggregate_function", "AVERAGE"}}), {3, 2},
                       {1.5f, 5, 2, 10, 1, 15});
  expect_tensor<float>(run(data, forest, {{"n_targets", "2"}, {"aggregate_function", "MIN"}}), {3, 2},
                       {1, 10, 2, 10, 2, 10});
  Forest based = forest;
  based.base = {100, 200};
  expect_tensor<float>(run(data, based, {{"n_targets", "2"}, {"aggregate_function", "MAX"}}), {3, 2},
                       {102, 210, 102, 210, 102, 220});
}

// One node per mode: 1 if the comparison of x with 2 holds.
TEST(TreeEnsemble, Modes) {
  const float expected[6][4] = {{1, 1, 0, 0}, {1, 0, 0, 0}, {0, 1, 1, 0},
                                {0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 1, 1}};
  const Tensor data = Tensor::of<float>({4, 1}, {1, 2, 3, kNan});
  for (int32_t mode = 0; mode < 6; ++mode) {
    for (const bool nan_is_true : {false, true}) {
      const Forest forest = {.roots = {0},
                             .nodes = {mode + (nan_is_true ? 8 : 0), 0, ~0, ~1},
                             .thresholds = {2},
                             .leaves = {0, 1, 1, 2},
                             .targets = {0, 0},
                             .weights = {1, 0}};
      std::vector<float> rows(expected[mode], expected[mode] + 4);
      if (nan_is_true) rows[3] = 1;
      expect_tensor<float>(run(data, forest, {}), {4, 1}, rows);
    }
  }
}

TEST(TreeEnsemble, ComputesInF64) {
  const double small = 1e-12;
  std::vector<Tensor> inputs = inputs_of(Tensor::of<double>({2, 1}, {1 + small, 1}), two_trees());
  inputs[1] = Tensor::of<int32_t>({1}, {0});
  inputs[2] = Tensor::of<int32_t>({1, 4}, {3, 0, ~0, ~1});
  inputs[3] = Tensor::of<double>({1}, {1});
  inputs[4] = Tensor::of<int32_t>({2, 2}, {0, 2, 2, 2});
  inputs[5] = Tensor::of<int32_t>({2}, {0, 0});
  inputs[6] = Tensor::of<double>({2}, {1, small});
  expect_tensor<double>(run_domain_op("ai.onnx.ml", "TreeEnsemble", {{"output_type", "f64"}}, inputs), {2, 1},
                        {1 + small, 0});
}

TEST(TreeEnsemble, DataOfOtherTypesAndManyRows) {
  Tensor data(ElementType::kI64, {700, 2});
  for (size_t i = 0; i < 700; ++i) {
    data.mutable_data<int64_t>()[2 * i] = static_cast<int64_t>(i % 2);
    data.mutable_data<int64_t>()[2 * i + 1] = static_cast<int64_t>(i % 3) - 2;
  }
  const Tensor result = run(data, two_trees(), {{"n_targets", "2"}});
  for (size_t i = 0; i < 700; ++i) {
    const bool first = i % 2 == 0, second = !first && i % 3 <= 1;
    ASSERT_EQ(result.data<float>()[2 * i], first ? 3 : second ? 4 : 2) << i;
  }
  expect_tensor<float>(
      run(Tensor::of<Float16>({1, 2}, {Float16(1.0f), Float16(-2.0f)}), two_trees(), {{"n_targets", "2"}}),
      {1, 2}, {4, 20});
  expect_tensor<float>(run(Tensor(ElementType::kF32, {0, 2}), two_trees(), {{"n_targets", "2"}}), {0, 2}, {});
}

TEST(TreeEnsemble, Refuses) {
  const Tensor data = Tensor::of<float>({1, 2}, {1, 1});
  const auto refuses = [&](const std::string& text, auto change, const model::AttributeTexts& attributes) {
    Forest forest = two_trees();
    change(forest);
    expect_error(ErrorCode::kInvalidValue, text, [&] { run(data, forest, attributes); });
  };
  const model::AttributeTexts two = {{"n_targets", "2"}};
  refuses("form a circle", [](Forest& f) { f.nodes[7] = 0; }, two);
  refuses("node 9 does not exist, there are 2", [](Forest& f) { f.nodes[3] = 9; }, two);
  refuses("leaf 3 does not exist, there are 3", [](Forest& f) { f.nodes[7] = ~3; }, two);
  refuses("feature 2 does not exist, there are 2", [](Forest& f) { f.nodes[1] = 2; }, two);
  refuses("entry 4 does not exist, there are 4", [](Forest& f) { f.leaves[5] = 5; }, two);
  refuses("target 1 does not exist, there are 1", [](Forest&) {}, {});
  refuses("a node has mode 6, expected 0 to 5", [](Forest& f) { f.nodes[0] = 6; }, two);
  expect_error(ErrorCode::kInvalidModel, "'n_targets' is 0",
               [&] { run(data, two_trees(), {{"n_targets", "0"}}); });
  expect_error(ErrorCode::kInvalidModel, "'output_type' is f16",
               [&] { run(data, two_trees(), {{"output_type", "f16"}}); });
  expect_error(ErrorCode::kInvalidShape, "axis 0 of base [1] is 1, attribute 'n_targets' is 2", [&] {
    Forest forest = two_trees();
    forest.base = {1};
    run(data, forest, two);
  });
}

}  // namespace
}  // namespace wasmvino::test::tree_ensemble_test
