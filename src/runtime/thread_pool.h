// SPDX-License-Identifier: Apache-2.0
// The threads that the requests of a module share. The flavour for one thread has none: all computes on the
// caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/parallel.h"

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define WASMVINO_THREADS 1
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#define WASMVINO_THREADS 0
#endif

namespace wasmvino::runtime {

// More are never used: 64 threads' scratch memory would not fit beside a model in 4 GB.
inline constexpr size_t kMostThreads = 64;

// Gives the work of one compiled model to at most `threads` threads (1..kMostThreads) of the module's pool,
// which it starts where they are missing. Where a system refuses threads, those that there are do all the
// work.
std::unique_ptr<Parallel> make_parallel(size_t threads);

// As long as one lives, what its thread runs in parallel runs on that thread alone: for threads that must not
// wait, as a page's main thread.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
#if WASMVINO_THREADS
  bool before_;
#endif
};

// As long as one lives, a run goes on: threads of the pool that have nothing to do look for the next step's
// work for a while, instead of sleeping at once.
class Awake {
 public:
  // `parallel`: what the run computes with.
  explicit Awake(const Parallel& parallel);
  ~Awake();
  Awake(const Awake&) = delete;
  Awake& operator=(const Awake&) = delete;

 private:
#if WASMVINO_THREADS
  bool counts_;
#endif
};

// One thread plans at a time: packed weights and the values of constants are made once for all requests.
class PlanningLock {
 public:
  PlanningLock();
  ~PlanningLock();
  PlanningLock(const PlanningLock&) = delete;
  PlanningLock& operator=(const PlanningLock&) = delete;
};

#if WASMVINO_THREADS

// Runs tasks on the calling thread and on those of its own that are free. Each has a share of neighbouring
// tasks, the same one from job to job, so that what it wrote in one step of a network is in its cache in the
// next; then it takes what others have not begun. The caller waits for none but tasks that another thread has
// begun, and needs no thread to have started yet.
//
// A job is handed over without a lock: it stands in the pool, and what opens the gate for it lets threads
// join. Locks are for threads that sleep. Between the jobs of a run (Awake) threads look for the next one
// before they do.
//
// A thread that loses its core in the midst of a task holds the caller up for milliseconds. Where that made a
// job slower than the caller alone would have been, the next jobs are the caller's: one at first, twice as
// many each time it happens again, so that other programs on the cores cost little more than what they would
// take from one thread.
class ThreadPool {
 public:
  ThreadPool() = default;
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of the module, which lives as long as the process.
  static ThreadPool& shared();

  // Starts threads until `threads` compute together, the caller's included, or the system refuses more.
  void start(size_t threads);
  // Parallel::run() on at most `threads` threads. Inside a task, and while the pool works for another thread,
  // the caller computes alone.
  void run(size_t threads, size_t tasks, Parallel::Task task, void* context);

 private:
  friend class Awake;

  struct Job {
    Parallel::Task task = nullptr;
    void* context = nullptr;
    uint32_t most_helpers = 0;
    std::exception_ptr error;  // the first
  };
  // Tasks of a thread: the next that nobody has taken, and the end. In a cache line of its own.
  struct alignas(64) Share {
    std::atomic<size_t> next{0};
    size_t end = 0;
  };

  void work(size_t number);
  bool await_job(uint32_t joined);
  size_t compute(size_t thread, size_t first_share);
  void await_helpers(uint32_t joined);
  void judge(bool slower);

  Job job_;
  Share shares_[kMostThreads];  // of the caller and as many as may help it
  // The number of the job, and in the last byte how many helpers may still join it.
  std::atomic<uint32_t> gate_{0};
  std::atomic<uint32_t> finished_{0};  // helpers that have done their part of the job
  std::atomic<bool> busy_{false};
  std::atomic<uint32_t> runs_{0};  // that go on
  // Of the caller that made it busy (the first is only read by others):
  std::atomic<size_t> alone_{0};  // jobs that the caller does alone from now on
  size_t alone_next_ = 1;         // when it is held up again

  std::mutex mutex_;  // of sleep, workers_ and Job::error
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  std::atomic<size_t> awake_{0};  // threads that do not sleep
  std::atomic<size_t> sleepers_{0};
  std::atomic<bool> caller_sleeps_{false};
  std::atomic<bool> stop_{false};
};

#endif

}  // namespace wasmvino::runtime
