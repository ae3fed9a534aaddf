// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_pool.h"

#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "graph_builder.h"

namespace wasmvino::test {
namespace {

using runtime::OneThread;

// Every index of 0..count is met by one body.
void expect_covered(const Parallel& parallel, size_t count, size_t grain) {
  std::vector<std::atomic<int>> met(count);
  parallel_for(parallel, count, grain, [&](size_t begin, size_t end) {
    EXPECT_LE(end, count);
    for (size_t i = begin; i < end; ++i) ++met[i];
  });
  for (size_t i = 0; i < count; ++i) EXPECT_EQ(met[i], 1) << i << " of " << count;
}

TEST(ThreadPool, CoversAllWork) {
  for (const size_t threads : {1, 2, 3, 5}) {
    const auto parallel = runtime::make_parallel(threads);
    for (const size_t count : {0, 1, 2, 7, 64, 1000}) {
      for (const size_t grain : {1, 3, 100}) expect_covered(*parallel, count, grain);
    }
  }
}

TEST(ThreadPool, KeepsSmallWorkOnTheCaller) {
  const auto parallel = runtime::make_parallel(4);
  std::vector<std::thread::id> by;
  parallel_for(*parallel, 199, 100, [&](size_t, size_t) { by.push_back(std::this_thread::get_id()); });
  EXPECT_EQ(by, std::vector<std::thread::id>{std::this_thread::get_id()});
}

#if WASMVINO_THREADS

using runtime::ThreadPool;

template <typename Body>
void run(ThreadPool& pool, size_t threads, size_t tasks, const Body& body) {
  pool.run(
      threads, tasks,
      [](void* context, size_t i, size_t thread) { (*static_cast<const Body*>(context))(i, thread); },
      const_cast<Body*>(&body));
}

// Tasks that must run at the same time: each waits for the others.
void meet(std::atomic<size_t>& arrived, size_t count) {
  ++arrived;
  while (arrived < count) std::this_thread::yield();
}

TEST(ThreadPool, ComputesOnAllItsThreads) {
  ThreadPool pool;
  pool.start(4);
  std::atomic<size_t> arrived{0};
  std::array<std::thread::id, 4> by;
  run(pool, 4, 4, [&](size_t i, size_t) {
    by[i] = std::this_thread::get_id();
    meet(arrived, 4);
  });
  EXPECT_EQ(std::set<std::thread::id>(by.begin(), by.end()).size(), 4u);
}

TEST(ThreadPool, UsesNoMoreThreadsThanAskedFor) {
  ThreadPool pool;
  pool.start(4);
  std::array<std::atomic<int>, 4> on{};
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::atomic<int> now{0};
    run(pool, 2, 16, [&](size_t, size_t thread) {
      EXPECT_LE(++now, 2);
      EXPECT_LT(thread, 2u);
      EXPECT_EQ(++on[thread], 1) << "two tasks with the same thread's scratch";
      std::this_thread::yield();
      --on[thread];
      --now;
    });
  }
}

TEST(ThreadPool, NeedsNoThreadOfItsOwn) {
  ThreadPool pool;  // none was started, as where the system refuses them
  std::vector<size_t> done;
  run(pool, 4, 5, [&](size_t i, size_t) { done.push_back(i); });
  EXPECT_EQ(done, (std::vector<size_t>{0, 1, 2, 3, 4}));
}

TEST(ThreadPool, LetsASecondCallerComputeAlone) {
  ThreadPool pool;
  pool.start(2);
  std::atomic<size_t> arrived{0};
  std::atomic<bool> release{false};
  std::thread first([&] {
    run(pool, 2, 2, [&](size_t, size_t) {
      meet(arrived, 2);
      while (!release) std::this_thread::yield();
    });
  });
  while (arrived < 2) std::this_thread::yield();
  int done = 0;
  run(pool, 2, 100, [&](size_t, size_t) { ++done; });
  EXPECT_EQ(done, 100);
  release = true;
  first.join();
}

TEST(ThreadPool, ThrowsWhatATaskThrows) {
  ThreadPool pool;
  pool.start(3);
  for (size_t thrower = 0; thrower < 8; ++thrower) {
    std::atomic<int> running{0};
    std::string message;
    try {
      run(pool, 3, 8, [&](size_t i, size_t) {
        ++running;
        std::this_thread::yield();
        --running;
        if (i == thrower) fail(ErrorCode::kInvalidValue, "task ", i);
      });
    } catch (const Error& error) {
      message = error.what();
      EXPECT_EQ(running, 0) << "the others have ended";
    }
    EXPECT_EQ(message, "task " + std::to_string(thrower));
  }
  int done = 0;
  run(pool, 1, 3, [&](size_t, size_t) { ++done; });
  EXPECT_EQ(done, 3);
}

TEST(ThreadPool, ThrowsOneOfManyExceptions) {
  ThreadPool pool;
  pool.start(4);
  std::atomic<size_t> arrived{0};
  EXPECT_THROW(run(pool, 4, 4,
                   [&](size_t, size_t) {
                     meet(arrived, 4);
                     throw std::runtime_error("all");
                   }),
               std::runtime_error);
}

TEST(ThreadPool, RunsNestedWorkWhereItIs) {
  ThreadPool pool;
  pool.start(3);
  std::atomic<int> done{0};
  run(pool, 3, 12, [&](size_t, size_t) {
    const std::thread::id here = std::this_thread::get_id();
    run(pool, 3, 12, [&](size_t, size_t) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      ++done;
    });
  });
  EXPECT_EQ(done, 144);
}

TEST(ThreadPool, LetsAThreadBeAlone) {
  ThreadPool pool;
  pool.start(4);
  const OneThread alone;
  const std::thread::id here = std::this_thread::get_id();
  run(pool, 4, 100, [&](size_t, size_t thread) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    EXPECT_EQ(thread, 0u);
  });
}

TEST(ThreadPool, GrowsBetweenRuns) {
  ThreadPool pool;
  std::atomic<size_t> arrived{0};
  run(pool, 3, 1, [&](size_t, size_t) { ++arrived; });
  pool.start(2);
  pool.start(3);
  run(pool, 3, 3, [&](size_t, size_t) { meet(arrived, 4); });
  EXPECT_EQ(arrived, 4u);
}

// A thread that is held up in its task for much longer than the caller needs for all of them.
TEST(ThreadPool, LeavesAThreadAloneThatHoldsItUp) {
  ThreadPool pool;
  pool.start(2);
  const std::thread::id here = std::this_thread::get_id();
  bool slow = true;
  std::atomic<bool> helped{false};
  const auto job = [&] {
    helped = false;
    run(pool, 2, 32, [&](size_t, size_t) {
      if (std::this_thread::get_id() == here) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      } else {
        helped = true;
        if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    });
    return helped.load();
  };
  int helps = 0;
  for (int i = 0; i < 40; ++i) helps += job();
  EXPECT_LE(helps, 12)
      << "alone after that for 1, 2, 4, 8 and 16 jobs; fewer where the thread came too late to help";
  EXPECT_GE(helps, 1);
  slow = false;
  helps = 0;
  for (int i = 0; i < 80; ++i) helps += job();
  EXPECT_GE(helps, 10) << "it may help again";
}

TEST(ThreadPool, TakesManyJobsOfManyCallers) {
  ThreadPool pool;
  pool.start(4);
  std::vector<std::thread> callers;
  for (size_t caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&pool, caller] {
      for (size_t job = 0; job < 3000; ++job) {
        std::array<size_t, 9> squares{};
        const size_t count = 1 + (job + caller) % 9;
        run(pool, 4, count, [&](size_t i, size_t) { squares[i] = i * i; });
        for (size_t i = 0; i < squares.size(); ++i) ASSERT_EQ(squares[i], i < count ? i * i : 0);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// Of different sizes and with pauses between them, so that threads look, sleep and come too late.
TEST(ThreadPool, TakesTheJobsOfARun) {
  const auto parallel = runtime::make_parallel(4);
  for (size_t run = 0; run < 30; ++run) {
    const runtime::Awake awake(*parallel);
    for (size_t job = 0; job < 300; ++job) {
      std::vector<size_t> squares(1 + (job + run) % 40);
      parallel_for(*parallel, squares.size(), 1, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) squares[i] = i * i;
      });
      for (size_t i = 0; i < squares.size(); ++i) ASSERT_EQ(squares[i], i * i);
      if (job % 100 == run) std::this_thread::sleep_for(std::chrono::microseconds(30 * run));
    }
  }
}

// Processor time that this process uses while its threads have nothing to do: for a moment they look for the
// next job of a run, no longer.
TEST(ThreadPool, SleepsWhileThereIsNothingToDo) {
  const auto parallel = runtime::make_parallel(4);
  for (const bool run : {false, true}) {
    const runtime::Awake awake(run ? *parallel : Parallel());
    parallel_for(*parallel, 64, 1, [](size_t, size_t) { std::this_thread::yield(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
#ifndef __EMSCRIPTEN__  // whose clock() is the wall's
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 50) << (run ? "while a run goes on" : "between runs");
#endif
  }
}

// output = a + the sum of a constant b, which all plans share.
class AddTotalOp final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  std::unique_ptr<model::Kernel> compile(CompileContext& context) const override {
    class AddTotal final : public model::Kernel {
     public:
      explicit AddTotal(std::shared_ptr<const int32_t> total) : total_(std::move(total)) {}
      void run(EvalContext& context) override {
        const int32_t* a = context.input(0).data<int32_t>();
        parallel_for(context.parallel(), context.input(0).size(), 1, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) context.output(0).mutable_data<int32_t>()[i] = a[i] + *total_;
        });
      }

     private:
      std::shared_ptr<const int32_t> total_;
    };
    return std::make_unique<AddTotal>(context.shared<int32_t>(1, "total", [&] {
      const TensorView& b = *context.constant(1);
      return std::make_shared<int32_t>(std::accumulate(b.data<int32_t>(), b.data<int32_t>() + b.size(), 0));
    }));
  }
};

// Each with plans to make, for shapes that change.
TEST(ThreadPool, ServesRequestsOfSeveralThreads) {
  GraphBuilder graph;
  const Source x = graph.parameter("x", {Dimension()});
  const Source b = graph.constant("b", row({1, 2, 3}));
  const Source once = graph.op("once", std::make_shared<AddTotalOp>(), {x, b});
  graph.result("y", graph.op("twice", std::make_shared<AddTotalOp>(), {once, b}));
  runtime::CompileOptions options;
  options.threads = 3;
  const auto compiled = runtime::CompiledModel::compile(*graph.finish(), model::Registry(), options);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([request = compiled->create_infer_request(), caller] {
      for (int i = 0; i < 100; ++i) {
        const std::vector<int32_t> values(static_cast<size_t>(1 + i % 40), caller * 100 + i);
        request->set_input(0, Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values.data()));
        request->infer();
        ASSERT_EQ(numbers(request->output(0)), std::vector<int32_t>(values.size(), values[0] + 12));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

#endif

}  // namespace
}  // namespace wasmvino::test
