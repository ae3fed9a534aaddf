// SPDX-License-Identifier: Apache-2.0
// How operations share their work among threads without knowing the pool.
#pragma once

#include <algorithm>
#include <cstddef>

namespace wasmvino {

class Parallel {
 public:
  virtual ~Parallel() = default;
  // Threads that compute together, the caller's included.
  virtual size_t threads() const { return 1; }
  // Calls task(context, i) for each i below `tasks` and returns when all are done. An exception of a task is thrown
  // here, after the others have ended.
  virtual void run(size_t tasks, void (*task)(void* context, size_t i), void* context) const {
    for (size_t i = 0; i < tasks; ++i) task(context, i);
  }
};

// Calls body(begin, end) for ranges that cover 0..count. A range has at least `grain` items, so that work too small
// to share stays on the calling thread.
template <typename Body>
void parallel_for(const Parallel& parallel, size_t count, size_t grain, const Body& body) {
  if (count == 0) return;
  const size_t ranges = std::min(parallel.threads(), std::max<size_t>(1, count / std::max<size_t>(1, grain)));
  if (ranges == 1) {
    body(size_t{0}, count);
    return;
  }
  struct Context {
    const Body* body;
    size_t count, ranges;
  } context{&body, count, ranges};
  parallel.run(
      ranges,
      [](void* opaque, size_t i) {
        const Context& c = *static_cast<const Context*>(opaque);
        (*c.body)(c.count * i / c.ranges, c.count * (i + 1) / c.ranges);
      },
      &context);
}

}  // namespace wasmvino
