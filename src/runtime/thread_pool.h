// SPDX-License-Identifier: Apache-2.0
// The threads that the requests of a module share. The flavour for one thread has none: all computes on the caller's.
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

// Gives the work of one compiled model to at most `threads` threads (1..kMostThreads) of the module's pool, which it
// starts where they are missing. Where a system refuses threads, those that there are do all the work.
std::unique_ptr<Parallel> make_parallel(size_t threads);

// As long as one lives, what its thread runs in parallel runs on that thread alone: for threads that must not wait, as
// a page's main thread.
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

// One thread plans at a time: packed weights and the values of constants are made once for all requests.
class PlanningLock {
 public:
  PlanningLock();
  ~PlanningLock();
  PlanningLock(const PlanningLock&) = delete;
  PlanningLock& operator=(const PlanningLock&) = delete;
};

#if WASMVINO_THREADS

// Runs tasks on the calling thread and on those of its own that are free. Each takes the next task that nobody has
// taken; the caller waits for none but those that another thread has begun, and needs no thread to have started yet.
//
// A thread that loses its core in the midst of a task holds the caller up for milliseconds. Where that made a job slower
// than the caller alone would have been, the next jobs are the caller's: one at first, twice as many each time it
// happens again, so that other programs on the cores cost little more than what they would take from one thread.
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
  // Parallel::run() on at most `threads` threads. Inside a task, and while the pool works for another thread, the
  // caller computes alone.
  void run(size_t threads, size_t tasks, Parallel::Task task, void* context);

 private:
  struct Job;

  void work();
  size_t compute(Job& job, size_t thread);
  void judge(bool slower);

  std::mutex mutex_;  // of all below but the atomics
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  Job* job_ = nullptr;  // that threads may still join
  size_t sleepers_ = 0;
  bool caller_sleeps_ = false;
  bool stop_ = false;
  std::atomic<uint32_t> generation_{0};  // rises with each job, and when the pool stops
  std::atomic<bool> busy_{false};
  // Of the caller that made it busy:
  size_t alone_ = 0;      // jobs that the caller does alone from now on
  size_t alone_next_ = 1;  // when it is held up again
};

#endif

}  // namespace wasmvino::runtime
