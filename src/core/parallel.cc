// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <algorithm>

#include "core/call.h"
#include "core/checked.h"
#include "core/memory_use.h"

namespace wasmvino {
namespace {

// About a millisecond of work. This bounds the time between two polls of the clock and the cancel flag.
constexpr size_t kGrainsBetweenPolls = 64;

// A range of a large kernel takes seconds, so it is computed in parts, with a poll before each. If a single
// item is a grain, it may be much more work than one, so there is a poll before each item. Items that take
// longer than a few milliseconds poll themselves.
void run_range(const Call& call, size_t grain, RangeTask task, const void* body, size_t begin, size_t end,
               size_t thread) {
  const size_t most = grain > 1 ? saturating_product(grain, kGrainsBetweenPolls) : 1;
  do {
    call.poll();
    const size_t count = std::min(most, end - begin);
    task(body, begin, begin + count, thread);
    begin += count;
  } while (begin < end);
}

}  // namespace

void run_ranges(const Parallel& parallel, size_t count, size_t grain, RangeTask task, const void* body) {
  if (count == 0) return;
  const size_t ranges = parallel.ranges(count, grain);
  const Call& call = current_call();
  if (ranges == 1) {
    run_range(call, grain, task, body, 0, count, 0);
    return;
  }
  struct Context {
    RangeTask task;
    const void* body;
    size_t count, ranges, grain;
    const Call& call;
    const MemoryLimit* memory;
  } context{task, body, count, ranges, grain, call, current_memory_limit()};
  parallel.run(
      ranges,
      [](void* opaque, size_t i, size_t thread) {
        const Context& c = *static_cast<const Context*>(opaque);
        const CallScope scope(c.call);
        const MemoryScope memory(c.memory);
        run_range(c.call, c.grain, c.task, c.body, part_begin(c.count, i, c.ranges),
                  part_begin(c.count, i + 1, c.ranges), thread);
      },
      &context);
}

}  // namespace wasmvino
