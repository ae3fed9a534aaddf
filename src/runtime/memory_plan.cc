// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_plan.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/error.h"
#include "core/sort.h"

namespace wasmvino::runtime {

MemoryPlan plan_memory(const std::vector<Lifetime>& buffers) {
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  sort_all(order.data(), order.data() + order.size(), [&](size_t a, size_t b) {
    return buffers[a].bytes != buffers[b].bytes ? buffers[a].bytes > buffers[b].bytes : a < b;
  });
  std::vector<size_t> placed;  // by rising offset
  for (const size_t i : order) {
    const Lifetime& buffer = buffers[i];
    const size_t bytes = (buffer.bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
    size_t offset = 0;
    for (const size_t j : placed) {
      const Lifetime& other = buffers[j];
      if (other.last < buffer.first || buffer.last < other.first) continue;
      if (offset + bytes <= plan.offsets[j]) break;
      offset = std::max(offset, plan.offsets[j] + (other.bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment);
    }
    if (bytes > static_cast<size_t>(PTRDIFF_MAX) - offset) {
      fail(ErrorCode::kOutOfMemory, "no memory for temporaries of more than ", offset, " bytes");
    }
    plan.offsets[i] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                   [&](size_t at, size_t j) { return at < plan.offsets[j]; }),
                  i);
  }
  return plan;
}

}  // namespace wasmvino::runtime
