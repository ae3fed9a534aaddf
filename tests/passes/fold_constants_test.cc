// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

TEST(FoldConstants, TurnsWhatIsConstantIntoItsValue) {
  Model model;
  const Source x = parameter(model, "x");
  const Source stored = {model.add_constant("stored", Tensor::of<int32_t>({2}, {3, -4})), 0};
  const Source weights = add(model, "Convert", "weights", {stored}, {{"destination_type", "f32"}});
  const Source doubled = add(model, "Add", "doubled", {weights, weights});
  result(model, add(model, "Add", "y", {x, doubled}));
  model.index();
  EXPECT_EQ(describe(model),
            "Parameter x; Constant stored; Convert weights(stored); Add doubled(weights, weights); Add y(x, "
            "doubled); "
            "Result result(y)");
  run_passes(model, registry());
  EXPECT_EQ(describe(model), "Parameter x; Constant doubled; Add y(x, doubled); Result result(y)");
  const Tensor& value = doubled.node->constant->value();
  EXPECT_EQ(value.data<float>()[0], 6.0f);
  EXPECT_EQ(value.data<float>()[1], -8.0f);
}

// Large values are computed when they are asked for, and again when nobody holds them.
TEST(FoldConstants, DoesNotKeepLargeValues) {
  Model model;
  const Source x = parameter(model, "x", {300, 200});
  Tensor bytes(ElementType::kI8, {300, 200});
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes.mutable_data<int8_t>()[i] = static_cast<int8_t>(i % 256 - 128);
  const Source stored = {model.add_constant("stored", bytes), 0};
  const Source expanded = add(model, "Convert", "expanded", {stored}, {{"destination_type", "f32"}});
  const Source scaled = add(model, "Multiply", "scaled", {expanded, weights(model, "scale", {300, 1})});
  result(model, add(model, "Add", "y", {x, scaled}));
  check_pass(fold_constants, model,
             "Parameter x; Convert expanded; Multiply scaled(expanded); Add y(x, scaled)",
             "Parameter x; Add y(x)");
  const model::ConstantData& constant = *scaled.node->constant;
  std::weak_ptr<const void> memory;
  std::vector<float> first;
  {
    const Tensor value = constant.value();
    memory = value.owner();
    first.assign(value.data<float>(), value.data<float>() + value.size());
  }
  EXPECT_TRUE(memory.expired());
  const Tensor value = constant.value();
  for (size_t i = 0; i < value.size(); ++i) ASSERT_EQ(value.data<float>()[i], first[i]);
}

TEST(FoldConstants, LeavesWhatDependsOnInputsOrOnChance) {
  Model model;
  const Source x = parameter(model, "x");
  result(model, add(model, "Add", "y", {x, x}));
  model.index();
  EXPECT_FALSE(fold_constants(model, registry()));
  EXPECT_EQ(describe(model), "Parameter x; Add y(x, x); Result result(y)");
}

}  // namespace
}  // namespace wasmvino::passes
