// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_plan.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/sort.h"

namespace wasmvino::runtime {

namespace {

size_t aligned(size_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

void expect_room(size_t offset, size_t bytes) {
  if (bytes <= static_cast<size_t>(PTRDIFF_MAX) - offset) return;
  fail(ErrorCode::kOutOfMemory, "no memory for temporaries of more than ", offset, " bytes");
}

// The blocks of an arena that are free at a point in time.
class FreeBlocks {
 public:
  // The offset of the smallest block that is large enough. If there is none, the arena grows.
  size_t take(size_t bytes) {
    if (const auto fitting = by_bytes_.lower_bound({bytes, 0}); fitting != by_bytes_.end()) {
      const auto [free, offset] = *fitting;
      remove(offset, free);
      if (free > bytes) add(offset + bytes, free - bytes);
      return offset;
    }
    size_t offset = end_;
    if (!by_offset_.empty() && by_offset_.rbegin()->first + by_offset_.rbegin()->second == end_) {
      offset = by_offset_.rbegin()->first;
      remove(offset, end_ - offset);
    }
    expect_room(offset, bytes);
    end_ = offset + bytes;
    return offset;
  }
  // Frees a block and merges it with its free neighbours.
  void give(size_t offset, size_t bytes) {
    const auto behind = by_offset_.lower_bound(offset);
    if (behind != by_offset_.end() && behind->first == offset + bytes) {
      bytes += behind->second;
      remove(behind->first, behind->second);
    }
    if (const auto next = by_offset_.lower_bound(offset); next != by_offset_.begin()) {
      const auto [before, free] = *std::prev(next);
      if (before + free == offset) {
        remove(before, free);
        offset = before;
        bytes += free;
      }
    }
    add(offset, bytes);
  }
  size_t end() const { return end_; }

 private:
  void add(size_t offset, size_t bytes) {
    by_offset_[offset] = bytes;
    by_bytes_.insert({bytes, offset});
  }
  void remove(size_t offset, size_t bytes) {
    by_offset_.erase(offset);
    by_bytes_.erase({bytes, offset});
  }

  std::map<size_t, size_t> by_offset_;
  std::set<std::pair<size_t, size_t>> by_bytes_;
  size_t end_ = 0;
};

MemoryPlan plan_by_time(const std::vector<Lifetime>& buffers) {
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  sort_all(order.data(), order.data() + order.size(), [&](size_t a, size_t b) {
    return buffers[a].first != buffers[b].first ? buffers[a].first < buffers[b].first : a < b;
  });
  FreeBlocks blocks;
  std::set<std::pair<size_t, size_t>> alive;  // (last step, buffer)
  for (const size_t i : order) {
    for (; !alive.empty() && alive.begin()->first < buffers[i].first; alive.erase(alive.begin())) {
      const size_t ended = alive.begin()->second;
      blocks.give(plan.offsets[ended], buffers[ended].bytes);
    }
    if (buffers[i].bytes == 0) continue;
    plan.offsets[i] = blocks.take(buffers[i].bytes);
    alive.insert({buffers[i].last, i});
  }
  plan.bytes = blocks.end();
  return plan;
}

MemoryPlan plan_by_size(const std::vector<Lifetime>& buffers) {
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  sort_all(order.data(), order.data() + order.size(), [&](size_t a, size_t b) {
    return buffers[a].bytes != buffers[b].bytes ? buffers[a].bytes > buffers[b].bytes : a < b;
  });
  std::vector<size_t> placed;  // by ascending offset
  for (const size_t i : order) {
    const Lifetime& buffer = buffers[i];
    size_t offset = 0;
    for (const size_t j : placed) {
      const Lifetime& other = buffers[j];
      if (other.last < buffer.first || buffer.last < other.first) continue;
      if (offset + buffer.bytes <= plan.offsets[j]) break;
      offset = std::max(offset, plan.offsets[j] + other.bytes);
    }
    expect_room(offset, buffer.bytes);
    plan.offsets[i] = offset;
    plan.bytes = std::max(plan.bytes, offset + buffer.bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                   [&](size_t at, size_t j) { return at < plan.offsets[j]; }),
                  i);
  }
  return plan;
}

}  // namespace

MemoryPlan plan_memory(std::vector<Lifetime> buffers, MemoryPlan earlier) {
  for (Lifetime& buffer : buffers) buffer.bytes = aligned(buffer.bytes);
  if (earlier.buffers == buffers) return earlier;
  MemoryPlan plan = buffers.size() > kMostBySize ? plan_by_time(buffers) : plan_by_size(buffers);
  plan.buffers = std::move(buffers);
  return plan;
}

}  // namespace wasmvino::runtime
