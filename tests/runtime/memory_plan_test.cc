// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

#include "core/error.h"

namespace wasmvino::runtime {
namespace {

void expect_disjoint(const std::vector<Lifetime>& buffers, const MemoryPlan& plan) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % kArenaAlignment, 0u);
    EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.bytes);
    for (size_t j = 0; j < i; ++j) {
      if (buffers[i].last < buffers[j].first || buffers[j].last < buffers[i].first) continue;
      const bool apart = plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                         plan.offsets[j] + buffers[j].bytes <= plan.offsets[i];
      EXPECT_TRUE(apart) << "buffers " << i << " and " << j << " live at the same time in one place";
    }
  }
}

TEST(MemoryPlan, UsesMemoryAgainWhenALifeHasEnded) {
  const std::vector<Lifetime> chain = {{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}, {1000, 3, 4}};
  const MemoryPlan plan = plan_memory(chain);
  expect_disjoint(chain, plan);
  EXPECT_EQ(plan.bytes, 2048u);
}

TEST(MemoryPlan, FillsGapsBelowLargerBuffers) {
  const std::vector<Lifetime> buffers = {{4096, 0, 1}, {4096, 2, 3}, {64, 0, 3}, {2048, 1, 2}};
  const MemoryPlan plan = plan_memory(buffers);
  expect_disjoint(buffers, plan);
  EXPECT_EQ(plan.bytes, 4096u + 2048u + 64u);
}

TEST(MemoryPlan, TakesNothingForNothing) {
  EXPECT_EQ(plan_memory({}).bytes, 0u);
  EXPECT_EQ(plan_memory({{0, 0, 5}, {0, 2, 3}}).bytes, 0u);
}

TEST(MemoryPlan, RefusesMoreThanThereCanBe) {
  constexpr size_t kHalf = static_cast<size_t>(PTRDIFF_MAX) / 2 + 1;
  EXPECT_EQ(plan_memory({{kHalf, 0, 1}, {kHalf, 2, 3}}).bytes, kHalf);
  EXPECT_THROW(plan_memory({{kHalf, 0, 1}, {kHalf, 1, 2}}), Error);
}

TEST(MemoryPlan, KeepsRandomLivesApart) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> buffers(60);
    for (Lifetime& buffer : buffers) {
      buffer.bytes = random() % 5000;
      buffer.first = random() % 40;
      buffer.last = buffer.first + random() % 10;
    }
    expect_disjoint(buffers, plan_memory(buffers));
  }
}

}  // namespace
}  // namespace wasmvino::runtime
