// SPDX-License-Identifier: Apache-2.0
#include "core/call.h"

#ifdef __EMSCRIPTEN__
#include <pthread.h>
#endif

#include <cstdlib>
#include <ctime>
#include <new>

#include "core/error.h"
#include "core/memory_use.h"
#include "core/work.h"

namespace wasmvino {
namespace {

const Call& unbounded() {
  static const Call& call = *new Call(*new Limits);
  return call;
}

// What a thread does now.
struct Doing {
  const Call* call = nullptr;
  const MemoryLimit* memory = nullptr;
  size_t steps = 0;  // since the last poll of count_work()
};

#ifdef __EMSCRIPTEN__

// These object files serve modules with and without threads, so they cannot have thread_local variables:
// without shared memory, wasm-ld 19 adds the base address of such variables twice.
pthread_key_t key() {
  static const pthread_key_t made = [] {
    pthread_key_t fresh = 0;
    pthread_key_create(&fresh, std::free);
    return fresh;
  }();
  return made;
}
Doing& doing() {
  auto* of_thread = static_cast<Doing*>(pthread_getspecific(key()));
  if (of_thread == nullptr) {
    // Not by operator new, which may ask for the current call.
    void* const memory = std::malloc(sizeof(Doing));
    if (memory == nullptr) throw std::bad_alloc();
    of_thread = ::new (memory) Doing;
    pthread_setspecific(key(), of_thread);
  }
  return *of_thread;
}

#else

Doing& doing() {
  thread_local Doing of_thread;
  return of_thread;
}

#endif

const Call* current() { return doing().call; }
void set_current(const Call* call) { doing().call = call; }

}  // namespace

Call::Call(const Limits& limits, const CancelFlag* cancelled)
    : limits_(&limits), cancelled_(cancelled), outer_(current()) {
  if (limits.milliseconds > 0) deadline_ = now_milliseconds() + limits.milliseconds;
}

void Call::throw_cancelled() { fail(ErrorCode::kCancelled, "the call was cancelled"); }

void Call::check_clock() const {
  if (now_milliseconds() <= deadline_) return;
  throw Error(ErrorCode::kLimitExceeded,
              cat("the call takes longer than its limit of ", limits_->milliseconds, " ms"))
      .expected(cat(limits_->milliseconds, " ms"));
}

const Call& current_call() {
  const Call* const call = current();
  return call != nullptr ? *call : unbounded();
}

void count_work(size_t steps) {
  Doing& now = doing();
  now.steps += steps;
  if (now.steps < kWorkBetweenPolls) return;
  now.steps = 0;
  if (now.call != nullptr) now.call->poll();
}

const MemoryLimit* current_memory_limit() { return doing().memory; }

MemoryScope::MemoryScope(const MemoryLimit* limit) : before_(current_memory_limit()) {
  doing().memory = limit;
}
MemoryScope::~MemoryScope() { doing().memory = before_; }

CallScope::CallScope(const Call& call) : before_(current()) { set_current(&call); }
CallScope::~CallScope() { set_current(before_); }

double now_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

void check_limit(uint64_t limit, uint64_t wanted, const char* what) {
  if (limit == 0 || wanted <= limit) return;
  throw Error(ErrorCode::kLimitExceeded, cat(wanted, " ", what, " exceed the limit of ", limit))
      .expected(cat("at most ", limit, " ", what))
      .actual(cat(wanted));
}

}  // namespace wasmvino
