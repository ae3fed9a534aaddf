// SPDX-License-Identifier: Apache-2.0
// Passes that do not run because PassOptions::skipped names them.
#include <algorithm>
#include <cstring>
#include <set>

#include "core/error.h"
#include "passes/changes.h"
#include "runtime/compiled_model.h"
#include "tests/passes/quantised_weights.h"

namespace wasmvino::passes {
namespace {

Source levels(Model& model, const std::string& name, Source x) {
  const float low = -1, high = 0.9921875f;
  const Source bounds[] = {{model.add_constant(name + "/low", Tensor::of<float>({}, &low)), 0},
                           {model.add_constant(name + "/high", Tensor::of<float>({}, &high)), 0}};
  return add(model, "FakeQuantize", name, {x, bounds[0], bounds[1], bounds[0], bounds[1]},
             {{"levels", "256"}});
}

Source product(Model& model, const std::string& name, Source x) {
  const Source w = in_f32(model, name + "/f32", stored(model, name + "/w", ElementType::kI8, {12, 12}));
  const float scale = 1.0f / 256;
  const Source factor = {model.add_constant(name + "/scale", Tensor::of<float>({}, &scale)), 0};
  return add(model, "MatMul", name, {x, add(model, "Multiply", name + "/scaled", {w, factor})},
             {{"transpose_b", "true"}});
}

// Two matmuls of quantised data, and a softmax.
void make(Model& model) {
  Source x = levels(model, "x/levels", parameter(model, "x", {3, 5, 12}));
  x = levels(model, "y/levels", product(model, "first", x));
  result(model, add(model, "Softmax", "softmax", {product(model, "second", x)}, {{"axis", "2"}}));
  model.index();
  model.infer();
}

std::vector<std::string_view> changed(const std::vector<Change>& changes) {
  std::vector<std::string_view> names;
  for (const Change& change : changes) names.push_back(change.pass);
  return names;
}

bool has(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(Passes, StoreLevelsAsASeparateStepDoes) {
  Model fused, separate;
  make(fused);
  make(separate);
  EXPECT_TRUE(has(changed(run_passes_and_tell(fused, registry(), {})), "store_levels"));
  const auto names = changed(run_passes_and_tell(separate, registry(), {.skipped = "store_levels"}));
  EXPECT_TRUE(has(names, "compute_in_integers"));
  EXPECT_FALSE(has(names, "store_levels"));
  EXPECT_EQ(outline(fused),
            "Parameter x; Quantize x/levels(x); IntegerMatMul first(x/levels); IntegerMatMul second(first); "
            "Softmax softmax(second)");
  EXPECT_EQ(outline(separate),
            "Parameter x; Quantize x/levels(x); IntegerMatMul first(x/levels); Quantize y/levels(first); "
            "IntegerMatMul second(y/levels); Softmax softmax(second)");
  // All scales are powers of two, so both forms round the same exact values.
  const std::vector<Tensor> a = compute(fused), b = compute(separate);
  ASSERT_EQ(a[0].byte_size(), b[0].byte_size());
  EXPECT_EQ(std::memcmp(a[0].data<char>(), b[0].data<char>(), a[0].byte_size()), 0);
}

TEST(Passes, CanBeSkippedSeveralAtOnce) {
  Model model;
  make(model);
  run_passes(model, registry(), {.skipped = "compute_in_integers, keep_quantised_constants,"});
  EXPECT_EQ(outline(model),
            "Parameter x; FakeQuantize x/levels(x); MatMul first(x/levels); FakeQuantize y/levels(first); "
            "MatMul second(y/levels); Softmax softmax(second)");
}

TEST(Passes, RefuseUnknownNames) {
  for (const char* skipped : {"store_level", "store_levels,store_level", " store_level "}) {
    Model model;
    make(model);
    try {
      run_passes(model, registry(), {.skipped = skipped});
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_EQ(error.actual(), "store_level");
      for (const std::string_view name : pass_names())
        EXPECT_NE(error.reason().find(name), std::string::npos) << name;
    }
  }
}

TEST(Passes, RefuseUnknownNamesEvenIfNoneRuns) {
  Model model;
  make(model);
  const auto compile = [&](std::string skipped) {
    runtime::CompiledModel::compile(model, registry(),
                                    {.passes = false, .skipped_passes = std::move(skipped)});
  };
  compile("store_levels");
  try {
    compile("store_level");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(error.actual(), "store_level");
  }
}

TEST(Passes, HaveOneNameEach) {
  const std::vector<std::string_view> names = pass_names();
  EXPECT_GE(names.size(), 24u);
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
  for (const char* name : {"sink_constants", "lay_out_caches", "quantise_rows", "fuse_elementwise_chain"})
    EXPECT_TRUE(has(names, name)) << name;
}

}  // namespace
}  // namespace wasmvino::passes
