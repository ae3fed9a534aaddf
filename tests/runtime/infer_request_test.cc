// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "graph_builder.h"

namespace wasmvino::test {
namespace {

using Numbers = std::vector<int32_t>;

TEST(InferRequest, RunsAChainInPlace) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {3});
  auto first = std::make_shared<SumOp>();
  auto second = std::make_shared<SumOp>();
  const Source a = graph.op("a", first, {x, x});
  const Source b = graph.op("b", second, {a, x});
  graph.result("y", graph.sum("c", b, x));
  const auto request = graph.request();
  request->set_input(0, row({1, 2, 3}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{4, 8, 12}));
  EXPECT_EQ(first->outputs[0], second->outputs[0]) << "b may overwrite a, which nobody reads afterwards";
  EXPECT_EQ(numbers(Tensor(request->input(0))), (Numbers{1, 2, 3})) << "inputs are never overwritten";
}

TEST(InferRequest, OverwritesInputsThatAreGivenAnewWhereTheyEnd) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  const Source y = graph.parameter("y", {Dimension()});
  const Source z = graph.parameter("z", {Dimension()});
  graph.result("z itself", z);
  graph.result("last", graph.sum("b", graph.sum("a", x, y), x));
  graph.result("of z", graph.sum("c", z, z));
  const auto request = graph.request({.overwrites_inputs = true});
  for (const auto& [in, sum, of_z] : {std::tuple(Numbers{1, 2}, Numbers{12, 24}, Numbers{200, 400}),
                                      std::tuple(Numbers{3}, Numbers{36}, Numbers{600})}) {
    std::vector<Tensor> given;
    for (const int32_t factor : {1, 10, 100}) {
      given.emplace_back(ElementType::kI32, Shape{static_cast<int64_t>(in.size())});
      for (size_t i = 0; i < in.size(); ++i) given.back().mutable_data<int32_t>()[i] = factor * in[i];
      request->set_input(given.size() - 1, given.back());
    }
    request->infer();
    EXPECT_EQ(numbers(request->output(1)), sum);
    EXPECT_EQ(request->output(1).view().memory, given[1].view().memory) << "over a, which is over y";
    EXPECT_EQ(numbers(given[0]), in) << "b reads x, but its other input came first";
    EXPECT_EQ(request->output(0).view().memory, given[2].view().memory) << "stays where it is";
    EXPECT_EQ(numbers(request->output(2)), of_z);
    EXPECT_NE(request->output(2).view().memory, given[2].view().memory) << "z is a result";
    const Tensor kept = request->output(1);
    given.clear();
    EXPECT_EQ(numbers(kept), sum);
  }
}

TEST(InferRequest, LeavesTheMemoryOfAnInputWithOtherShapes) {
  // Adds all of b, or its only element.
  class AddOp final : public Op {
   public:
    void infer(InferContext& context) const override {
      context.set_output(0, context.input_type(0), context.input_shape(1));
    }
    void evaluate(EvalContext& context) const override {
      const TensorView &b = context.input(0), &a = context.input(1);
      for (size_t i = 0; i < a.size(); ++i) {
        const int32_t added = b.data<int32_t>()[b.size() == 1 ? 0 : i];
        context.output(0).mutable_data<int32_t>()[i] = a.data<int32_t>()[i] + added;
      }
    }
    bool can_overwrite(const CompileContext&, size_t, size_t) const override { return true; }
  };
  GraphBuilder graph;
  const Source b = graph.parameter("b", {Dimension()}), a = graph.parameter("a", {2});
  graph.result("b", b);
  graph.result("y", graph.op("y", std::make_shared<AddOp>(), {graph.sum("twice", b, b), a}));
  const auto request = graph.request({.overwrites_inputs = true});
  const Tensor input(ElementType::kI32, {2});
  const auto run = [&](Tensor added) {
    TensorView values = input.view();
    values.mutable_data<int32_t>()[0] = 10;
    values.mutable_data<int32_t>()[1] = 20;
    request->set_input(0, std::move(added));
    request->set_input(1, input);
    request->infer();
    return numbers(request->output(1));
  };
  EXPECT_EQ(run(row({1, 2})), (Numbers{12, 24}));
  EXPECT_EQ(run(row({5})), (Numbers{20, 30}));
  EXPECT_EQ(request->output(1).view().memory, input.view().memory) << "over a";
  EXPECT_EQ(run(row({1, 2})), (Numbers{12, 24})) << "over twice b";
}

TEST(InferRequest, HasZerosForOutputsBeforeTheFirstRun) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2});
  const Source open = graph.parameter("open", {Dimension()});
  graph.result("y", graph.sum("a", x, x));
  graph.result("z", graph.sum("b", open, open));
  const auto request = graph.request();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{0, 0}));
  EXPECT_EQ(to_string(request->output(1).shape()), "[0]");
  request->set_input(0, row({1, 10}));
  request->set_input(1, row({3}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{2, 20}));
  EXPECT_EQ(numbers(request->output(1)), (Numbers{6}));
}

TEST(InferRequest, NeedsTypesOfInputs) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2}, ElementType::kDynamic);
  graph.result("y", graph.sum("a", x, x));
  try {
    graph.request();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_NE(std::string(error.what()).find("input 'x' has element type dynamic"), std::string::npos)
        << error.what();
  }
}

// output = a + the sum of b's elements; what it makes of a constant b is counted.
class AddTotalOp final : public Op {
 public:
  explicit AddTotalOp(int* packed) : packed_(packed) {}

  void infer(InferContext& context) const override {
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  std::unique_ptr<model::Kernel> compile(CompileContext& context) const override {
    const auto total = context.shared<int32_t>(1, "total", [&] {
      ++*packed_;
      int32_t sum = 0;
      const TensorView& b = *context.constant(1);
      for (size_t i = 0; i < b.size(); ++i) sum += b.data<int32_t>()[i];
      return std::make_shared<int32_t>(sum);
    });
    context.consume(1);
    class AddTotal final : public model::Kernel {
     public:
      explicit AddTotal(int32_t total) : total_(total) {}
      void run(EvalContext& context) override {
        for (size_t i = 0; i < context.input(0).size(); ++i) {
          context.output(0).mutable_data<int32_t>()[i] = context.input(0).data<int32_t>()[i] + total_;
        }
      }

     private:
      int32_t total_;
    };
    return std::make_unique<AddTotal>(*total);
  }

 private:
  int* packed_;
};

TEST(InferRequest, PacksAConstantOnceForAllThatReadIt) {
  GraphBuilder graph;
  int packed = 0;
  const Source x = graph.parameter("x", {Dimension()});
  const Source ones = graph.constant("ones", row({1, 1}));
  const Source tens = graph.constant("tens", row({10}));
  Source at = x;
  for (const char* name : {"a", "b", "c"})
    at = graph.op(name, std::make_shared<AddTotalOp>(&packed), {at, ones});
  graph.result("y", graph.op("d", std::make_shared<AddTotalOp>(&packed), {at, tens}));
  const auto request = graph.request();
  for (const auto& [in, out] :
       {std::pair(Numbers{0, 5}, Numbers{16, 21}), std::pair(Numbers{1}, Numbers{17})}) {
    request->set_input(0, Tensor::of<int32_t>({static_cast<int64_t>(in.size())}, in.data()));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), out);
  }
  EXPECT_EQ(packed, 2);
}

TEST(InferRequest, KeepsWhatIsReadLater) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2});
  const Source a = graph.sum("a", x, x);
  const Source b = graph.sum("b", a, a);
  graph.result("y", graph.sum("c", a, b));  // a is still needed when b is made
  graph.result("z", a);
  const auto request = graph.request();
  request->set_input(0, row({1, 10}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{6, 60}));
  EXPECT_EQ(numbers(request->output(1)), (Numbers{2, 20}));
}

TEST(InferRequest, GivesSeveralResultsOfOneValueAndOfAnInput) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2});
  const Source a = graph.sum("a", x, x);
  graph.result("first", a);
  graph.result("second", a);
  graph.result("third", x);
  const auto request = graph.request();
  request->set_input(0, row({1, 2}));
  request->infer();
  for (const size_t i : {0, 1}) EXPECT_EQ(numbers(request->output(i)), (Numbers{2, 4}));
  EXPECT_EQ(numbers(request->output(2)), (Numbers{1, 2}));
}

TEST(InferRequest, ComputesPartsInTheirPlaces) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2});
  auto join = std::make_shared<JoinOp>();
  const Source a = graph.sum("a", x, x);
  const Source flat = graph.op("flat", std::make_shared<FlattenOp>(), {graph.sum("b", a, x)});
  graph.result("y", graph.op("join", join, {a, flat, x, a}));
  const auto request = graph.request();
  request->set_input(0, row({1, 2}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{2, 4, 3, 6, 1, 2, 2, 4}));
  EXPECT_EQ(join->copied, 2) << "only the parameter and the second use of a are copied";
}

TEST(InferRequest, RunsOnlyWhatOutputsNeed) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  auto unused = std::make_shared<SumOp>();
  graph.op("unused", unused, {x, x});
  auto folded = std::make_shared<SumOp>();
  const Source two =
      graph.op("two", folded, {graph.constant("one", row({1})), graph.constant("uno", row({1}))});
  graph.result("y", graph.sum("a", x, two));
  const auto request = graph.request();
  const int folding_runs = folded->runs;
  for (int i = 0; i < 3; ++i) {
    request->set_input(0, row({i}));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), (Numbers{i + 2}));
  }
  EXPECT_EQ(unused->runs, 0);
  EXPECT_EQ(folded->runs, folding_runs) << "constants are computed when planning";
}

TEST(InferRequest, PlansAgainForOtherShapesAndRemembers) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  const Source y = graph.parameter("y", {Dimension()});
  graph.result("z", graph.sum("a", x, y));
  const auto request = graph.request();
  for (const int64_t size : {1, 5, 3, 5, 1, 1000, 2}) {
    Tensor values(ElementType::kI32, {size});
    std::fill_n(values.mutable_data<int32_t>(), size, 4);
    request->set_input(0, values);
    request->set_input(1, values);
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), Numbers(static_cast<size_t>(size), 8));
  }
}

TEST(InferRequest, RefusesWhatDoesNotFitAndGoesOn) {
  GraphBuilder graph;
  graph.result("z", graph.sum("a", graph.parameter("x", {Dimension()}), graph.parameter("y", {Dimension()})));
  const auto request = graph.request();
  request->set_input(0, row({1, 2}));
  request->set_input(1, row({1, 2, 3}));
  try {
    request->infer();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.layer(), "a");
    EXPECT_EQ(error.code(), ErrorCode::kInvalidShape);
  }
  request->set_input(1, row({3, 4}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{4, 6}));
  EXPECT_THROW(request->set_input(0, Tensor::of<float>({1}, {1.0f})), Error);
  EXPECT_THROW(request->set_input(0, Tensor::of<int32_t>({1, 1}, {1})), Error);
  EXPECT_THROW(request->set_input(7, row({1})), Error);
}

TEST(InferRequest, SpecialisesOnSmallValuesThatShapesDependOn) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {});
  const Source count = graph.parameter("count", {1});
  auto fill = std::make_shared<FillOp>();
  const Source more = graph.sum("more", count, graph.constant("one", row({1})));
  graph.result("y", graph.op("fill", fill, {x, more}));
  const auto request = graph.request();
  request->set_input(0, Tensor::scalar<int32_t>(7));
  for (const int32_t n : {2, 3, 2, 3, 2}) {
    request->set_input(1, row({n}));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), Numbers(static_cast<size_t>(n + 1), 7));
  }
  EXPECT_EQ(fill->compiled, 2) << "one plan for each value, kept";
  for (int32_t n = 0; n < 60; ++n) {
    request->set_input(1, row({n}));
    request->infer();
    EXPECT_EQ(request->output(0).size(), static_cast<size_t>(n + 1));
  }
}

TEST(InferRequest, IsNotPlannedForValuesThatNobodyGave) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {});
  auto fill = std::make_shared<FillOp>();
  graph.result("y", graph.op("fill", fill, {x, graph.parameter("count", {1})}));
  const auto request = graph.request();  // all shapes are known, but that of y is the value of count
  EXPECT_EQ(fill->compiled, 0);
  request->set_input(0, Tensor::scalar<int32_t>(7));
  request->set_input(1, row({2}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{7, 7}));
}

TEST(InferRequest, PlansLateWhatDependsOnData) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  const Source kept = graph.op("kept", std::make_shared<PositiveOp>(), {x});
  const Source flat = graph.op("flat", std::make_shared<FlattenOp>(), {kept});
  graph.result("y", graph.sum("a", flat, kept));
  graph.result("z", kept);
  const auto request = graph.request();
  for (const auto& [in, out] : std::vector<std::pair<Tensor, Numbers>>{{row({1, -2, 3}), {2, 6}},
                                                                       {row({-1}), {}},
                                                                       {Tensor(ElementType::kI32, {0}), {}},
                                                                       {row({5, 5, 5, 5}), {10, 10, 10, 10}},
                                                                       {row({1, -2, 3}), {2, 6}}}) {
    request->set_input(0, in);
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), out);
    EXPECT_EQ(request->output(1).size(), out.size());
  }
}

TEST(InferRequest, WritesToTheTensorThatWasSet) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2});
  graph.result("y", graph.sum("a", x, x));
  const auto request = graph.request();
  Tensor out(ElementType::kI32, {2});
  request->set_input(0, row({3, 4}));
  request->set_output(0, out);
  request->infer();
  EXPECT_EQ(numbers(out), (Numbers{6, 8}));
  EXPECT_EQ(request->output(0).view().memory, out.view().memory);
  // The same memory as the input's: the result is right all the same.
  const Tensor both = row({5, 6});
  request->set_input(0, both);
  request->set_output(0, both);
  request->infer();
  EXPECT_EQ(numbers(both), (Numbers{10, 12}));
}

TEST(InferRequest, KeepsATensorThatTheCallerHolds) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  graph.result("y", graph.sum("a", x, x));
  const auto request = graph.request();
  request->set_input(0, row({1}));
  request->infer();
  const Tensor held = request->output(0);
  request->set_input(0, row({2}));
  request->infer();
  EXPECT_EQ(numbers(held), (Numbers{2}));
  EXPECT_EQ(numbers(request->output(0)), (Numbers{4}));
}

TEST(InferRequest, NamesTheLayerThatFails) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  graph.result("y", graph.op("strict", std::make_shared<FailOp>(), {x}));
  const auto request = graph.request();
  request->set_input(0, row({-1}));
  try {
    request->infer();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.layer(), "strict");
    EXPECT_NE(std::string(error.what()).find("a negative number"), std::string::npos);
  }
  request->set_input(0, row({1}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{1}));
}

TEST(InferRequest, ObservesInnerPorts) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  const Source a = graph.sum("a", x, x);
  const Source flat = graph.op("flat", std::make_shared<FlattenOp>(), {a});
  graph.sum("beside", x, x);
  graph.result("y", graph.sum("b", flat, x));
  const auto request = graph.request();
  request->set_input(0, row({1}));
  request->observe({{{"a"}, 0}, {{"flat"}, 0}});
  request->infer();
  ASSERT_EQ(request->observations().size(), 2u);
  for (const auto& observation : request->observations()) {
    EXPECT_EQ(numbers(observation.value), (Numbers{2}));
    EXPECT_TRUE(observation.iterations.empty());
  }
  request->observe({});
  request->infer();
  EXPECT_TRUE(request->observations().empty());
  EXPECT_THROW(request->observe({{{"nowhere"}, 0}}), Error);
  EXPECT_THROW(request->observe({{{"a"}, 3}}), Error);
}

TEST(InferRequest, ObservesWhatThePassesFold) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  const Source one = graph.constant("one", row({1}));
  const Source two = graph.sum("two", one, one);
  graph.result("y", graph.sum("a", x, graph.sum("four", two, two)));
  const auto request = graph.request();
  request->set_input(0, row({1}));
  request->observe({{{"two"}, 0}});
  request->infer();
  ASSERT_EQ(request->observations().size(), 1u);
  EXPECT_EQ(numbers(request->observations()[0].value), (Numbers{2}));
  EXPECT_EQ(numbers(request->output(0)), (Numbers{5}));
  request->observe({});
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{5}));
}

TEST(InferRequest, TellsTimesWhenAsked) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  graph.result("y", graph.sum("a", x, x));
  const auto request = graph.request({.passes = true, .profiling = true});
  request->set_input(0, row({1}));
  request->infer();
  ASSERT_EQ(request->profiling().size(), 1u);
  EXPECT_EQ(request->profiling()[0].node_name, "a");
  EXPECT_EQ(request->profiling()[0].calls, 1);
}

TEST(InferRequest, TwoRequestsOfOneModelDoNotTouchEachOther) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  graph.result("y", graph.sum("a", x, x));
  const auto compiled = runtime::CompiledModel::compile(*graph.finish(), model::Registry());
  const auto first = compiled->create_infer_request();
  const auto second = compiled->create_infer_request();
  first->set_input(0, row({1}));
  second->set_input(0, row({50}));
  first->infer();
  second->infer();
  EXPECT_EQ(numbers(first->output(0)), (Numbers{2}));
  EXPECT_EQ(numbers(second->output(0)), (Numbers{100}));
}

TEST(Ports, AreFoundByNameOrElseByLayer) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  graph.result("y", graph.sum("a", x, x));
  const auto model = graph.finish();
  const auto outputs = runtime::output_ports(*model);
  EXPECT_EQ(runtime::find_port(outputs, "y", "output"), 0u);
  EXPECT_EQ(runtime::find_port(outputs, "a", "output"), 0u);
  try {
    runtime::find_port(outputs, "nothing", "output");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("it has 'y'"), std::string::npos) << error.what();
  }
}

TEST(InferRequest, HoldsOutputsOnce) {
  constexpr int64_t kSize = 1 << 20;
  GraphBuilder b;
  const Source x = b.parameter("x", {kSize});
  b.result("y", b.sum("sum", x, x));
  const auto request = b.request();
  Tensor zeros(ElementType::kI32, {kSize});
  std::fill_n(zeros.mutable_data<int32_t>(), kSize, 0);
  request->set_input(0, zeros);
  request->infer();
  request->infer();
  EXPECT_EQ(request->memory_bytes(), 4u * kSize);
}

// What only the run knows the shape of is shown where it was computed.
TEST(InferRequest, HoldsOutputsOfOpenShapeOnce) {
  constexpr int64_t kSize = 1 << 20;
  GraphBuilder b;
  b.result("y", b.op("positive", std::make_shared<PositiveOp>(), {b.parameter("x", {Dimension()})}));
  const auto request = b.request();
  Tensor x(ElementType::kI32, {kSize});
  for (int32_t i = 0; i < kSize; ++i) x.mutable_data<int32_t>()[i] = i;
  request->set_input(0, x);
  request->infer();
  const void* const memory = request->output(0).view().memory;
  EXPECT_EQ(request->output(0).size(), static_cast<size_t>(kSize - 1));
  request->infer();
  EXPECT_EQ(request->output(0).view().memory, memory) << "nobody held it";
  {
    const Tensor held = request->output(0);
    request->set_input(0, row({-1, 7}));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), std::vector<int32_t>{7});
    ASSERT_EQ(held.size(), static_cast<size_t>(kSize - 1));
    EXPECT_EQ(held.data<int32_t>()[kSize - 2], kSize - 1);
  }
}

// Constants over 64 KiB that are computed from each other when somebody asks, all read at run time.
TEST(InferRequest, ReadsAChainOfLargeFoldedConstants) {
  constexpr int64_t kRows = 150, kColumns = 140;
  GraphBuilder b;
  const Source x = b.parameter("x", {kRows * kColumns});
  Tensor values(ElementType::kI32, {kRows, kColumns});
  for (size_t i = 0; i < values.size(); ++i) values.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  Source folded = b.op("flat", std::make_shared<FlattenOp>(), {b.constant("c", values)});
  for (int i = 0; i < 4; ++i) {
    b.result(cat("y", i), b.sum(cat("sum", i), x, folded));
    b.result(cat("c", i), folded);
    folded = b.sum(cat("twice", i), folded, folded);
  }
  const auto request = b.request();
  Tensor input(ElementType::kI32, {kRows * kColumns});
  std::fill_n(input.mutable_data<int32_t>(), input.size(), 1);
  request->set_input(0, input);
  request->infer();
  for (size_t result = 0; result < 8; ++result) {
    const int32_t* output = request->output(result).data<int32_t>();
    for (int32_t i = 0; i < kRows * kColumns; ++i) {
      ASSERT_EQ(output[i], (i << (result / 2)) + (result % 2 == 0 ? 1 : 0))
          << "result " << result << ", element " << i;
    }
  }
}

}  // namespace
}  // namespace wasmvino::test
