// SPDX-License-Identifier: Apache-2.0
// TensorIterator, Loop and If in the runtime: what an iteration views, copies and allocates.
#include <atomic>
#include <cstdlib>
#include <new>

#include "core/packed_bits.h"
#include "graph_builder.h"
#include "ops/registry.h"

namespace {
std::atomic<size_t> allocations = 0;  // threads of other tests allocate, too
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // g++ 12 does not see that both are replaced
#endif

// Counts allocations: tensors make their owner with new, so none of them escapes. malloc and free are used as
// they are by the default operators.
void* operator new(size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t bytes,
                   const std::nothrow_t&) noexcept {  // of temporary buffers of the standard library
  ++allocations;
  return std::malloc(bytes ? bytes : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace wasmvino::test {
namespace {

using model::BackEdge;
using model::Body;
using model::BodyInput;
using model::BodyOutput;
using ops::registry;
using Numbers = std::vector<int32_t>;

BodyInput input(size_t node_input, size_t parameter) {
  BodyInput map;
  map.input = node_input;
  map.parameter = parameter;
  return map;
}

// Takes parts along an axis; all of it, backwards where the stride is negative.
template <typename Map>
Map along(Map map, int64_t axis, int64_t stride) {
  map.axis = axis;
  map.stride = stride;
  if (stride < 0) {
    map.start = -1;
    map.end = 0;
  }
  return map;
}

BodyInput sliced(size_t node_input, size_t parameter, int64_t axis, int64_t stride = 1) {
  return along(input(node_input, parameter), axis, stride);
}

BodyOutput last(size_t output, size_t result) {
  BodyOutput map;
  map.output = output;
  map.result = result;
  return map;
}

BodyOutput joined(size_t output, size_t result, int64_t axis, int64_t stride = 1) {
  return along(last(output, result), axis, stride);
}

Node* iterator(GraphBuilder& graph, const std::string& type, const std::string& name,
               std::vector<Source> inputs, size_t outputs, Body body) {
  auto node = registry().make_node(type, name, std::move(inputs), {}, outputs);
  node->bodies.push_back(std::move(body));
  return graph.model().add(std::move(node));
}

// Adds its inputs and remembers where they stand.
class ProbeOp final : public Op {
 public:
  mutable std::vector<const void*> inputs, outputs;
  void infer(InferContext& context) const override {
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  void evaluate(EvalContext& context) const override {
    if (inputs.size() < inputs.capacity()) {
      inputs.push_back(context.input(0).memory);
      outputs.push_back(context.output(0).memory);
    }
    for (size_t i = 0; i < context.output(0).size(); ++i) {
      context.output(0).mutable_data<int32_t>()[i] =
          context.input(0).data<int32_t>()[i] + context.input(1).data<int32_t>()[i];
    }
  }
};

// sum[t] = x[t] + sum[t-1], for slices of shape `slice`.
Body running_sum(std::shared_ptr<Op> op, int64_t axis, int64_t in_stride = 1, int64_t out_stride = 1) {
  GraphBuilder inner;
  const Source x = inner.parameter("x_t", PartialShape());
  const Source state = inner.parameter("state", PartialShape());
  inner.result("next", inner.op("add", std::move(op), {x, state}));
  Body body;
  body.model = inner.finish_body();
  body.inputs = {sliced(0, 0, axis, in_stride), input(1, 1)};
  body.back_edges = {{0, 1}};
  body.outputs = {joined(0, 0, axis, out_stride), last(1, 0)};
  return body;
}

Tensor counted(Shape shape) {
  Tensor tensor(ElementType::kI32, std::move(shape));
  for (size_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<int32_t>()[i] = static_cast<int32_t>(i + 1);
  return tensor;
}

TEST(TensorIterator, ViewsSlicesAndWritesResultsInPlace) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension(), 2});
  const Source zero = graph.parameter("zero", {1, 2});
  auto probe = std::make_shared<ProbeOp>();
  probe->inputs.reserve(4);
  probe->outputs.reserve(4);
  Node* node = iterator(graph, "TensorIterator", "ti", {x, zero}, 2, running_sum(probe, 0));
  graph.result("all", {node, 0});
  graph.result("final", {node, 1});
  const auto request = graph.request();
  const Tensor data = counted({4, 2});
  request->set_input(0, data);
  request->set_input(1, Tensor::of<int32_t>({1, 2}, {0, 0}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{1, 2, 4, 6, 9, 12, 16, 20}));
  EXPECT_EQ(numbers(request->output(1)), (Numbers{16, 20}));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(probe->inputs[i], data.data<int32_t>() + 2 * i) << "iteration " << i << " copies its slice";
    EXPECT_EQ(probe->outputs[i], request->output(0).data<int32_t>() + 2 * i)
        << "iteration " << i << " copies its part";
  }
}

TEST(TensorIterator, IteratesBackwardsAndConcatenatesInReverse) {
  for (const auto& [in_stride, out_stride, want] : std::vector<std::tuple<int64_t, int64_t, Numbers>>{
           {1, 1, {1, 3, 6, 10}}, {-1, 1, {4, 7, 9, 10}}, {-1, -1, {10, 9, 7, 4}}, {1, -1, {10, 6, 3, 1}}}) {
    GraphBuilder graph;
    const Source x = graph.parameter("x", {4, 1});
    const Source zero = graph.parameter("zero", {1, 1});
    Node* node = iterator(graph, "TensorIterator", "ti", {x, zero}, 2,
                          running_sum(std::make_shared<SumOp>(), 0, in_stride, out_stride));
    graph.result("all", {node, 0});
    const auto request = graph.request();
    request->set_input(0, counted({4, 1}));
    request->set_input(1, Tensor::of<int32_t>({1, 1}, {0}));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), want);
  }
}

TEST(TensorIterator, SlicesInnerAxes) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {2, 4});
  const Source zero = graph.parameter("zero", {2, 2});
  Node* node =
      iterator(graph, "TensorIterator", "ti", {x, zero}, 2, running_sum(std::make_shared<SumOp>(), -1, 2, 2));
  graph.result("all", {node, 0});
  graph.result("final", {node, 1});
  const auto request = graph.request();
  request->set_input(0, counted({2, 4}));
  request->set_input(1, Tensor::of<int32_t>({2, 2}, {0, 0, 100, 100}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{1, 2, 4, 6, 105, 106, 112, 114}));
  EXPECT_EQ(numbers(request->output(1)), (Numbers{4, 6, 112, 114}));
}

TEST(TensorIterator, SwapsTwoStates) {
  GraphBuilder inner;
  const Source x = inner.parameter("x_t", PartialShape());
  const Source a = inner.parameter("a", PartialShape());
  const Source b = inner.parameter("b", PartialShape());
  inner.result("a_next", b);
  inner.result("b_next", a);
  inner.result("seen", inner.sum("add", x, a));
  Body body;
  body.model = inner.finish_body();
  body.inputs = {sliced(0, 0, 0), input(1, 1), input(2, 2)};
  body.back_edges = {{0, 1}, {1, 2}};
  body.outputs = {joined(0, 2, 0), last(1, 0), last(2, 1)};

  GraphBuilder graph;
  const Source data = graph.parameter("data", {3});
  const Source first = graph.parameter("first", {1});
  const Source second = graph.parameter("second", {1});
  Node* node = iterator(graph, "TensorIterator", "ti", {data, first, second}, 3, std::move(body));
  for (size_t i = 0; i < 3; ++i) graph.result("y" + std::to_string(i), {node, i});
  const auto request = graph.request();
  request->set_input(0, row({1, 2, 3}));
  request->set_input(1, row({10}));
  request->set_input(2, row({20}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{11, 22, 13}));
  EXPECT_EQ(numbers(request->output(1)), (Numbers{20}));
  EXPECT_EQ(numbers(request->output(2)), (Numbers{10}));
}

TEST(TensorIterator, RunsInsideAnother) {
  // The inner one sums a row, starting from the outer one's state.
  GraphBuilder middle;
  const Source row_in = middle.parameter("row", PartialShape());
  const Source state = middle.parameter("state", PartialShape());
  Node* inner = iterator(middle, "TensorIterator", "inner", {row_in, state}, 2,
                         running_sum(std::make_shared<SumOp>(), 1));
  middle.result("sums", {inner, 0});
  middle.result("next", {inner, 1});
  Body body;
  body.model = middle.finish_body();
  body.inputs = {sliced(0, 0, 0), input(1, 1)};
  body.back_edges = {{1, 1}};
  body.outputs = {joined(0, 0, 0)};

  GraphBuilder graph;
  const Source x = graph.parameter("x", {2, 3});
  const Source zero = graph.parameter("zero", {1, 1});
  Node* outer = iterator(graph, "TensorIterator", "outer", {x, zero}, 1, std::move(body));
  graph.result("all", {outer, 0});
  const auto request = graph.request();
  request->set_input(0, counted({2, 3}));
  request->set_input(1, Tensor::of<int32_t>({1, 1}, {0}));
  request->observe({{{"outer", "inner", "add"}, 0}});
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{1, 3, 6, 10, 15, 21}));
  ASSERT_EQ(request->observations().size(), 6u);
  EXPECT_EQ(request->observations()[4].iterations, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(numbers(request->observations()[4].value), (Numbers{15}));
}

// As deeply as models may nest bodies, with the 1 MB of stack that WebAssembly has.
TEST(TensorIterator, RunsInside63Others) {
  Body body = running_sum(std::make_shared<SumOp>(), 0);
  for (int level = 0; level < 63; ++level) {
    GraphBuilder around;
    const Source x = around.parameter("x", PartialShape());
    const Source state = around.parameter("state", PartialShape());
    Node* inner = iterator(around, "TensorIterator", "inner", {x, state}, 2, std::move(body));
    around.result("sums", {inner, 0});
    around.result("next", {inner, 1});
    Body outer;
    outer.model = around.finish_body();
    outer.inputs = {sliced(0, 0, 0), input(1, 1)};
    outer.back_edges = {{1, 1}};
    outer.outputs = {joined(0, 0, 0), last(1, 1)};
    body = std::move(outer);
  }
  GraphBuilder graph;
  const Source x = graph.parameter("x", {3, 1});
  const Source zero = graph.parameter("zero", {1, 1});
  Node* outermost = iterator(graph, "TensorIterator", "outermost", {x, zero}, 2, std::move(body));
  graph.result("all", {outermost, 0});
  const auto request = graph.request();
  request->set_input(0, counted({3, 1}));
  request->set_input(1, Tensor::of<int32_t>({1, 1}, {0}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{1, 3, 6}));
}

TEST(TensorIterator, AllocatesNothingInAnIteration) {
  const auto allocations_for = [](int64_t steps) {
    GraphBuilder graph;
    const Source x =
        graph.parameter("x", {2, steps});  // slices that are no blocks of memory, and must be copied
    const Source zero = graph.parameter("zero", {2, 1});
    auto probe = std::make_shared<ProbeOp>();
    Node* node = iterator(graph, "TensorIterator", "ti", {x, zero}, 2, running_sum(probe, 1));
    graph.result("all", {node, 0});
    const auto request = graph.request();
    request->set_input(0, counted({2, steps}));
    request->set_input(1, Tensor::of<int32_t>({2, 1}, {0, 0}));
    request->infer();
    const size_t before = allocations;
    request->infer();
    return allocations - before;
  };
  EXPECT_EQ(allocations_for(3), allocations_for(300));
}

TEST(TensorIterator, NamesTheIterationThatFails) {
  GraphBuilder inner;
  const Source x = inner.parameter("x_t", PartialShape());
  inner.result("same", inner.op("strict", std::make_shared<FailOp>(), {x}));
  Body body;
  body.model = inner.finish_body();
  body.inputs = {sliced(0, 0, 0)};
  body.outputs = {joined(0, 0, 0)};
  GraphBuilder graph;
  Node* node = iterator(graph, "TensorIterator", "ti", {graph.parameter("x", {3})}, 1, std::move(body));
  graph.result("y", {node, 0});
  const auto request = graph.request();
  request->set_input(0, row({1, -2, 3}));
  try {
    request->infer();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.layer(), "strict");
    EXPECT_NE(std::string(error.what()).find("TensorIterator 'ti', iteration 1"), std::string::npos)
        << error.what();
  }
  request->set_input(0, row({1, 2, 3}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{1, 2, 3}));
}

TEST(TensorIterator, RefusesPartsThatDoNotAgree) {
  GraphBuilder inner;
  const Source a = inner.parameter("a", PartialShape());
  const Source b = inner.parameter("b", PartialShape());
  inner.result("sum", inner.sum("add", a, b));
  Body body;
  body.model = inner.finish_body();
  body.inputs = {sliced(0, 0, 0), sliced(1, 1, 0)};
  body.outputs = {joined(0, 0, 0)};
  GraphBuilder graph;
  Node* node = iterator(graph, "TensorIterator", "ti", {graph.parameter("x", {3}), graph.parameter("y", {4})},
                        1, std::move(body));
  graph.result("z", {node, 0});
  try {
    graph.finish();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("input 0 has 3 parts, but input 1 has 4"), std::string::npos)
        << error.what();
  }
}

std::string refusal(GraphBuilder& graph) {
  try {
    graph.finish();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// i4 elements share bytes: no part of three is a view of whole ones.
TEST(TensorIterator, SlicesAndConcatenatesElementsNarrowerThanAByte) {
  for (const int64_t axis : {0, 1}) {
    GraphBuilder inner;
    inner.result("y", inner.parameter("x_t", PartialShape(), ElementType::kI4));
    Body body;
    body.model = inner.finish_body();
    body.inputs = {sliced(0, 0, axis)};
    body.outputs = {joined(0, 0, axis, -1)};
    GraphBuilder graph;
    Node* node = iterator(graph, "TensorIterator", "ti", {graph.parameter("x", {3, 3}, ElementType::kI4)}, 1,
                          std::move(body));
    graph.result("y", {node, 0});
    const auto request = graph.request();
    Tensor x(ElementType::kI4, {3, 3});
    for (uint8_t i = 0; i < 9; ++i) store_bits(ElementType::kI4, x.mutable_data<char>(), i, i);
    request->set_input(0, x);
    request->infer();
    Numbers found;
    for (size_t i = 0; i < 9; ++i)
      found.push_back(load_bits(ElementType::kI4, request->output(0).view().memory, i));
    EXPECT_EQ(found, axis == 0 ? (Numbers{6, 7, 8, 3, 4, 5, 0, 1, 2}) : (Numbers{2, 1, 0, 5, 4, 3, 8, 7, 6}));
  }
}

TEST(TensorIterator, RefusesPartsThatTurnOutLongerThanForeseen) {
  GraphBuilder inner;
  const Source one = inner.constant("one", Tensor::scalar<int32_t>(1));
  inner.result("y",
               inner.op("fill", std::make_shared<FillOp>(), {one, inner.parameter("count", PartialShape())}));
  Body body;
  body.model = inner.finish_body();
  body.inputs = {sliced(0, 0, 0)};
  body.outputs = {joined(0, 0, 0)};
  GraphBuilder graph;
  Node* node = iterator(graph, "TensorIterator", "ti", {graph.parameter("counts", {2})}, 1, std::move(body));
  graph.result("y", {node, 0});
  const auto request = graph.request();
  request->set_input(0, row({1, 1}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{1, 1}));
  request->set_input(0, row({1, 3}));
  try {
    request->infer();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(
        std::string(error.what())
            .find("a part of output 0 has type i32 and shape [3], but the output of type i32 and shape [2] "
                  "consists of 2 parts of 1"),
        std::string::npos)
        << error.what();
  }
}

// x is no slice: what a concatenated output says tells how often the body runs.
TEST(TensorIterator, RunsWithoutSlicesAsAnOutputSaysOrOnce) {
  for (const int64_t times : {1, 3}) {
    Body body = running_sum(std::make_shared<SumOp>(), 0);
    body.inputs = {input(0, 0), input(1, 1)};
    if (times > 1) body.outputs[0].end = times;
    GraphBuilder graph;
    const Source x = graph.parameter("x", {1});
    const Source zero = graph.parameter("zero", {1});
    Node* node = iterator(graph, "TensorIterator", "ti", {x, zero}, 2, std::move(body));
    graph.result("all", {node, 0});
    graph.result("final", {node, 1});
    const auto request = graph.request();
    request->set_input(0, row({5}));
    request->set_input(1, row({0}));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), times == 1 ? Numbers{5} : (Numbers{5, 10, 15}));
    EXPECT_EQ(numbers(request->output(1)), (Numbers{static_cast<int32_t>(5 * times)}));
  }
}

TEST(TensorIterator, RefusesAnOutputOfMorePartsThanIterations) {
  Body body = running_sum(std::make_shared<SumOp>(), 0);
  body.outputs[0].end = 2;
  GraphBuilder graph;
  Node* node = iterator(graph, "TensorIterator", "ti",
                        {graph.parameter("x", {3}), graph.parameter("zero", {1})}, 2, std::move(body));
  graph.result("all", {node, 0});
  EXPECT_NE(refusal(graph).find("the concatenated output 0 has 2 parts, but the body runs 3 times"),
            std::string::npos);
}

// The state is replaced by the number of the iteration, a parameter of this shape and type.
std::unique_ptr<GraphBuilder> counting_loop(const PartialShape& shape, ElementType type = ElementType::kI32,
                                            ElementType condition = ElementType::kBoolean) {
  GraphBuilder inner;
  inner.parameter("state", PartialShape());
  inner.result("next", inner.parameter("i", shape, type));
  Body body;
  body.model = inner.finish_body();
  BodyInput current = input(0, 1);
  current.purpose = BodyInput::Purpose::kCurrentIteration;
  body.inputs = {input(2, 0), current};
  body.back_edges = {{0, 0}};
  body.outputs = {last(0, 0)};
  auto graph = std::make_unique<GraphBuilder>();
  Node* node = iterator(*graph, "Loop", "loop",
                        {graph->parameter("trips", {}), graph->parameter("go", {}, condition),
                         graph->parameter("initial", PartialShape(), type)},
                        1, std::move(body));
  graph->result("y", {node, 0});
  return graph;
}

TEST(Loop, NumbersIterationsInTheShapeThatIsDeclared) {
  const std::vector<std::pair<PartialShape, Shape>> shapes = {{PartialShape(), Shape()},
                                                              {PartialShape::of_rank(0), Shape()},
                                                              {PartialShape{1}, {1}},
                                                              {PartialShape::of_rank(1), {1}}};
  for (const auto& [shape, want] : shapes) {
    const auto request = counting_loop(shape)->request();
    request->set_input(0, Tensor::scalar<int32_t>(3));
    request->set_input(1, Tensor::scalar<bool>(true));
    request->set_input(2, Tensor::of<int32_t>(want, {7}));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), (Numbers{2}));
    EXPECT_EQ(to_string(request->output(0).shape()), to_string(want));
  }
}

TEST(Loop, RefusesOtherTypesAndShapesOfIterationAndCondition) {
  EXPECT_NE(refusal(*counting_loop({2})).find("the current iteration 'i' has shape [2], expected [] or [1]"),
            std::string::npos);
  EXPECT_NE(refusal(*counting_loop({1, 1})).find("the current iteration 'i' has shape [1,1]"),
            std::string::npos);
  EXPECT_NE(refusal(*counting_loop({1}, ElementType::kF32)).find("the current iteration 'i' is of type f32"),
            std::string::npos);
  EXPECT_NE(refusal(*counting_loop({1}, ElementType::kI32, ElementType::kI32))
                .find("the execution condition has element type i32, expected boolean"),
            std::string::npos);
}

// state grows by one element with each iteration.
TEST(Loop, LetsAStateGrow) {
  GraphBuilder inner;
  const Source state = inner.parameter("state", PartialShape());
  const Source iteration = inner.parameter("i", {1});
  inner.result("next", inner.op("join", std::make_shared<JoinOp>(), {state, iteration}));
  Body body;
  body.model = inner.finish_body();
  BodyInput current = input(0, 1);
  current.purpose = BodyInput::Purpose::kCurrentIteration;
  body.inputs = {input(2, 0), current};
  body.back_edges = {{0, 0}};
  body.outputs = {last(0, 0)};
  GraphBuilder graph;
  const Source trips = graph.parameter("trips", {});
  const Source condition = graph.constant("go", Tensor::scalar<bool>(true));
  const Source initial = graph.parameter("initial", {Dimension()});
  Node* node = iterator(graph, "Loop", "loop", {trips, condition, initial}, 1, std::move(body));
  graph.result("y", {node, 0});
  const auto request = graph.request();
  for (const int32_t n : {3, 0, 5}) {
    request->set_input(0, Tensor::scalar<int32_t>(n));
    request->set_input(1, row({-7}));
    request->infer();
    Numbers want = {-7};
    for (int32_t i = 0; i < n; ++i) want.push_back(i);
    EXPECT_EQ(numbers(request->output(0)), want);
  }
}

TEST(Loop, ConcatenatesAsManyPartsAsTheValueOfAnInput) {
  GraphBuilder inner;
  const Source state = inner.parameter("state", PartialShape());
  const Source one = inner.constant("one", Tensor::of<int32_t>({1, 1}, {1}));
  inner.result("next", inner.sum("add", state, one));
  Body body;
  body.model = inner.finish_body();
  body.inputs = {input(2, 0)};
  body.back_edges = {{0, 0}};
  body.outputs = {joined(0, 0, 1), last(1, 0)};
  GraphBuilder graph;
  const Source trips = graph.parameter("trips", {});
  const Source go = graph.parameter("go", {}, ElementType::kBoolean);
  const Source initial = graph.parameter("initial", {1, 1});
  Node* node = iterator(graph, "Loop", "loop", {trips, go, initial}, 2, std::move(body));
  graph.result("all", {node, 0});
  graph.result("final", {node, 1});
  const auto request = graph.request();
  for (const auto& [n, goes] : {std::pair{4, true}, {1, true}, {0, true}, {4, false}}) {
    request->set_input(0, Tensor::scalar<int32_t>(n));
    request->set_input(1, Tensor::scalar<bool>(goes));
    request->set_input(2, Tensor::of<int32_t>({1, 1}, {10}));
    request->infer();
    Numbers want;
    for (int32_t i = 0; goes && i < n; ++i) want.push_back(11 + i);
    EXPECT_EQ(numbers(request->output(0)), want);
    EXPECT_EQ(numbers(request->output(1)), (Numbers{want.empty() ? 10 : want.back()}));
  }
}

// However often it runs: with 0 iterations the initial value becomes the output.
TEST(Loop, RefusesABackEdgeOfAnotherType) {
  for (const auto& [from, to] : {std::pair{ElementType::kF64, "f32"}, {ElementType::kF32, "f64"}}) {
    for (const int32_t trips : {0, 1, 2}) {
      GraphBuilder inner;
      const Source state = inner.parameter("state", PartialShape());
      const Source part = inner.parameter("part", PartialShape());
      Node* convert =
          inner.model().add(registry().make_node("Convert", "convert", {state}, {{"destination_type", to}}));
      inner.result("next", {convert, 0});
      inner.result("part", part);
      Body body;
      body.model = inner.finish_body();
      body.inputs = {input(2, 0), input(3, 1)};
      body.back_edges = {{0, 0}};
      body.outputs = {last(0, 0), joined(1, 1, 0)};
      GraphBuilder graph;
      const Source count = graph.constant("trips", Tensor::scalar(trips));
      const Source go = graph.constant("go", Tensor::scalar<bool>(true));
      const Source initial = graph.parameter("initial", {4}, from);
      const Source y = graph.parameter("y", {1, 4});
      Node* node = iterator(graph, "Loop", "loop", {count, go, initial, y}, 2, std::move(body));
      graph.result("state", {node, 0});
      graph.result("all", {node, 1});
      try {
        graph.finish();
        ADD_FAILURE() << trips << " iterations";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kInvalidType) << error.what();
      }
    }
  }
}

// A Loop that concatenates its parts and ends when a counter is 0.
std::unique_ptr<runtime::InferRequest> counting_down() {
  GraphBuilder inner;
  const Source counter = inner.parameter("counter", PartialShape());
  const Source data = inner.parameter("data", PartialShape());
  const Source next = inner.sum("next", counter, inner.constant("-1", row({-1})));
  Node* go = inner.model().add(registry().make_node("Greater", "go", {next, inner.constant("0", row({0}))}));
  inner.result("next", next);
  inner.result("part", inner.sum("twice", data, data));
  inner.result("go", {go, 0});
  Body body;
  body.model = inner.finish_body();
  body.inputs = {input(2, 0), input(3, 1)};
  body.back_edges = {{0, 0}};
  BodyOutput condition;
  condition.result = 2;
  condition.purpose = BodyOutput::Purpose::kExecutionCondition;
  body.outputs = {joined(0, 1, 0), condition};
  GraphBuilder graph;
  const Source trips = graph.constant("trips", Tensor::scalar<int32_t>(-1));
  const Source starts = graph.constant("starts", Tensor::scalar<bool>(true));
  const Source count = graph.parameter("count", {1});
  const Source x = graph.parameter("x", {1, 64});
  Node* node = iterator(graph, "Loop", "loop", {trips, starts, count, x}, 1, std::move(body));
  graph.result("all", {node, 0});
  return graph.request();
}

TEST(Loop, CollectsPartsAgainAfterARunWithoutMemory) {
  for (const size_t limit : {256, 512, 1024, 2048}) {
    const auto request = counting_down();
    request->set_input(0, row({9}));
    request->set_input(1, counted({1, 64}));
    try {
      request->infer({.tensor_bytes = limit});
      ADD_FAILURE() << limit;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kLimitExceeded) << error.what();
    }
    request->infer();
    ASSERT_EQ(request->output(0).shape(), (Shape{9, 64}));
    EXPECT_EQ(numbers(request->output(0))[9 * 64 - 1], 128);
  }
}

TEST(If, RunsOneBodyAndTakesItsShape) {
  const auto branch = [](bool doubles) {
    GraphBuilder inner;
    const Source x = inner.parameter("x", PartialShape());
    const Source twice =
        doubles ? inner.op("join", std::make_shared<JoinOp>(), {x, x}) : inner.sum("add", x, x);
    inner.result("y", twice);
    Body body;
    body.model = inner.finish_body();
    body.inputs = {input(1, 0)};
    body.outputs = {last(0, 0)};
    return body;
  };
  GraphBuilder graph;
  const Source condition = graph.parameter("condition", {}, ElementType::kBoolean);
  const Source x = graph.parameter("x", {2});
  Node* node = iterator(graph, "If", "if", {condition, x}, 1, branch(true));
  node->bodies.push_back(branch(false));
  graph.result("y", {node, 0});
  const auto request = graph.request();
  request->set_input(1, row({1, 2}));
  for (int round = 0; round < 2; ++round) {
    request->set_input(0, Tensor::scalar<bool>(true));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), (Numbers{1, 2, 1, 2}));
    request->set_input(0, Tensor::scalar<bool>(false));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), (Numbers{2, 4}));
  }
}

// Gives its input as a value that only the run knows.
class HidingOp final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  void evaluate(EvalContext& context) const override { copy_elements(context.input(0), context.output(0)); }
  bool is_pure() const override { return false; }
};

TEST(If, MindsOnlyTheBodyThatRunsWhereShapesAreFull) {
  const auto branch = [](std::initializer_list<int32_t> added) {
    GraphBuilder inner;
    const Source x = inner.parameter("x", PartialShape());
    inner.result("y", inner.sum("add", x, inner.constant("added", row(added))));
    Body body;
    body.model = inner.finish_body();
    body.inputs = {input(1, 0)};
    body.outputs = {last(0, 0)};
    return body;
  };
  GraphBuilder graph;
  const Source condition = graph.parameter("condition", {}, ElementType::kBoolean);
  const Source x = graph.parameter("x", {Dimension()});
  const Source hidden = graph.op("hidden", std::make_shared<HidingOp>(), {condition});
  for (const Source& source : {condition, hidden}) {
    Node* node = iterator(graph, "If", "if", {source, x}, 1, branch({10, 20}));
    node->bodies.push_back(branch({1, 2, 3}));
    graph.result("y", {node, 0});
  }
  const auto request = graph.request();
  const auto run = [&](bool value, Tensor x) {
    request->set_input(0, Tensor::scalar<bool>(value));
    request->set_input(1, x);
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), numbers(request->output(1)));
    return numbers(request->output(0));
  };
  EXPECT_EQ(run(true, row({1, 1})), (Numbers{11, 21}));
  EXPECT_EQ(run(false, row({1, 1, 1})), (Numbers{2, 3, 4}));
  try {
    run(true, row({1, 1, 1}));
    FAIL() << "the body that runs takes two elements";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("shapes [3] and [2] differ"), std::string::npos) << error.what();
  }
  EXPECT_EQ(run(true, row({2, 2})), (Numbers{12, 22}));
}

// The variable is the sum of all inputs so far; it starts with the input itself.
TEST(Variables, KeepTheirValueBetweenRunsUntilReset) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  auto read = registry().make_node("ReadValue", "read", {graph.sum("initial", x, x)},
                                   {{"variable_id", "v"}, {"variable_type", "i32"}, {"variable_shape", "?"}});
  Node* old = graph.model().add(std::move(read));
  const Source total = graph.sum("total", {old, 0}, x);
  graph.model().sinks.push_back(
      graph.model().add(registry().make_node("Assign", "assign", {total}, {{"variable_id", "v"}})));
  graph.result("y", {old, 0});
  const auto request = graph.request();
  const auto run = [&](int32_t value) {
    request->set_input(0, row({value}));
    request->infer();
    return numbers(request->output(0))[0];
  };
  EXPECT_EQ(run(1), 2);
  EXPECT_EQ(run(10), 3) << "the value before this run";
  EXPECT_EQ(run(100), 13);
  ASSERT_EQ(request->variables().size(), 1u);
  EXPECT_EQ(numbers(request->variables()[0]->value), (Numbers{113}));
  request->reset_state();
  EXPECT_EQ(run(5), 10);
  request->variables()[0]->value = row({1000});
  EXPECT_EQ(run(1), 1000);
}

// A variable with initial value [5]: its ReadValue, and an Assign of `next` to it.
Source read_variable(GraphBuilder& graph) {
  const model::AttributeTexts attributes = {
      {"variable_id", "v"}, {"variable_type", "i32"}, {"variable_shape", "?"}};
  const Source initial = graph.constant("initial", row({5}));
  return {graph.model().add(registry().make_node("ReadValue", "read", {initial}, attributes)), 0};
}
void assign_variable(GraphBuilder& graph, Source next) {
  graph.model().sinks.push_back(
      graph.model().add(registry().make_node("Assign", "assign", {next}, {{"variable_id", "v"}})));
}

// Only a value that begins with the whole old one can take its memory.
TEST(Variables, MayKeepOnlyTheBeginningOfTheirValue) {
  class FirstOp final : public Op {
   public:
    void infer(InferContext& context) const override { context.set_output(0, ElementType::kI32, {1}); }
    std::optional<ViewOf> view_of(const CompileContext&, size_t) const override { return ViewOf{0, 0}; }
  };
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  const Source old = read_variable(graph);
  const Source first = graph.op("first", std::make_shared<FirstOp>(), {old});
  const Source next = graph.op("next", std::make_shared<JoinOp>(), {first, x});
  assign_variable(graph, next);
  graph.result("old", old);
  graph.result("next", next);
  const auto request = graph.request();
  Numbers before = {5};
  for (const size_t size : {100, 1, 3, 200, 2, 2}) {
    const Numbers added(size, static_cast<int32_t>(size));
    request->set_input(0, Tensor::of<int32_t>({static_cast<int64_t>(size)}, added.data()));
    request->infer();
    EXPECT_EQ(numbers(request->output(0)), before);
    before = {5};
    before.insert(before.end(), added.begin(), added.end());
    EXPECT_EQ(numbers(request->output(1)), before);
    EXPECT_EQ(numbers(request->variables()[0]->value), before);
  }
}

TEST(Variables, CanBeAssignedTwice) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {1});
  const Source old = read_variable(graph);
  const Source a = graph.op("a", std::make_shared<JoinOp>(), {old, x});
  const Source b = graph.op("b", std::make_shared<JoinOp>(), {old, graph.sum("twice", x, x)});
  assign_variable(graph, a);
  assign_variable(graph, b);
  graph.result("a", a);
  graph.result("b", b);
  const auto request = graph.request();
  request->set_input(0, row({1}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{5, 1}));
  EXPECT_EQ(numbers(request->output(1)), (Numbers{5, 2}));
  request->infer();
  EXPECT_EQ(numbers(request->output(0)), (Numbers{5, 2, 1}));
  EXPECT_EQ(numbers(request->output(1)), (Numbers{5, 2, 2}));
}

TEST(Variables, StayIfAResultDoesNotFitItsTensor) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  const Source old = read_variable(graph);
  assign_variable(graph, graph.op("next", std::make_shared<JoinOp>(), {old, x}));
  graph.result("y", graph.op("positive", std::make_shared<PositiveOp>(), {x}));
  const auto request = graph.request();
  request->set_output(0, row({0, 0}));
  request->set_input(0, row({1, 2}));
  request->infer();
  EXPECT_EQ(numbers(request->variables()[0]->value), (Numbers{5, 1, 2}));
  request->set_input(0, row({3, -4}));
  EXPECT_THROW(request->infer(), Error);
  EXPECT_EQ(numbers(request->variables()[0]->value), (Numbers{5, 1, 2}));
  request->set_input(0, row({6, 7}));
  request->infer();
  EXPECT_EQ(numbers(request->variables()[0]->value), (Numbers{5, 1, 2, 6, 7}));
}

// A variable that each iteration of a body sets to `join` of itself and a number. Negative numbers fail.
std::unique_ptr<runtime::InferRequest> assigning(std::shared_ptr<Op> join, const std::string& shape) {
  GraphBuilder inner;
  const Source x = inner.parameter("x_t", PartialShape());
  const Source checked = inner.op("check", std::make_shared<FailOp>(), {x});
  Node* old = inner.model().add(
      registry().make_node("ReadValue", "read", {inner.constant("initial", row({0}))},
                           {{"variable_id", "v"}, {"variable_type", "i32"}, {"variable_shape", shape}}));
  const Source next = inner.op("next", std::move(join), {{old, 0}, checked});
  inner.model().sinks.push_back(
      inner.model().add(registry().make_node("Assign", "assign", {next}, {{"variable_id", "v"}})));
  inner.result("last", checked);
  Body body;
  body.model = inner.finish_body();
  body.inputs = {sliced(0, 0, 0)};
  body.outputs = {last(0, 0)};
  GraphBuilder graph;
  const Source x_all = graph.parameter("x", {Dimension()});
  graph.result("y", {iterator(graph, "TensorIterator", "ti", {x_all}, 1, std::move(body)), 0});
  return graph.request();
}

TEST(Variables, OfBodiesStayIfALaterIterationFails) {
  for (const bool grows : {false, true}) {
    const auto request =
        grows ? assigning(std::make_shared<JoinOp>(), "?") : assigning(std::make_shared<SumOp>(), "1");
    const auto run = [&](Tensor x) {
      request->set_input(0, std::move(x));
      request->infer();
    };
    const auto variable = [&] { return numbers(request->variables()[0]->value); };
    EXPECT_THROW(run(row({7, -1})), Error);
    EXPECT_FALSE(request->variables()[0]->value) << "it was not set before";
    run(row({1, 2}));
    EXPECT_EQ(variable(), (grows ? Numbers{0, 1, 2} : Numbers{3}));
    for (int again = 0; again < 2; ++again) {
      EXPECT_THROW(run(row({10, 20, 30, -1})), Error);
      EXPECT_EQ(variable(), (grows ? Numbers{0, 1, 2} : Numbers{3}));
    }
    run(row({4, 5}));
    EXPECT_EQ(variable(), (grows ? Numbers{0, 1, 2, 4, 5} : Numbers{12}));
  }
}

}  // namespace
}  // namespace wasmvino::test
