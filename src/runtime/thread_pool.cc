// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_pool.h"

#include <algorithm>

#if WASMVINO_THREADS
#include <chrono>
#include <system_error>
#endif

namespace wasmvino::runtime {

#if WASMVINO_THREADS

namespace {

// Looks at memory before a thread sleeps, some 10 µs: between two steps of a network pass 1 to 5 µs, and waking a
// thread takes 20 to 50. Longer gaps are slept through.
#if defined(__x86_64__) || defined(__i386__)
constexpr int kSpins = 250;
inline void pause() { __builtin_ia32_pause(); }
#else
constexpr int kSpins = 5000;
inline void pause() {}
#endif

constexpr size_t kMostAlone = 256;

// Set while a thread computes a task, or wants to be alone.
thread_local bool alone = false;

std::recursive_mutex& planning_mutex() {
  static std::recursive_mutex& mutex = *new std::recursive_mutex;
  return mutex;
}

}  // namespace

struct ThreadPool::Job {
  Parallel::Task task;
  void* context;
  size_t tasks;
  size_t most_helpers;
  size_t helpers = 0;  // that joined so far
  std::exception_ptr error = nullptr;  // the first
  std::atomic<size_t> next{0};    // task that nobody has taken
  std::atomic<size_t> active{0};  // helpers that compute
};

ThreadPool& ThreadPool::shared() {
  static ThreadPool& pool = *new ThreadPool;
  return pool;
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    generation_.fetch_add(1, std::memory_order_release);
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::start(size_t threads) {
  const std::lock_guard lock(mutex_);
  try {
    while (workers_.size() + 1 < threads) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The threads that there are do the work.
  }
}

void ThreadPool::work() {
  alone = true;
  uint32_t seen = 0;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (generation_.load(std::memory_order_relaxed) == seen) {
      lock.unlock();
      for (int i = 0; i < kSpins && generation_.load(std::memory_order_relaxed) == seen; ++i) pause();
      lock.lock();
      ++sleepers_;
      wake_.wait(lock, [&] { return generation_.load(std::memory_order_relaxed) != seen; });
      --sleepers_;
    }
    seen = generation_.load(std::memory_order_relaxed);
    Job* const job = job_;
    if (job == nullptr || job->helpers == job->most_helpers) continue;
    const size_t thread = ++job->helpers;
    job->active.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    compute(*job, thread);
    lock.lock();
    // The caller may return from here on, and the job be gone.
    if (job->active.fetch_sub(1, std::memory_order_release) == 1 && caller_sleeps_) done_.notify_one();
  }
}

// Gives how many tasks it did.
size_t ThreadPool::compute(Job& job, size_t thread) {
  for (size_t done = 0;; ++done) {
    const size_t i = job.next.fetch_add(1, std::memory_order_relaxed);
    if (i >= job.tasks) return done;
    try {
      job.task(job.context, i, thread);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!job.error) job.error = std::current_exception();
      job.next.store(job.tasks, std::memory_order_relaxed);
    }
  }
}

void ThreadPool::judge(bool slower) {
  if (slower) {
    alone_ = alone_next_;
    alone_next_ = std::min(2 * alone_next_, kMostAlone);
  } else if (alone_next_ > 1) {
    alone_next_ /= 2;
  }
}

void ThreadPool::run(size_t threads, size_t tasks, Parallel::Task task, void* context) {
  bool by_caller = threads <= 1 || tasks <= 1 || alone || busy_.exchange(true, std::memory_order_acquire);
  if (!by_caller && alone_ > 0) {
    --alone_;
    busy_.store(false, std::memory_order_release);
    by_caller = true;
  }
  if (by_caller) {
    for (size_t i = 0; i < tasks; ++i) task(context, i, 0);
    return;
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Job job{task, context, tasks, std::min(threads, tasks) - 1};
  size_t woken;
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    generation_.fetch_add(1, std::memory_order_release);
    woken = std::min(sleepers_, job.most_helpers);
  }
  for (size_t i = 0; i < woken; ++i) wake_.notify_one();
  size_t own;
  {
    const OneThread nested;
    own = compute(job, 0);
  }
  const Clock::time_point ready = Clock::now();
  bool slower = false;
  {
    std::unique_lock lock(mutex_);
    job_ = nullptr;
    if (job.active.load(std::memory_order_relaxed) > 0) {
      lock.unlock();
      for (int i = 0; i < kSpins && job.active.load(std::memory_order_relaxed) > 0; ++i) pause();
      lock.lock();
      caller_sleeps_ = true;
      done_.wait(lock, [&] { return job.active.load(std::memory_order_acquire) == 0; });
      caller_sleeps_ = false;
      // Alone, what the others did would have taken the caller's time for as many tasks.
      slower = (Clock::now() - ready) * own > (ready - start) * (tasks - own);
    }
  }
  judge(slower);
  busy_.store(false, std::memory_order_release);
  if (job.error) std::rethrow_exception(job.error);
}

namespace {

class PoolParallel final : public Parallel {
 public:
  explicit PoolParallel(size_t threads) : threads_(threads) { ThreadPool::shared().start(threads); }
  size_t threads() const override { return threads_; }
  void run(size_t tasks, Task task, void* context) const override {
    ThreadPool::shared().run(threads_, tasks, task, context);
  }

 private:
  size_t threads_;
};

}  // namespace

std::unique_ptr<Parallel> make_parallel(size_t threads) {
  if (threads <= 1) return std::make_unique<Parallel>();
  return std::make_unique<PoolParallel>(std::min(threads, kMostThreads));
}

OneThread::OneThread() : before_(alone) { alone = true; }
OneThread::~OneThread() { alone = before_; }
PlanningLock::PlanningLock() { planning_mutex().lock(); }
PlanningLock::~PlanningLock() { planning_mutex().unlock(); }

#else

std::unique_ptr<Parallel> make_parallel(size_t) { return std::make_unique<Parallel>(); }

OneThread::OneThread() = default;
OneThread::~OneThread() = default;
PlanningLock::PlanningLock() = default;
PlanningLock::~PlanningLock() = default;

#endif

}  // namespace wasmvino::runtime
