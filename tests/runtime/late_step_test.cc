// SPDX-License-Identifier: Apache-2.0
#include "runtime/late_step.h"

#include <algorithm>

#include "tests/runtime/plan_tester.h"

namespace wasmvino::test {
namespace {

using runtime::LateStep;
using Numbers = std::vector<int32_t>;

// A step for the only operation of a graph, with a tensor for each input.
class LateStepTester {
 public:
  LateStepTester(GraphBuilder& graph, const std::string& name,
                 model::SharedQuantization quantization = nullptr)
      : tester_(graph), node_(tester_.node(name)) {
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const model::OutputPort& port = port_of(node_.inputs[i]);
      infos_.push_back({port.type, port.shape, node_.inputs[i].node->constant, quantization});
    }
    inputs_.resize(infos_.size());
    outputs_.resize(node_.outputs.size());
    std::vector<const model::ValueInfo*> known;
    for (const model::ValueInfo& info : infos_) known.push_back(&info);
    for (TensorView& view : inputs_) input_pointers_.push_back(&view);
    for (TensorView& view : outputs_) output_pointers_.push_back(&view);
    step_ = std::make_unique<LateStep>(node_, known, input_pointers_, output_pointers_,
                                       std::vector<std::string>{}, tester_.state);
  }

  const TensorView& run(const std::vector<Tensor>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) inputs_[i] = inputs[i].view();
    step_->run();
    return outputs_[0];
  }
  LateStep& step() { return *step_; }

 private:
  PlanTester tester_;
  const Node& node_;
  std::vector<model::ValueInfo> infos_;
  std::vector<TensorView> inputs_, outputs_;
  std::vector<TensorView*> input_pointers_, output_pointers_;
  std::unique_ptr<LateStep> step_;
};

Numbers numbers_of(const TensorView& view) {
  return {view.data<int32_t>(), view.data<int32_t>() + view.size()};
}

TEST(LateStep, GivesOutputsTheShapeThatTheRunFinds) {
  GraphBuilder graph;
  graph.result("y",
               graph.op("positive", std::make_shared<PositiveOp>(), {graph.parameter("x", {Dimension()})}));
  LateStepTester tester(graph, "positive");
  EXPECT_EQ(numbers_of(tester.run({row({1, -2, 3})})), (Numbers{1, 3}));
  EXPECT_EQ(numbers_of(tester.run({row({-1, -2, -3})})), (Numbers{}));
}

struct Zeros final : model::Kernel {
  void run(EvalContext& context) override {
    std::fill_n(context.output(0).mutable_data<int32_t>(), context.output(0).size(), 0);
  }
};

// An operation on quantised data.
class OfLevels final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  std::unique_ptr<model::Kernel> compile(CompileContext& context) const override {
    EXPECT_NE(context.input(0).quantization, nullptr);
    return std::make_unique<Zeros>();
  }
};

TEST(LateStep, KnowsTheQuantisationOfItsData) {
  GraphBuilder graph;
  graph.result("y", graph.op("levels", std::make_shared<OfLevels>(), {graph.parameter("x", {Dimension()})}));
  LateStepTester tester(graph, "levels", std::make_shared<model::Quantization>());
  EXPECT_EQ(numbers_of(tester.run({row({1, 2, 3})})), (Numbers{0, 0, 0}));
}

TEST(LateStep, IsPreparedAgainOnlyForOtherShapesAndValuesThatShapesDependOn) {
  GraphBuilder graph;
  const auto fill = std::make_shared<FillOp>();
  graph.result("y", graph.op("fill", fill, {graph.parameter("x", {1}), graph.parameter("count", {1})}));
  LateStepTester tester(graph, "fill");
  EXPECT_EQ(numbers_of(tester.run({row({5}), row({2})})), (Numbers{5, 5}));
  EXPECT_EQ(numbers_of(tester.run({row({6}), row({2})})), (Numbers{6, 6}))
      << "the number is no part of the shape";
  EXPECT_EQ(fill->compiled, 1);
  EXPECT_EQ(numbers_of(tester.run({row({6}), row({3})})), (Numbers{6, 6, 6}));
  EXPECT_EQ(fill->compiled, 2);
}

TEST(LateStep, ShowsAViewInTheMemoryOfItsInput) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension(), Dimension()});
  graph.result("y", graph.op("flat", std::make_shared<FlattenOp>(), {x}));
  LateStepTester tester(graph, "flat");
  const Tensor input = Tensor::of<int32_t>({2, 2}, {1, 2, 3, 4});
  const TensorView& output = tester.run({input});
  EXPECT_EQ(output.memory, input.view().memory);
  EXPECT_EQ(output.shape, (Shape{4}));
  EXPECT_EQ(tester.step().buffer_around(output.memory), nullptr) << "it is not the step's";
}

TEST(LateStep, UsesItsBufferAgainUnlessItIsHeldOrTooSmall) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  graph.result("y", graph.op("positive", std::make_shared<PositiveOp>(), {x}));
  LateStepTester tester(graph, "positive");
  void* const first = tester.run({row({1, 2, 3})}).memory;
  EXPECT_EQ(tester.run({row({4, 5, 6})}).memory, first);
  const Tensor* buffer = tester.step().buffer_around(first);
  ASSERT_NE(buffer, nullptr);
  const Tensor held = *buffer;
  const TensorView& third = tester.run({row({7, 8, 9})});
  EXPECT_NE(third.memory, first);
  EXPECT_EQ(held.data<int32_t>()[0], 4);
  EXPECT_EQ(numbers_of(third), (Numbers{7, 8, 9}));
  const Numbers many(100, 1);
  EXPECT_EQ(tester.run({Tensor::of<int32_t>({100}, many.data())}).size(), 100u);
}

}  // namespace
}  // namespace wasmvino::test
