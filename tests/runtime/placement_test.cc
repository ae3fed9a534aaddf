// SPDX-License-Identifier: Apache-2.0
#include "runtime/placement.h"

#include "tests/runtime/plan_tester.h"

namespace wasmvino::test {
namespace {

TEST(Placement, ComputesAChainInTheResultsMemory) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {kBlock});
  const Source a = graph.sum("a", x, x), b = graph.sum("b", a, x);
  graph.result("y", graph.sum("c", b, x));
  PlanTester tester(graph);
  tester.place_values();
  const runtime::Plan::Output& result = tester.plan.results[0];
  EXPECT_TRUE(result.known_shape);
  EXPECT_FALSE(result.copied);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(tester.offset_in(result.uses, name), 0u) << name;
  EXPECT_EQ(tester.plan.memory.bytes, 0u);
}

TEST(Placement, UsesMemoryOfTheArenaAgain) {
  GraphBuilder graph;
  Source at = graph.parameter("x", {kBlock});
  for (const char* name : {"a", "b", "c", "y"}) at = copied(graph, name, at);
  graph.result("y", at);
  PlanTester tester(graph);
  tester.place_values();
  const auto offset = [&](const char* name) { return tester.offset_in(tester.plan.arena_uses, name); };
  ASSERT_TRUE(offset("a") && offset("b") && offset("c"));
  EXPECT_EQ(offset("a"), offset("c")) << "a has ended when c begins";
  EXPECT_NE(offset("a"), offset("b")) << "b is computed from a";
  EXPECT_EQ(tester.plan.memory.bytes, 2 * kBlock * sizeof(int32_t));
}

TEST(Placement, KeepsAnInputThatIsReadLater) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {kBlock});
  const Source a = copied(graph, "a", x);
  const Source b = graph.sum("b", a, x);
  graph.result("y", graph.sum("y", b, a));
  PlanTester tester(graph);
  tester.place_values();
  EXPECT_TRUE(tester.offset_in(tester.plan.arena_uses, "a"));
  EXPECT_FALSE(tester.offset_in(tester.plan.arena_uses, "b")) << "it stands where y does";
  EXPECT_EQ(tester.offset_in(tester.plan.results[0].uses, "b"), 0u);
}

TEST(Placement, DoesNotOverwriteAnInputThatIsReadTwice) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {kBlock});
  const Source a = copied(graph, "a", x);
  graph.result("y", graph.sum("y", a, a));
  PlanTester tester(graph);
  tester.place_values();
  EXPECT_TRUE(tester.offset_in(tester.plan.arena_uses, "a"));
}

TEST(Placement, OverwritesParametersOnlyWhereTheCallerAllows) {
  for (const bool overwrites : {false, true}) {
    GraphBuilder graph;
    const Source x = graph.parameter("x", {kBlock}), y = graph.parameter("y", {kBlock});
    graph.result("sum", graph.sum("sum", x, y));
    PlanTester tester(graph);
    tester.place_values(overwrites);
    EXPECT_EQ(tester.offset_in(tester.plan.parameter_uses[0], "sum").has_value(), overwrites);
    EXPECT_EQ(tester.plan.results[0].known_shape, !overwrites);
  }
}

TEST(Placement, PutsPartsIntoTheWhole) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2});
  const Source a = copied(graph, "a", x), b = copied(graph, "b", x);
  graph.result("y", graph.op("joined", std::make_shared<JoinOp>(), {a, b, x}));
  PlanTester tester(graph);
  tester.place_values();
  const auto& uses = tester.plan.results[0].uses;
  EXPECT_EQ(tester.offset_in(uses, "a"), 0u);
  EXPECT_EQ(tester.offset_in(uses, "b"), 8u);
  EXPECT_EQ(tester.offset_in(tester.plan.parameter_uses[0], "x"), 0u) << "an input is copied";
}

TEST(Placement, ShowsViewsInTheMemoryBehindThem) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2, 3});
  const Source flat = graph.op("flat", std::make_shared<FlattenOp>(), {x});
  graph.result("y", graph.sum("y", flat, flat));
  graph.result("flat", flat);
  PlanTester tester(graph);
  tester.place_values();
  EXPECT_EQ(tester.offset_in(tester.plan.parameter_uses[0], "flat"), 0u);
  EXPECT_TRUE(tester.plan.results[1].copied) << "a result does not show an input that the caller may change";
}

TEST(Placement, CopiesTheSecondResultOfOneValue) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  const Source sum = graph.sum("sum", x, x);
  graph.result("first", sum);
  graph.result("second", sum);
  PlanTester tester(graph);
  tester.place_values();
  EXPECT_FALSE(tester.plan.results[0].copied);
  EXPECT_TRUE(tester.plan.results[1].copied);
}

// Reads input 1 at planning alone.
class ConsumingOp final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  std::unique_ptr<model::Kernel> compile(CompileContext& context) const override {
    context.consume(1);
    return nullptr;
  }
  void evaluate(EvalContext& context) const override { copy_elements(context.input(0), context.output(0)); }
};

TEST(Placement, HoldsTheConstantsThatARunReads) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  const Source read = graph.constant("read", row({1})), packed = graph.constant("packed", row({2}));
  graph.result("y", graph.op("y", std::make_shared<ConsumingOp>(), {graph.sum("sum", x, read), packed}));
  PlanTester tester(graph);
  tester.place_values();
  EXPECT_NE(tester.plan.views[tester.value("read")].memory, nullptr);
  EXPECT_EQ(tester.plan.views[tester.value("packed")].memory, nullptr);
  EXPECT_EQ(tester.plan.constants.size(), 1u);
}

TEST(Placement, GivesScratchMemoryForOneStep) {
  class ScratchOp final : public Op {
   public:
    void infer(InferContext& context) const override {
      context.set_output(0, context.input_type(0), context.input_shape(0));
    }
    std::unique_ptr<model::Kernel> compile(CompileContext& context) const override {
      context.request_scratch(CheckedSize(100));
      return nullptr;
    }
    void evaluate(EvalContext&) const override {}
  };
  GraphBuilder graph;
  Source at = graph.parameter("x", {kBlock});
  for (const char* name : {"a", "b"}) at = graph.op(name, std::make_shared<ScratchOp>(), {at});
  graph.result("y", at);
  PlanTester tester(graph);
  tester.place_values();
  ASSERT_EQ(tester.plan.scratch.size(), 2u);
  EXPECT_EQ(tester.plan.scratch[0].first, 0u);
  EXPECT_EQ(tester.plan.scratch[1].first, 1u);
  EXPECT_EQ(tester.plan.scratch[0].second, tester.plan.scratch[1].second)
      << "the second step has it after the first";
}

TEST(Placement, TellsAfterWhichStepAnObservedValueIsThere) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2, 1});
  const Source flat = graph.op("flat", std::make_shared<FlattenOp>(), {x});
  const Source a = graph.sum("a", flat, flat);
  graph.result("y", graph.sum("y", a, flat));
  PlanTester tester(graph);
  for (const char* name : {"x", "a", "y"}) tester.state.observed.push_back({{name}, 0});
  tester.place_values();
  EXPECT_EQ(tester.plan.observed_at_start, (std::vector<size_t>{0}));
  EXPECT_EQ(tester.plan.steps[0].observed, (std::vector<size_t>{1}));
  EXPECT_EQ(tester.plan.steps[1].observed, (std::vector<size_t>{2}));
}

}  // namespace
}  // namespace wasmvino::test
