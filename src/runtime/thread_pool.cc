// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_pool.h"

#include <algorithm>

#include "core/checked.h"

#if WASMVINO_THREADS
#include <chrono>
#include <system_error>
#include <utility>
#endif

namespace wasmvino::runtime {

#if WASMVINO_THREADS

namespace {

using Clock = std::chrono::steady_clock;

// How long a thread spins for the next job of a run, and the caller for the end of the last task, before it
// sleeps.
constexpr std::chrono::microseconds kLook{100}, kLookForEnd{50};
// A shorter delay does not mean that a helper lost its core.
constexpr std::chrono::microseconds kHeldUp{200};
// The maximum number of jobs that the caller runs alone, and the unit of alone_next_: 1/16 of a job. About 16
// jobs without a delay halve alone_next_. A helper that has a core half of the time completes that many
// between two delays.
constexpr size_t kMostAlone = 1024, kJobParts = 16;
// The last byte of the gate.
constexpr uint32_t kPlaces = 0xff;
static_assert(kMostThreads <= kPlaces);

// Reads of memory between two reads of the clock, about 1 µs.
#if defined(__x86_64__) || defined(__i386__)
constexpr int kLooks = 32;
inline void pause() { __builtin_ia32_pause(); }
#else
constexpr int kLooks = 500;
inline void pause() {}
#endif

// Spins until `done` returns true or the time is over. Returns whether it is done.
template <typename Done>
bool look_for(Clock::duration time, const Done& done) {
  const Clock::time_point end = Clock::now() + time;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      pause();
    }
  } while (Clock::now() < end);
  return done();
}

// Set while a thread computes a task, or inside OneThread.
thread_local bool alone = false;

std::recursive_mutex& planning_mutex() {
  static std::recursive_mutex& mutex = *new std::recursive_mutex;
  return mutex;
}

}  // namespace

ThreadPool& ThreadPool::shared() {
  static ThreadPool& pool = *new ThreadPool;
  return pool;
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::start(size_t threads) {
  const std::lock_guard lock(mutex_);
  try {
    while (workers_.size() + 1 < threads) {
      workers_.emplace_back([this, number = workers_.size() + 1] { work(number); });
      ++awake_;
    }
  } catch (const std::system_error&) {
    // The existing threads do the work.
  }
}

void ThreadPool::work(size_t number) {
  alone = true;
  uint32_t joined = ~kPlaces;  // number of the last job, so this thread does not join it twice
  while (await_job(joined)) {
    uint32_t gate = gate_.load(std::memory_order_relaxed);
    const uint32_t places = gate & kPlaces;
    if (places == 0 || (gate & ~kPlaces) == joined) continue;
    if (!gate_.compare_exchange_weak(gate, gate - 1, std::memory_order_acquire, std::memory_order_relaxed))
      continue;
    joined = gate & ~kPlaces;
    compute(job_.most_helpers - places + 1, number);
    finished_.fetch_add(1);
    if (caller_sleeps_) {
      const std::lock_guard lock(mutex_);
      done_.notify_one();
    }
  }
}

// Returns true when there is a job other than `joined` to join, and false when the pool stops. The threads
// synchronise through pairs of variables: gate_ and sleepers_, and finished_ and caller_sleeps_. One side
// writes the first and reads the second; the other side writes the second and reads the first. Under
// sequential consistency, at least one side sees the other's write.
bool ThreadPool::await_job(uint32_t joined) {
  const auto open = [&] {
    const uint32_t gate = gate_.load();
    return (gate & kPlaces) != 0 && (gate & ~kPlaces) != joined;
  };
  // If the caller runs jobs alone, spinning would only take time from whatever delayed it.
  const auto nothing_to_look_for = [&] {
    return open() || runs_.load(std::memory_order_relaxed) == 0 || alone_.load(std::memory_order_relaxed) > 0;
  };
  if (!nothing_to_look_for()) look_for(kLook, nothing_to_look_for);
  if (open()) return true;
  std::unique_lock lock(mutex_);
  --awake_;
  ++sleepers_;
  wake_.wait(lock, [&] { return stop_ || open(); });
  --sleepers_;
  ++awake_;
  return !stop_;
}

// Returns how many tasks it ran.
size_t ThreadPool::compute(size_t thread, size_t first_share) {
  const size_t shares = job_.most_helpers + 1;
  size_t done = 0;
  for (size_t k = 0; k < shares; ++k) {
    Share& share = shares_[(first_share + k) % shares];
    for (size_t i; (i = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end; ++done) {
      try {
        job_.task(job_.context, i, thread);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!job_.error) job_.error = std::current_exception();
        for (size_t j = 0; j < shares; ++j) shares_[j].next.store(shares_[j].end, std::memory_order_relaxed);
      }
    }
  }
  return done;
}

void ThreadPool::await_helpers(uint32_t joined) {
  const auto done = [&] { return finished_.load() == joined; };
  if (done() || look_for(kLookForEnd, done)) return;
  std::unique_lock lock(mutex_);
  caller_sleeps_ = true;
  done_.wait(lock, done);
  caller_sleeps_ = false;
}

void ThreadPool::judge(bool slower) {
  if (slower) {
    alone_next_ = std::max(alone_next_, kJobParts);
    alone_ = alone_next_ / kJobParts;
    alone_next_ = std::min(2 * alone_next_, kMostAlone * kJobParts);
  } else {
    alone_next_ -= alone_next_ / (kJobParts + kJobParts / 2);
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
    for (size_t i = tasks; i-- > 0;) task(context, i, 0);
    return;
  }
  const Clock::time_point start = Clock::now();
  job_.task = task;
  job_.context = context;
  job_.most_helpers = static_cast<uint32_t>(std::min(threads, tasks) - 1);
  job_.error = nullptr;
  for (size_t i = 0, shares = job_.most_helpers + 1; i < shares; ++i) {
    shares_[i].next.store(part_begin(tasks, i, shares), std::memory_order_relaxed);
    shares_[i].end = part_begin(tasks, i + 1, shares);
  }
  finished_.store(0, std::memory_order_relaxed);
  const uint32_t number = (gate_.load(std::memory_order_relaxed) & ~kPlaces) + kPlaces + 1;
  gate_.store(number | job_.most_helpers);
  if (const size_t asleep = sleepers_.load(), awake = awake_.load();
      asleep > 0 && awake < job_.most_helpers) {
    {
      const std::lock_guard lock(mutex_);
    }
    for (size_t i = std::min(asleep, job_.most_helpers - awake); i > 0; --i) wake_.notify_one();
  }
  size_t own;
  {
    const OneThread nested;
    own = compute(0, 0);
  }
  const uint32_t joined = job_.most_helpers - (gate_.exchange(number) & kPlaces);
  if (finished_.load() != joined) {
    const Clock::time_point ready = Clock::now();
    await_helpers(joined);
    const Clock::duration held_up = Clock::now() - ready;
    // True if the wait exceeds the time that the caller alone would have needed for the tasks of the others.
    judge(held_up > kHeldUp && held_up * own > (ready - start) * (tasks - own));
  } else {
    judge(false);
  }
  const std::exception_ptr error = std::exchange(job_.error, nullptr);
  busy_.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(error);
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
Awake::Awake(const Parallel& parallel) : counts_(parallel.threads() > 1 && !alone) {
  if (counts_) ++ThreadPool::shared().runs_;
}
Awake::~Awake() {
  if (counts_) --ThreadPool::shared().runs_;
}

PlanningLock::PlanningLock() { planning_mutex().lock(); }
PlanningLock::~PlanningLock() { planning_mutex().unlock(); }

#else

std::unique_ptr<Parallel> make_parallel(size_t) { return std::make_unique<Parallel>(); }

OneThread::OneThread() = default;
OneThread::~OneThread() = default;
Awake::Awake(const Parallel&) {}
Awake::~Awake() = default;
PlanningLock::PlanningLock() = default;
PlanningLock::~PlanningLock() = default;

#endif

}  // namespace wasmvino::runtime
