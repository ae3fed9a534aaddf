// SPDX-License-Identifier: Apache-2.0
// How operations share their work among threads without knowing the pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace wasmvino {

// Ranges per thread if the work is large enough. They are handed out dynamically, so that a thread that lost
// its core delays the run by an eighth of its share.
inline constexpr size_t kRangesPerThread = 8;

// Grains from which one thread goes through ranges, too, from the last to the first: what it finds in the
// second-level cache at its beginning are the ends of tensors, what it leaves there is where the next one
// begins. A sum of 1M elements is 1.03 times as fast in Chromium and 1.05 times in Node.js, copies of
// JavaScript included.
inline constexpr size_t kManyGrains = 32;

// As many parts as threads can share evenly: with three for two threads, one would do two of them alone.
constexpr size_t even_parts(size_t parts, size_t threads) {
  return parts > threads ? (parts + threads - 1) / threads * threads : parts;
}

// The grain of work that must not be cut.
inline constexpr size_t kWhole = ~size_t{0};

class Parallel {
 public:
  using Task = void (*)(void* context, size_t i, size_t thread);

  virtual ~Parallel() = default;
  // Threads that compute together, the caller's included.
  virtual size_t threads() const { return 1; }
  // How many ranges parallel_for() makes of `count` items, where `grain` of them are worth a range;
  // min(threads(), ranges) tells how many need scratch memory.
  virtual size_t ranges(size_t count, size_t grain) const {
    const size_t wanted = even_parts(count / std::max<size_t>(1, grain), threads());
    const bool whole = threads() == 1 && wanted < kManyGrains;
    const size_t most = whole ? 1 : std::min(count, threads() * kRangesPerThread);
    return std::clamp<size_t>(wanted, 1, std::max<size_t>(1, most));
  }
  // Calls task(context, i, thread) for each i below `tasks`, on at most threads() threads and in any order,
  // and returns when all are done. `thread` is below threads() and `tasks`, and no two tasks that run at the
  // same time have the same: it tells which scratch memory is free. An exception of a task is thrown here,
  // after the others have ended; what had not begun by then may never run. Tasks must not copy what counts
  // its owners (Tensor, shared_ptr): those counts are not atomic.
  virtual void run(size_t tasks, Task task, void* context) const {
    for (size_t i = tasks; i-- > 0;) task(context, i, 0);
  }
};

// What parallel_for() calls, whatever the type of its body: body(begin, end, thread).
using RangeTask = void (*)(const void* body, size_t begin, size_t end, size_t thread);
void run_ranges(const Parallel& parallel, size_t count, size_t grain, RangeTask task, const void* body);

// Calls body(begin, end), or body(begin, end, thread), for ranges that cover 0..count. A range has about
// `grain` items or more, so that work too small to share stays on the calling thread.
template <typename Body>
void parallel_for(const Parallel& parallel, size_t count, size_t grain, const Body& body) {
  const RangeTask task = [](const void* opaque, size_t begin, size_t end, [[maybe_unused]] size_t thread) {
    const Body& f = *static_cast<const Body*>(opaque);
    if constexpr (std::is_invocable_v<const Body&, size_t, size_t, size_t>) {
      f(begin, end, thread);
    } else {
      f(begin, end);
    }
  };
  run_ranges(parallel, count, grain, task, &body);
}

}  // namespace wasmvino
