// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include "core/call.h"
#include "core/checked.h"

namespace wasmvino {

void run_ranges(const Parallel& parallel, size_t count, size_t grain, RangeTask task, const void* body) {
  if (count == 0) return;
  const size_t ranges = parallel.ranges(count, grain);
  const Call& call = current_call();
  if (ranges == 1) {
    call.poll();
    task(body, 0, count, 0);
    return;
  }
  struct Context {
    RangeTask task;
    const void* body;
    size_t count, ranges;
    const Call& call;
  } context{task, body, count, ranges, call};
  parallel.run(
      ranges,
      [](void* opaque, size_t i, size_t thread) {
        const Context& c = *static_cast<const Context*>(opaque);
        c.call.poll();
        c.task(c.body, part_begin(c.count, i, c.ranges), part_begin(c.count, i + 1, c.ranges), thread);
      },
      &context);
}

}  // namespace wasmvino
