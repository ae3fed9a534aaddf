// SPDX-License-Identifier: Apache-2.0
// Packs buffers with known lifetimes into one arena.
#pragma once

#include <cstddef>
#include <vector>

namespace wasmvino::runtime {

struct Lifetime {
  size_t bytes = 0;
  size_t first = 0;  // first step that writes it
  size_t last = 0;   // last step that reads it
};

struct MemoryPlan {
  std::vector<size_t> offsets;  // by buffer, multiples of kArenaAlignment
  size_t bytes = 0;
};

inline constexpr size_t kArenaAlignment = 64;
// Large networks have about 1,000 buffers. Placing 8,192 by size takes 20 ms.
inline constexpr size_t kMostBySize = 8192;

// Gives disjoint places to buffers that live at the same time. The largest are placed first, each at the
// lowest offset that is free during its lifetime (greedy by size; Pisarchyk and Lee, "Efficient Memory
// Management for Deep Neural Net Inference", arXiv:2001.03288). This compares every pair of buffers. More
// than kMostBySize buffers are therefore placed in the order of time, each in the smallest block that is free
// then.
MemoryPlan plan_memory(const std::vector<Lifetime>& buffers);

}  // namespace wasmvino::runtime
