// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

// How a graph says which half of the last axis it takes, and how it negates it.
enum class Halves { kSlice, kSliceFromEnd, kSplit, kVariadicSplit };

Source slice(Model& model, const std::string& name, Source x, int64_t start, int64_t stop, int64_t axis) {
  return add(model, "Slice", name,
             {x, integers(model, "start", {start}), integers(model, "stop", {stop}),
              integers(model, "step", {1}), integers(model, "axis", {axis})});
}

std::pair<Source, Source> halves(Model& model, Source x, Halves how) {
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  switch (how) {
    case Halves::kSlice:
      return {slice(model, "first", x, 0, 4, 3), slice(model, "second", x, 4, kEnd, 3)};
    case Halves::kSliceFromEnd:
      return {slice(model, "first", x, -8, -4, -1), slice(model, "second", x, -4, kEnd, -1)};
    case Halves::kSplit: {
      const Source parts =
          add(model, "Split", "parts", {x, integers(model, "axis", {-1})}, {{"num_splits", "2"}}, 2);
      return {parts, {parts.node, 1}};
    }
    case Halves::kVariadicSplit: {
      const Source parts = add(model, "VariadicSplit", "parts",
                               {x, integers(model, "axis", {3}), integers(model, "lengths", {4, -1})}, {}, 2);
      return {parts, {parts.node, 1}};
    }
  }
  return {};
}

Source negated(Model& model, Source x, bool multiplied) {
  if (!multiplied) return add(model, "Negative", "negated", {x});
  const float number = -1;
  return add(model, "Multiply", "negated",
             {x, {model.add_constant("minus_one", Tensor::of<float>({1, 1, 1, 1}, &number)), 0}});
}

Source rotated(Model& model, Source x, Halves how, bool multiplied, int64_t axis = -1) {
  const auto [first, second] = halves(model, x, how);
  return add(model, "Concat", "turned", {negated(model, second, multiplied), first},
             {{"axis", std::to_string(axis)}});
}

Source rotary(Model& model, Source x, Source turned, Source cos, Source sin, bool swapped = false) {
  const Source straight =
      swapped ? add(model, "Multiply", "straight", {cos, x}) : add(model, "Multiply", "straight", {x, cos});
  const Source across = swapped ? add(model, "Multiply", "across", {sin, turned})
                                : add(model, "Multiply", "across", {turned, sin});
  return swapped ? add(model, "Add", "y", {across, straight}) : add(model, "Add", "y", {straight, across});
}

std::vector<std::string> types(const Model& model) {
  std::vector<std::string> list;
  for (const auto& node : model.nodes) {
    if (node->kind == NodeKind::kOperation) list.push_back(node->type);
  }
  return list;
}

const std::vector<std::string> kFused = {"RotaryEmbedding"};

// Runs the pass, and returns the types of the operations that are left. Results must stay the same.
std::vector<std::string> fused(Model& model, const std::vector<Shape>& shapes) {
  model.index();
  model.infer();
  const std::vector<Tensor> before = compute_for(model, shapes);
  if (fuse_rotary(model, registry())) model.index();
  model.infer();
  expect_same(compute_for(model, shapes), before, 0);
  return types(model);
}

TEST(FuseRotary, InEveryForm) {
  for (const Halves how : {Halves::kSlice, Halves::kSliceFromEnd, Halves::kSplit, Halves::kVariadicSplit}) {
    for (const bool multiplied : {false, true}) {
      for (const bool swapped : {false, true}) {
        Model model;
        const Source x = parameter(model, "x", {Dimension(), 3, Dimension(), 8});
        const Source cos = parameter(model, "cos", {Dimension(), 1, Dimension(), 8});
        const Source sin = parameter(model, "sin", {Dimension(), 1, Dimension(), Dimension()});
        result(model, rotary(model, x, rotated(model, x, how, multiplied), cos, sin, swapped));
        EXPECT_EQ(fused(model, {{2, 3, 5, 8}, {2, 1, 5, 8}, {2, 1, 5, 8}}), kFused);
      }
    }
  }
}

TEST(FuseRotary, BroadcastsEachInput) {
  struct Case {
    Shape x, cos, sin;
  };
  for (const Case& c : {Case{{2, 3, 5, 8}, {5, 8}, {5, 8}}, Case{{2, 3, 5, 8}, {8}, {1, 3, 1, 8}},
                        Case{{1, 3, 1, 8}, {4, 1, 5, 8}, {1, 1, 5, 8}}, Case{{2, 3, 5, 8}, {1}, {3, 5, 1}},
                        Case{{0, 3, 5, 8}, {5, 8}, {5, 8}}, Case{{1, 1, 1, 8}, {2, 1, 2, 2, 8}, {8}}}) {
    Model model;
    const Source x = parameter(model, "x", c.x);
    const Source cos = parameter(model, "cos", c.cos), sin = parameter(model, "sin", c.sin);
    result(model, rotary(model, x, rotated(model, x, Halves::kSlice, false), cos, sin));
    EXPECT_EQ(fused(model, {c.x, c.cos, c.sin}), kFused);
  }
}

TEST(FuseRotary, OtherSumsStay) {
  const Shape shape = {2, 3, 8, 8}, row = {8};
  const auto stays = [&](const auto& build) {
    Model model;
    const Source x = parameter(model, "x", shape), cos = parameter(model, "cos", row),
                 sin = parameter(model, "sin", row);
    result(model, build(model, x, cos, sin));
    const std::vector<std::string> left = fused(model, {shape, row, row});
    EXPECT_EQ(left.back(), "Add");
  };
  // The halves in the other order.
  stays([](Model& model, Source x, Source cos, Source sin) {
    const auto [first, second] = halves(model, x, Halves::kSlice);
    const Source turned =
        add(model, "Concat", "turned", {negated(model, first, true), second}, {{"axis", "-1"}});
    return rotary(model, x, turned, cos, sin);
  });
  // Halves of another value.
  stays([](Model& model, Source x, Source cos, Source sin) {
    const Source other = add(model, "Exp", "other", {x});
    return rotary(model, x, rotated(model, other, Halves::kSlice, true), cos, sin);
  });
  // Halves of another axis, and parts that are no halves.
  for (const auto [begin, axis] : {std::pair<int64_t, int64_t>{4, 2}, {2, 3}}) {
    stays([&](Model& model, Source x, Source cos, Source sin) {
      const Source part = slice(model, "second", x, begin, begin + 4, axis);
      const Source turned =
          add(model, "Concat", "turned", {negated(model, part, true), slice(model, "first", x, 0, 4, axis)},
              {{"axis", std::to_string(axis)}});
      return rotary(model, x, turned, cos, sin);
    });
  }
  // A product that has another user.
  stays([](Model& model, Source x, Source cos, Source sin) {
    const Source y = rotary(model, x, rotated(model, x, Halves::kSlice, true), cos, sin);
    return add(model, "Add", "sum", {y, y.node->inputs[0]});
  });
}

}  // namespace
}  // namespace wasmvino::passes
