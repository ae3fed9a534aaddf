// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.h"

#include <numeric>
#include <random>

#include "tests/runtime/plan_tester.h"

namespace wasmvino::test {
namespace {

using runtime::Executor;
using Numbers = std::vector<int32_t>;

std::vector<model::ValueInfo> declared(const model::Model& model) {
  std::vector<model::ValueInfo> parameters;
  for (const Node* node : model.parameters)
    parameters.push_back({node->outputs[0].type, node->outputs[0].shape, {}});
  return parameters;
}

Numbers numbers_of(const TensorView& view) {
  return {view.data<int32_t>(), view.data<int32_t>() + view.size()};
}

TEST(Executor, WritesToTheMemoryThatIsBound) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  graph.result("y", graph.sum("y", x, x));
  PlanTester tester(graph);
  Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
  const Tensor input = row({1, 2});
  int32_t memory[2] = {};
  executor.bind_parameter(0, input.view());
  executor.prepare();
  ASSERT_NE(executor.planned_result(0), nullptr);
  EXPECT_EQ(executor.planned_result(0)->shape, (Shape{2}));
  executor.bind_result(0, memory);
  executor.run(-1);
  EXPECT_EQ(memory[0], 2);
  EXPECT_EQ(memory[1], 4);
  EXPECT_EQ(executor.result(0).memory, memory);
  EXPECT_EQ(executor.memory_bytes(), 0u);
}

TEST(Executor, HasMemoryOfItsOwnForResultsThatAreNotBound) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  graph.result("y", graph.sum("y", x, x));
  PlanTester tester(graph);
  Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
  const Tensor input = row({1, 2, 3});
  executor.bind_parameter(0, input.view());
  executor.run(-1);
  EXPECT_EQ(numbers_of(executor.result(0)), (Numbers{2, 4, 6}));
  EXPECT_EQ(executor.memory_bytes(), 3 * sizeof(int32_t));
}

// Counts how often it is inferred and compiled, and copies its input.
class CountingOp final : public Op {
 public:
  explicit CountingOp(bool pure = true) : pure_(pure) {}
  mutable int inferred = 0;
  mutable int compiled = 0;
  void infer(InferContext& context) const override {
    ++inferred;
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  std::unique_ptr<model::Kernel> compile(CompileContext&) const override {
    ++compiled;
    return std::make_unique<Copy>();
  }
  bool is_pure() const override { return pure_; }

 private:
  class Copy final : public model::Kernel {
   public:
    void run(EvalContext& context) override { copy_elements(context.input(0), context.output(0)); }
  };
  bool pure_;
};

TEST(Executor, PlansOnceForEachShape) {
  GraphBuilder graph;
  const auto op = std::make_shared<CountingOp>();
  graph.result("y", graph.op("y", op, {graph.parameter("x", {Dimension()})}));
  PlanTester tester(graph);
  Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
  const Tensor one = row({1}), two = row({1, 2});
  for (const Tensor& input : {one, two, one, two, two}) {
    executor.bind_parameter(0, input.view());
    executor.run(-1);
    EXPECT_EQ(executor.result(0).size(), input.size());
  }
  EXPECT_EQ(op->compiled, 2);
  // 16 plans are kept, those used last.
  for (int64_t size = 3; size <= 18; ++size) {
    const Numbers values(static_cast<size_t>(size), 7);
    const Tensor input = Tensor::of<int32_t>({size}, values.data());
    executor.bind_parameter(0, input.view());
    executor.run(-1);
  }
  EXPECT_EQ(op->compiled, 18);
  executor.bind_parameter(0, one.view());
  executor.run(-1);
  EXPECT_EQ(op->compiled, 19);
}

// 4 MB are six plans of 1,000 nodes.
TEST(Executor, KeepsFewPlansOfLargeModelsForOtherShapesOfVariables) {
  for (const bool grows : {false, true}) {
    for (const int nodes : {1, 1000}) {
      GraphBuilder graph;
      const auto op = std::make_shared<CountingOp>(false);
      Source last = graph.parameter("x", {1});
      for (int i = 0; i < nodes; ++i) last = graph.op("y" + std::to_string(i), op, {last});
      graph.result("y", last);
      PlanTester tester(graph);
      tester.state.variables.push_back(std::make_unique<model::Variable>());
      model::Variable& variable = *tester.state.variables[0];
      variable.id = "v";
      Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
      const Tensor input = row({7});
      // Returns the number of plans made so far.
      const auto run = [&](int64_t size) {
        const Numbers values(static_cast<size_t>(size), 1);
        variable.value = Tensor::of<int32_t>({size}, values.data());
        executor.bind_parameter(0, input.view());
        executor.run(-1);
        EXPECT_EQ(numbers_of(executor.result(0)), (Numbers{7}));
        return op->compiled / nodes;
      };
      for (int64_t i = 1; i <= 12; ++i) EXPECT_EQ(run(grows ? i : 13 - i), i);
      // Of a growing variable, the plans of the first sizes stay, and the others become the latest one.
      EXPECT_EQ(run(grows ? 6 : 7), 12);
      EXPECT_EQ(run(grows ? 7 : 8), nodes == 1 ? 12 : 13);
    }
  }
}

// Shows variable "v".
class ShowOp final : public Op {
 public:
  void infer(InferContext& context) const override {
    const model::Variable* variable = context.variable("v");
    PartialShape shape = {Dimension()};
    if (variable != nullptr) shape = variable->value.shape();
    context.set_output(0, ElementType::kI32, shape);
  }
  bool is_pure() const override { return false; }
  std::string_view reads_variable() const override { return "v"; }
};

TEST(Executor, RenewsAPlanWhoseVariablesGrow) {
  GraphBuilder graph;
  const auto steady = std::make_shared<CountingOp>(), growing = std::make_shared<CountingOp>();
  const Source x = graph.parameter("x", {2});
  const Source shown = graph.op("shown", std::make_shared<ShowOp>(), {});
  graph.result("a", graph.op("steady", steady, {x}));
  graph.result("b", graph.op("growing", growing, {shown}));
  PlanTester tester(graph);
  tester.state.variables.push_back(std::make_unique<model::Variable>());
  model::Variable& variable = *tester.state.variables[0];
  variable.id = "v";
  Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
  const Tensor input = row({3, 4});
  executor.bind_parameter(0, input.view());
  const auto run = [&](int32_t size) {
    const Numbers values(static_cast<size_t>(size), size);
    variable.value = Tensor::of<int32_t>({size}, values.data());
    executor.run(-1);
    EXPECT_EQ(numbers_of(executor.result(0)), (Numbers{3, 4}));
    EXPECT_EQ(numbers_of(executor.result(1)), values);
  };
  for (int32_t size = 1; size <= 30; ++size) run(size);  // more than are kept
  EXPECT_EQ(steady->compiled, 1);
  EXPECT_EQ(growing->compiled, 30);
  for (const int32_t size : {30, 1, 15}) run(size);
  EXPECT_EQ(growing->compiled, 30);
  run(16);  // this plan grew
  EXPECT_EQ(steady->compiled, 1);
  EXPECT_EQ(growing->compiled, 31);
}

TEST(Executor, CompilesOnceForEachSizeBesideDataDependentNodes) {
  GraphBuilder graph;
  const auto growing = std::make_shared<CountingOp>();
  const Source x = graph.parameter("x", {2});
  graph.result("a", graph.op("growing", growing, {graph.op("shown", std::make_shared<ShowOp>(), {})}));
  graph.result("b", graph.op("positive", std::make_shared<PositiveOp>(), {graph.sum("sum", x, x)}));
  PlanTester tester(graph);
  tester.state.variables.push_back(std::make_unique<model::Variable>());
  model::Variable& variable = *tester.state.variables[0];
  variable.id = "v";
  Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
  const Tensor input = row({-1, 4});
  executor.bind_parameter(0, input.view());
  for (int32_t size = 1; size <= 30; ++size) {
    const Numbers values(static_cast<size_t>(size), size);
    variable.value = Tensor::of<int32_t>({size}, values.data());
    executor.run(-1);
    EXPECT_EQ(numbers_of(executor.result(0)), values);
    EXPECT_EQ(numbers_of(executor.result(1)), (Numbers{8}));
    EXPECT_EQ(growing->compiled, size);
  }
}

// The plan points into an arena that no longer exists.
TEST(Executor, ActivatesAPlanAgainIfThereWasNoMemoryForItsArena) {
  GraphBuilder graph;
  const Source shown = graph.op("shown", std::make_shared<ShowOp>(), {});
  const Source first = copied(graph, "first", shown), second = copied(graph, "second", first),
               third = copied(graph, "third", second);
  graph.result("y", graph.sum("y", graph.sum("sum", first, third), second));
  PlanTester tester(graph);
  tester.state.variables.push_back(std::make_unique<model::Variable>());
  model::Variable& variable = *tester.state.variables[0];
  variable.id = "v";
  Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
  const auto run = [&](int32_t size, size_t limit) {
    const Numbers values(static_cast<size_t>(size), 3);
    variable.value = Tensor::of<int32_t>({size}, values.data());
    const Limits limits{.tensor_bytes = limit};
    const Call call(limits, nullptr);
    const CallScope scope(call);
    executor.run(-1);
    EXPECT_EQ(numbers_of(executor.result(0)), Numbers(static_cast<size_t>(size), 9));
  };
  constexpr size_t kEnough = 1 << 20;
  for (int32_t size = 1; size <= 20; ++size) run(size, kEnough);
  // A tensor of 1,000 numbers has 4,000 bytes, the arena twice as many.
  for (int i = 0; i < 2; ++i) EXPECT_THROW(run(1000, 4200), Error);
  run(1000, kEnough);
}

// At sizes where tensors of the graph happen to be equally large, other memory is shared than before.
TEST(Executor, ComputesWithAGrowingPlanWhatANewPlanComputes) {
  std::mt19937 random(7);
  const auto below = [&](size_t end) { return random() % end; };
  Numbers numbers(30);
  std::iota(numbers.begin(), numbers.end(), 5);
  const Tensor input = Tensor::of<int32_t>({30}, numbers.data());
  for (int model = 0; model < 40; ++model) {
    GraphBuilder graph;
    // By form: the variable's size n, 30, n + 30, 2n.
    std::vector<Source> values[4];
    values[0].push_back(graph.op("shown", std::make_shared<ShowOp>(), {}));
    values[1].push_back(graph.parameter("x", {30}));
    values[1].push_back(graph.constant("known", input));
    for (int node = 0; node < 24; ++node) {
      const std::string name = "n" + std::to_string(node);
      const auto any = [&](size_t form) { return values[form][below(values[form].size())]; };
      const size_t form = below(4);
      if (form >= 2 && (values[form].empty() || below(2) == 0)) {
        const std::vector<Source> parts = {any(0), any(form == 2 ? 1 : 0)};
        values[form].push_back(graph.op(name, std::make_shared<JoinOp>(), parts));
      } else if (below(4) == 0) {
        values[form].push_back(graph.op(name, std::make_shared<FlattenOp>(), {any(form)}));
      } else {
        values[form].push_back(graph.sum(name, any(form), any(form)));
      }
    }
    for (size_t form = 0; form < 4; ++form) {
      for (size_t i = 0; i < 2 && i < values[form].size(); ++i)
        graph.result("r" + std::to_string(form) + std::to_string(i),
                     values[form][values[form].size() - 1 - i]);
    }
    PlanTester tester(graph);
    tester.state.variables.push_back(std::make_unique<model::Variable>());
    model::Variable& variable = *tester.state.variables[0];
    variable.id = "v";
    Executor growing(*tester.model, {}, {}, declared(*tester.model), tester.state);
    growing.bind_parameter(0, input.view());
    for (int32_t size = 1; size <= 40; ++size) {  // more than are kept
      const Numbers shown(static_cast<size_t>(size), size);
      variable.value = Tensor::of<int32_t>({size}, shown.data());
      growing.run(-1);
      Executor fresh(*tester.model, {}, {}, declared(*tester.model), tester.state);
      fresh.bind_parameter(0, input.view());
      fresh.run(-1);
      for (size_t i = 0; i < tester.model->results.size(); ++i) {
        EXPECT_EQ(numbers_of(growing.result(i)), numbers_of(fresh.result(i)))
            << "model " << model << ", size " << size << ", result " << i;
      }
    }
  }
}

TEST(Executor, PlansAnewOnlyWhatNewShapesChange) {
  GraphBuilder graph;
  const auto steady = std::make_shared<CountingOp>(), growing = std::make_shared<CountingOp>();
  const auto random = std::make_shared<CountingOp>(false);
  const Source x = graph.parameter("x", {1});
  graph.result("a", graph.op("steady", steady, {x}));
  graph.result("b", graph.op("growing", growing, {graph.parameter("y", {Dimension()})}));
  graph.result("c", graph.op("random", random, {x}));
  PlanTester tester(graph);
  Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
  const int read = steady->inferred;
  for (int64_t size = 1; size <= 20; ++size) {  // more than are kept
    const Numbers values(static_cast<size_t>(size), static_cast<int32_t>(size));
    const Tensor first = row({static_cast<int32_t>(size)}),
                 second = Tensor::of<int32_t>({size}, values.data());
    executor.bind_parameter(0, first.view());
    executor.bind_parameter(1, second.view());
    executor.run(-1);
    EXPECT_EQ(numbers_of(executor.result(0)), (Numbers{static_cast<int32_t>(size)}));
    EXPECT_EQ(numbers_of(executor.result(1)), values);
  }
  EXPECT_EQ(steady->inferred - read, 1);
  EXPECT_EQ(steady->compiled, 1);
  EXPECT_EQ(growing->compiled, 20);
  EXPECT_EQ(random->compiled, 20);  // its kernel may have a state
}

TEST(Executor, PlansAheadOnlyWhereNoShapeDependsOnAValue) {
  for (const bool depends : {false, true}) {
    GraphBuilder graph;
    const Source x = graph.parameter("x", {1}), count = graph.parameter("count", {1});
    graph.result("y",
                 depends ? graph.op("y", std::make_shared<FillOp>(), {x, count}) : graph.sum("y", x, count));
    PlanTester tester(graph);
    Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
    tester.state.profiling = true;  // each step that is planned adds a time
    executor.prepare_ahead();
    EXPECT_EQ(tester.state.times.size(), depends ? 0u : 1u);
  }
}

TEST(Executor, KeepsTheMemoryOfADataDependentResultThatSomebodyHolds) {
  GraphBuilder graph;
  graph.result("y", graph.op("y", std::make_shared<PositiveOp>(), {graph.parameter("x", {Dimension()})}));
  PlanTester tester(graph);
  Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
  const Tensor first = row({-1, 2, 3}), second = row({4, 5, -6});
  executor.bind_parameter(0, first.view());
  executor.prepare();
  EXPECT_EQ(executor.planned_result(0), nullptr) << "the run tells the shape";
  executor.run(-1);
  const Tensor kept = executor.kept_result(0);
  ASSERT_TRUE(kept);
  executor.bind_parameter(0, second.view());
  executor.run(-1);
  EXPECT_EQ(numbers(kept), (Numbers{2, 3}));
  EXPECT_EQ(numbers_of(executor.result(0)), (Numbers{4, 5}));
}

TEST(Executor, GivesVariablesTheirValuesOnlyWhenItIsTold) {
  class ReadOp final : public Op {
   public:
    void infer(InferContext& context) const override {
      context.set_output(0, context.input_type(0), context.input_shape(0));
    }
    std::string_view reads_variable() const override { return "v"; }
  };
  class WriteOp final : public Op {
   public:
    void infer(InferContext&) const override {}
    std::string_view writes_variable() const override { return "v"; }
  };
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  const Source read = graph.op("read", std::make_shared<ReadOp>(), {x});
  graph.model().sinks.push_back(graph.add("write", "Test", std::make_shared<WriteOp>(),
                                          {graph.sum("sum", read, x)}, 0, NodeKind::kOperation));
  graph.result("y", copied(graph, "checked", x));  // refuses negative numbers
  PlanTester tester(graph);
  tester.state.variables.push_back(std::make_unique<model::Variable>());
  model::Variable& variable = *tester.state.variables[0];
  variable.id = "v";
  variable.value = row({10});
  Executor executor(*tester.model, {}, {}, declared(*tester.model), tester.state);
  const Tensor good = row({1}), bad = row({-1});
  executor.bind_parameter(0, good.view());
  executor.run(-1);
  EXPECT_EQ(numbers(variable.value), (Numbers{10}));
  executor.store_variables();
  EXPECT_EQ(numbers(variable.value), (Numbers{11}));
  executor.bind_parameter(0, bad.view());
  EXPECT_THROW(executor.run(-1), Error);
  EXPECT_EQ(numbers(variable.value), (Numbers{11}));
}

TEST(Executor, NamesTheLayersAndTheIterationAroundAFailure) {
  GraphBuilder graph;
  graph.result("y", copied(graph, "inner", graph.parameter("x", {1})));
  PlanTester tester(graph);
  Executor executor(*tester.model, {"loop"}, "Loop 'loop'", declared(*tester.model), tester.state);
  const Tensor bad = row({-1});
  executor.bind_parameter(0, bad.view());
  try {
    executor.run(3);
    FAIL() << "ran";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("inner"), std::string::npos) << text;
    EXPECT_NE(text.find("Loop 'loop', iteration 3"), std::string::npos) << text;
  }
  EXPECT_TRUE(tester.state.iterations.empty());
}

}  // namespace
}  // namespace wasmvino::test
