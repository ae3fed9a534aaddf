// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

Source transpose(Model& model, const std::string& name, Source x, std::initializer_list<int64_t> order) {
  return add(model, "Transpose", name, {x, integers(model, "order", order)});
}

TEST(Simplify, WhatChangesNothing) {
  Model model;
  const Source x = parameter(model, "x", {2, 3, 4});
  const Source turned = transpose(model, "turned", add(model, "Exp", "exp", {x}), {0, 1, 2});
  const Source shaped = add(model, "Reshape", "shaped", {turned, integers(model, "shape", {2, 3, 4})});
  const Source converted = add(model, "Convert", "converted", {shaped}, {{"destination_type", "f32"}});
  result(model, add(model, "Abs", "abs", {converted}));
  check_pass(
      simplify, model,
      "Parameter x; Exp exp(x); Transpose turned(exp); Reshape shaped(turned); Convert converted(shaped); "
      "Abs abs(converted)",
      "Parameter x; Exp exp(x); Abs abs(exp)");
}

TEST(Simplify, SlicesOfEverything) {
  Model model;
  const Source x = parameter(model, "x", {2, 48, 1});
  const auto slice = [&](const std::string& name, Source data, int64_t stop, int64_t step) {
    return add(model, "Slice", name,
               {data, integers(model, "start", {step > 0 ? 0 : -1}), integers(model, "stop", {stop}),
                integers(model, "step", {step}), integers(model, "axes", {1})});
  };
  const Source zeros = integers(model, "zeros", {0, 0, 0});
  const Source all =
      add(model, "StridedSlice", "strided", {x, zeros, zeros, integers(model, "strides", {1, 1, 1})},
          {{"begin_mask", "1,1,1"}, {"end_mask", "1,1,1"}});
  result(model, add(model, "Abs", "whole too", {all}));
  result(model, add(model, "Abs", "whole", {slice("slice", x, 48, 1)}));
  result(model, add(model, "Abs", "reversed", {slice("backwards", x, -99, -1)}));
  result(model, add(model, "Abs", "part", {slice("less", x, 47, 1)}));
  check_pass(
      simplify, model,
      "Parameter x; StridedSlice strided(x); Abs whole too(strided); Slice slice(x); Abs whole(slice); "
      "Slice backwards(x); Abs reversed(backwards); Slice less(x); Abs part(less)",
      "Parameter x; Abs whole too(x); Abs whole(x); Slice backwards(x); Abs reversed(backwards); "
      "Slice less(x); Abs part(less)");
}

TEST(Simplify, SlicesWhoseIndexMayBeWrong) {
  Model model;
  const Source begin = add(model, "ShapeOf", "begin", {parameter(model, "z", {Dimension(), 0})});
  const Source removed = add(
      model, "StridedSlice", "removed", {parameter(model, "y", {1, 3}), begin, begin},
      {{"begin_mask", "0,0"}, {"end_mask", "0,0"}, {"new_axis_mask", "1,0"}, {"shrink_axis_mask", "0,1"}});
  result(model, add(model, "Abs", "row", {removed}));
  const std::string graph =
      "Parameter z; Parameter y; ShapeOf begin(z); StridedSlice removed(y, begin, begin); Abs row(removed)";
  check_pass(simplify, model, graph, graph);
}

TEST(Simplify, TransposesOfTransposes) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension(), 4});
  const Source first = transpose(model, "first", x, {1, 2, 0});
  result(model, transpose(model, "second", first, {0, 2, 1}));
  result(model, add(model, "Abs", "abs", {transpose(model, "back", first, {2, 0, 1})}));
  check_pass(simplify, model,
             "Parameter x; Transpose first(x); Transpose second(first); Transpose back(first); Abs abs(back)",
             "Parameter x; Transpose second(x); Abs abs(x)");
}

TEST(Simplify, AdaptiveAvgPoolOfOneWindow) {
  Model model;
  const Source x = parameter(model, "x", {Dimension(), 3, 4, 5});
  const Source sizes = integers(model, "sizes", {1, 1});
  const Source one = add(model, "AdaptiveAvgPool", "one", {x, sizes});
  const Source two = add(model, "AdaptiveAvgPool", "two", {x, integers(model, "two_sizes", {1, 2})});
  // An axis that may be empty is an error that only AdaptiveAvgPool reports.
  const Source open = parameter(model, "open", {1, 3, 4, Dimension()});
  result(model, one);
  result(model, two);
  result(model, add(model, "AdaptiveAvgPool", "three", {open, sizes}));
  check_pass(
      simplify, model,
      "Parameter x; Parameter open; AdaptiveAvgPool one(x); AdaptiveAvgPool two(x); AdaptiveAvgPool "
      "three(open)",
      "Parameter x; Parameter open; ReduceMean one(x); AdaptiveAvgPool two(x); AdaptiveAvgPool three(open)");
}

TEST(Simplify, WhatMayChangeSomethingStays) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension(), 4});
  const Source shaped = add(model, "Reshape", "shaped", {x, integers(model, "shape", {2, -1, 4})});
  const Source last = add(model, "Transpose", "reversed", {shaped, integers(model, "none", {})});
  result(model, add(model, "Transpose", "again", {last, integers(model, "none", {})}));
  const std::string graph =
      "Parameter x; Reshape shaped(x); Transpose reversed(shaped); Transpose again(reversed)";
  check_pass(simplify, model, graph, graph);
}

}  // namespace
}  // namespace wasmvino::passes
