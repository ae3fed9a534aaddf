// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

TEST(FuseResidual, SumsBecomePartOfTheLaterConvolution) {
  Model model;
  const Source x = parameter(model, "x", {2, 4, 6, 5});
  const auto convolution = [&](const std::string& name, Source data) {
    return add(model, "Convolution", name, {data, weights(model, name + "/filters", {4, 4, 3, 3})},
               {{"pads_begin", "1,1"}, {"pads_end", "1,1"}});
  };
  const Source first = add(model, "Relu", "first_relu", {convolution("first", x)});
  const Source sum = add(model, "Add", "sum", {convolution("left", first), convolution("right", first)});
  const Source relu = add(model, "Relu", "relu", {sum});
  const Source again = add(model, "Add", "again", {relu, convolution("last", relu)});
  result(model, add(model, "ReduceMean", "head", {again, integers(model, "axes", {2, 3})}));
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model);
  run_passes(model, registry());
  EXPECT_EQ(outline(model),
            "Parameter x; FusedConvolution first(x); FusedConvolution left(first); FusedConvolution "
            "right(first, left); "
            "FusedConvolution last(right, right); ReduceMean head(last)");
  expect_same(compute(model), expected);
}

// Sizes that are open when the sum is fused may be broadcast in the end, either way or both.
TEST(FuseResidual, OpenSizes) {
  Model model;
  const Source x = parameter(model, "x", {Dimension(), 4, Dimension(), 5}),
               y = parameter(model, "y", {Dimension(), 4, Dimension(), 5});
  const auto convolution = [&](const std::string& name, Source data) {
    return add(model, "Convolution", name, {data, weights(model, name + "/filters", {4, 4, 1, 1})});
  };
  const Source sum = add(model, "Add", "sum", {convolution("left", x), convolution("right", y)});
  result(model, convolution("last", add(model, "Sigmoid", "sigmoid", {sum})));
  const auto all = [](Model& all, const model::Registry& registry) {
    run_passes(all, registry);
    return true;
  };
  check_open_sizes(all, model,
                   "Parameter x; Parameter y; FusedConvolution left(x); FusedConvolution right(y, left); "
                   "FusedConvolution last(right)",
                   {{{2, 4, 3, 5}, {2, 4, 3, 5}},
                    {{1, 4, 3, 5}, {2, 4, 3, 5}},
                    {{2, 4, 3, 5}, {1, 4, 1, 5}},
                    {{2, 4, 1, 5}, {1, 4, 3, 5}}});
}

}  // namespace
}  // namespace wasmvino::passes
