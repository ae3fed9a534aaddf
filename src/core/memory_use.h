// SPDX-License-Identifier: Apache-2.0
// Counts the memory that calls for one owner hold, and limits it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace wasmvino {

// Bytes of what calls for one owner have allocated and not yet freed.
class MemoryUse {
 public:
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Returns false, and adds nothing, if the sum would exceed `limit`. 0 means no limit.
  bool add(size_t bytes, size_t limit) {
    const size_t sum = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (limit == 0 || (sum >= bytes && sum <= limit)) return true;
    remove(bytes);
    return false;
  }
  void remove(size_t bytes) { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<size_t> bytes_ = 0;
};

// What a call counts its tensors as, and how many bytes may be held; 0 means no limit.
struct MemoryLimit {
  std::shared_ptr<MemoryUse> use;
  size_t bytes = 0;
};

// The limit of what this thread does now; nullptr: nothing is counted.
const MemoryLimit* current_memory_limit();

// RAII: while it exists, `limit` (or none, for nullptr) is that of this thread. The limit must outlive it.
class MemoryScope {
 public:
  explicit MemoryScope(const MemoryLimit* limit);
  ~MemoryScope();
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;

 private:
  const MemoryLimit* before_;
};

}  // namespace wasmvino
