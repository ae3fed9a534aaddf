// SPDX-License-Identifier: Apache-2.0
// What ends a run early: another thread, the clock, and limits.
#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#include <thread>
#endif

#include "core/call.h"
#include "graph_builder.h"
#include "ops/registry.h"

namespace wasmvino::test {
namespace {

using ops::registry;

// A Loop with this trip count (-1: for ever) whose state only passes through it.
std::unique_ptr<runtime::InferRequest> loop_request(int64_t trips) {
  GraphBuilder inner;
  inner.result("next", inner.parameter("state", PartialShape()));
  inner.result("go", inner.constant("go", Tensor::scalar(true)));
  model::Body body;
  body.model = inner.finish_body();
  model::BodyInput state;
  state.input = 2;
  state.parameter = 0;
  body.inputs = {state};
  body.back_edges = {{0, 0}};
  model::BodyOutput last, go;
  last.output = 0;
  last.result = 0;
  go.result = 1;
  go.purpose = model::BodyOutput::Purpose::kExecutionCondition;
  body.outputs = {last, go};

  GraphBuilder graph;
  const Source count = graph.constant("trips", Tensor::scalar(trips));
  const Source condition = graph.constant("condition", Tensor::scalar(true));
  const Source x = graph.parameter("x", {1});
  auto node = registry().make_node("Loop", "loop", {count, condition, x}, {}, 1);
  node->bodies.push_back(std::move(body));
  graph.result("y", {graph.model().add(std::move(node)), 0});
  auto request = graph.request();
  request->set_input(0, row({7}));
  return request;
}

Error error_of(runtime::InferRequest& request, const Limits& limits = {}) {
  try {
    request.infer(limits);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "it ended";
  return Error(ErrorCode::kInternal, "");
}

TEST(Limits, EndALoopByTheClock) {
  const auto request = loop_request(-1);
  const Error error = error_of(*request, {.milliseconds = 20});
  EXPECT_EQ(error.code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(error.layer(), "loop");
  EXPECT_EQ(error.expected(), "20 ms");
}

TEST(Limits, CountIterations) {
  const auto request = loop_request(100);
  const Error error = error_of(*request, {.iterations = 99});
  EXPECT_EQ(error.code(), ErrorCode::kLimitExceeded);
  EXPECT_NE(std::string(error.what()).find("100 iterations exceed the limit of 99"), std::string::npos)
      << error.what();
  request->infer({.iterations = 100});
  EXPECT_EQ(numbers(request->output(0)), (std::vector<int32_t>{7}));
}

TEST(Limits, BoundOneTensor) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  graph.result("y", graph.sum("sum", x, x));
  const auto request = graph.request();
  request->set_input(0, Tensor(ElementType::kI32, {1000}));
  EXPECT_EQ(error_of(*request, {.tensor_bytes = 2000}).code(), ErrorCode::kLimitExceeded);
  request->infer({.tensor_bytes = 4096});
}

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)

TEST(Cancel, EndsALoopOfAnotherThread) {
  const auto request = loop_request(-1);
  std::atomic<bool> ended = false;
  // A cancel() before infer() has begun is forgotten, so it is repeated until the run ends.
  std::thread other([&] {
    while (!ended) {
      request->cancel();
      std::this_thread::yield();
    }
  });
  const Error error = error_of(*request);
  ended = true;
  other.join();
  EXPECT_EQ(error.code(), ErrorCode::kCancelled);
}

#endif

TEST(Cancel, EndsARangeOfAKernel) {
  const Limits limits;
  CancelFlag flag;
  const Call call(limits, &flag);
  const CallScope scope(call);
  size_t done = 0;
  const auto count = [&](size_t begin, size_t end) {
    done += end - begin;
    flag.set();
  };
  try {
    parallel_for(Parallel(), 1 << 20, 1, count);
    ADD_FAILURE() << "all ranges ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  }
  EXPECT_LT(done, size_t{1} << 20);
}

}  // namespace
}  // namespace wasmvino::test
