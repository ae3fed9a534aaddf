// SPDX-License-Identifier: Apache-2.0
// The thread pool that all requests of a module share. In the single-threaded flavour there is no pool, and
// the calling thread computes everything.
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

// The limit on threads. The scratch memory of more than 64 threads would not fit beside a model in 4 GB.
inline constexpr size_t kMostThreads = 64;

// Runs the work of one compiled model on at most `threads` threads (1..kMostThreads) of the module's pool,
// and starts missing threads. If the system refuses threads, the existing ones do all the work.
std::unique_ptr<Parallel> make_parallel(size_t threads);

// RAII: while it exists, parallel work of its thread runs on that thread alone. It is for threads that must
// not wait, such as a page's main thread.
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

// RAII: while it exists, a run is in progress, and idle threads of the pool spin for a while before they
// sleep.
class Awake {
 public:
  // `parallel`: the threads of the run.
  explicit Awake(const Parallel& parallel);
  ~Awake();
  Awake(const Awake&) = delete;
  Awake& operator=(const Awake&) = delete;

 private:
#if WASMVINO_THREADS
  bool counts_;
#endif
};

// RAII lock that lets one thread plan at a time, so packed weights and constants are made once for all
// requests.
class PlanningLock {
 public:
  PlanningLock();
  ~PlanningLock();
  PlanningLock(const PlanningLock&) = delete;
  PlanningLock& operator=(const PlanningLock&) = delete;
};

#if WASMVINO_THREADS

// Runs tasks on the calling thread and on free threads of the pool. Each thread has a share of neighbouring
// tasks. The share stays the same from job to job. What a thread wrote in one step of a network is therefore
// in its cache in the next step. After its own share, a thread takes tasks that others have not begun. The
// caller waits only for tasks that another thread has begun, and no other thread needs to have started yet.
//
// A job is handed over without a lock: the job is a member of the pool, and opening the gate for it lets
// threads join. Locks are only for threads that sleep. Between the jobs of a run (Awake), threads spin for
// the next job before they sleep.
//
// A thread that loses its core during a task delays the caller by milliseconds. If this made a job slower
// than it would have been on the caller alone, the caller runs the next jobs alone: one job at first, and
// twice as many each time it happens again. Other programs on the cores then slow a run down little more than
// they would slow down one thread.
class ThreadPool {
 public:
  ThreadPool() = default;
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of the module. It lives as long as the process.
  static ThreadPool& shared();

  // Starts threads until `threads` threads can compute, including the caller's, or the system refuses more.
  void start(size_t threads);
  // Parallel::run() on at most `threads` threads. Inside a task, or while the pool works for another thread,
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
  // The tasks of a thread: the next one that nobody has taken, and the end. In a cache line of its own.
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
  Share shares_[kMostThreads];  // of the caller and of its possible helpers
  // The number of the job and, in the last byte, how many helpers may still join it.
  std::atomic<uint32_t> gate_{0};
  std::atomic<uint32_t> finished_{0};  // helpers that have finished their part of the job
  std::atomic<bool> busy_{false};
  std::atomic<uint32_t> runs_{0};  // in progress
  // Owned by the caller that set busy_. Other threads only read the first.
  std::atomic<size_t> alone_{0};  // jobs that the caller runs alone from now on
  size_t alone_next_ = 1;         // the same for the next delay, in sixteenths of a job

  std::mutex mutex_;  // protects sleep, workers_ and Job::error
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  std::atomic<size_t> awake_{0};  // threads that are not asleep
  std::atomic<size_t> sleepers_{0};
  std::atomic<bool> caller_sleeps_{false};
  std::atomic<bool> stop_{false};
};

#endif

}  // namespace wasmvino::runtime
