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
