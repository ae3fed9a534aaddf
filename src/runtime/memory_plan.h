// SPDX-License-Identifier: Apache-2.0
// Offsets in one arena for buffers whose lives are known.
#pragma once

#include <cstddef>
#include <vector>

namespace wasmvino::runtime {

struct Lifetime {
  size_t bytes = 0;
  size_t first = 0;  // step that writes it first
  size_t last = 0;   // step that reads it last
};

struct MemoryPlan {
  std::vector<size_t> offsets;  // by buffer, multiples of kArenaAlignment
  size_t bytes = 0;
};

inline constexpr size_t kArenaAlignment = 64;
// Large networks have some 1,000 buffers; 8,192 take 20 ms by size.
inline constexpr size_t kMostBySize = 8192;

// Gives buffers that live at the same time disjoint places. The largest are placed first, each at the lowest
// offset that is free during its life (greedy by size; Pisarchyk and Lee, "Efficient Memory Management for
// Deep Neural Net Inference", arXiv:2001.03288). That looks at every pair of buffers: more than kMostBySize
// are placed in the order of time instead, each in the smallest block that is free then.
MemoryPlan plan_memory(const std::vector<Lifetime>& buffers);

}  // namespace wasmvino::runtime
