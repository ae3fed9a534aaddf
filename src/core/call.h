// SPDX-License-Identifier: Apache-2.0
// The limits of a call into the engine, and what ends it early.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wasmvino {

// What one call may use. 0 means no limit.
struct Limits {
  size_t tensor_bytes = 0;  // of one tensor
  size_t layers = 0;        // of a model, bodies included
  size_t nesting = 0;       // bodies inside bodies
  uint64_t iterations = 0;  // of one loop, each time it runs
  double milliseconds = 0;  // of the call
};

// Lets another thread end a call.
class CancelFlag {
 public:
  void set() { set_.store(true, std::memory_order_relaxed); }
  void clear() { set_.store(false, std::memory_order_relaxed); }
  bool is_set() const { return set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> set_{false};
};

// The call that a thread works for. It is polled between nodes, iterations and ranges of kernels.
class Call {
 public:
  // The clock starts now. Both arguments must outlive the call. If the thread's current call ends, this one
  // ends too.
  explicit Call(const Limits& limits, const CancelFlag* cancelled = nullptr);

  const Limits& limits() const { return *limits_; }
  // Throws Error(kCancelled) once the flag is set, and Error(kLimitExceeded) once the time is up.
  void poll() const {
    if (cancelled_ != nullptr && cancelled_->is_set()) throw_cancelled();
    if (outer_ != nullptr) outer_->poll();
    if (deadline_ > 0) check_clock();
  }

 private:
  [[noreturn]] static void throw_cancelled();
  void check_clock() const;

  const Limits* limits_;
  const CancelFlag* cancelled_;
  const Call* outer_;
  double deadline_ = 0;  // in milliseconds of the monotonic clock
};

// The call that this thread works for. Outside of all calls, one without limits.
const Call& current_call();

// RAII: while it exists, current_call() of this thread is `call`.
class CallScope {
 public:
  explicit CallScope(const Call& call);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const Call* before_;
};

// Polls the current call between parts of a loop whose length depends on the data, about every 5 ms.
class WorkMeter {
 public:
  // `work` is the number of small steps, of a nanosecond or a few, that were done.
  void add(size_t work) {
    done_ += work;
    if (done_ >= kWorkBetweenPolls) {
      done_ = 0;
      current_call().poll();
    }
  }

 private:
  static constexpr size_t kWorkBetweenPolls = size_t{1} << 20;
  size_t done_ = 0;
};

// Milliseconds of the monotonic clock. This avoids std::chrono, whose clocks may throw a system_error: the
// modules would then contain printf and the texts of all system errors.
double now_milliseconds();

// Throws Error(kLimitExceeded), which says what is too large and by how much.
void check_limit(uint64_t limit, uint64_t wanted, const char* what);

}  // namespace wasmvino
