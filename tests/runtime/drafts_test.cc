// SPDX-License-Identifier: Apache-2.0
#include "runtime/drafts.h"

#include "tests/runtime/plan_tester.h"

namespace wasmvino::test {
namespace {

using runtime::Draft;
using runtime::kNone;

TEST(Drafts, LeaveOutWhatIsKnown) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  const Source known = graph.sum("known", graph.constant("one", row({1})), graph.constant("two", row({2})));
  graph.result("y", graph.sum("y", x, known));
  PlanTester tester(graph);
  tester.make_drafts();
  EXPECT_EQ(tester.draft("known"), nullptr);
  ASSERT_NE(tester.draft("y"), nullptr);
  EXPECT_EQ(tester.plan.steps.size(), 1u);
  EXPECT_EQ(numbers(tester.plan.inference.values[tester.value("known")].constant->value()),
            (std::vector<int32_t>{3}));
}

TEST(Drafts, GiveViewsNoStep) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2, 3});
  const Source flat = graph.op("flat", std::make_shared<FlattenOp>(), {x});
  graph.result("y", graph.sum("y", flat, flat));
  PlanTester tester(graph);
  tester.make_drafts();
  const Draft* view = tester.draft("flat");
  ASSERT_NE(view, nullptr);
  EXPECT_TRUE(view->compiled->all_views);
  EXPECT_EQ(view->step, kNone);
  EXPECT_EQ(tester.draft("y")->step, 0u);
}

TEST(Drafts, TellWhatTheOperationAllows) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2});
  const Source sum = graph.sum("sum", x, x);
  graph.result("y", graph.op("joined", std::make_shared<JoinOp>(), {sum, x}));
  PlanTester tester(graph);
  tester.make_drafts();
  EXPECT_EQ(tester.draft("sum")->compiled->overwrites.size(), 2u);
  EXPECT_TRUE(tester.draft("joined")->compiled->overwrites.empty());
  EXPECT_EQ(tester.draft("joined")->compiled->places, (std::vector<size_t>{0, 8}));
}

TEST(Drafts, AreDataDependentFromTheFirstOpenShapeOn) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {4});
  const Source before = graph.sum("before", x, x);
  const Source positive = graph.op("positive", std::make_shared<PositiveOp>(), {before});
  graph.result("y", graph.sum("after", positive, positive));
  PlanTester tester(graph);
  tester.make_drafts();
  const auto late = [&](const std::string& name) { return tester.plan.late[tester.node(name).index] != 0; };
  EXPECT_FALSE(late("before"));
  EXPECT_TRUE(late("positive"));
  EXPECT_TRUE(late("after"));
  EXPECT_EQ(tester.plan.steps[0].late, nullptr);
  EXPECT_NE(tester.plan.steps[1].late, nullptr);
}

TEST(Drafts, AreDataDependentWhereAShapeAsksForAnUnknownValue) {
  GraphBuilder graph;
  const Source number = graph.parameter("number", {1});
  const Source count = graph.parameter("count", {1});
  graph.result("y", graph.op("fill", std::make_shared<FillOp>(), {number, count}));
  PlanTester tester(graph);
  tester.make_drafts();
  EXPECT_TRUE(tester.plan.late[tester.node("fill").index]);
}

// Shows variable "v" where it is set, else its input.
class ReadOp final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  std::string_view reads_variable() const override { return "v"; }
};

TEST(Drafts, ComputeTheInitialValueOfAVariableOnlyWhereItIsNotSet) {
  for (const bool set : {false, true}) {
    GraphBuilder graph;
    const Source x = graph.parameter("x", {1});
    const Source read = graph.op("read", std::make_shared<ReadOp>(), {graph.sum("initial", x, x)});
    graph.result("y", graph.sum("y", read, x));
    PlanTester tester(graph);
    tester.state.variables.push_back(std::make_unique<model::Variable>());
    tester.state.variables[0]->id = "v";
    if (set) tester.state.variables[0]->value = row({1});
    tester.make_drafts();
    EXPECT_EQ(tester.draft("initial") == nullptr, set);
    EXPECT_EQ(tester.plan.shown_variables[tester.node("read").index], set ? 0 : kNone);
  }
}

TEST(Drafts, ComputeWhatIsObserved) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  graph.result("y", graph.sum("y", x, x));
  PlanTester tester(graph);
  tester.state.observed.push_back({{"elsewhere", "y"}, 0});
  tester.state.observed.push_back({{"y"}, 0});
  tester.make_drafts();
  ASSERT_EQ(tester.plan.observed_values.size(), 1u);
  EXPECT_EQ(tester.plan.observed_values[0].observed, 1u);
  EXPECT_EQ(tester.plan.observed_values[0].value, tester.value("y"));
}

TEST(Drafts, NameTheNodeThatCannotBeCompiled) {
  class RefusingOp final : public Op {
   public:
    void infer(InferContext& context) const override {
      context.set_output(0, context.input_type(0), context.input_shape(0));
    }
    std::unique_ptr<model::Kernel> compile(CompileContext&) const override {
      fail(ErrorCode::kUnsupported, "no kernel");
    }
  };
  GraphBuilder graph;
  graph.result("y", graph.op("refused", std::make_shared<RefusingOp>(), {graph.parameter("x", {1})}));
  PlanTester tester(graph);
  try {
    tester.make_drafts();
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_NE(std::string(error.what()).find("refused"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace wasmvino::test
