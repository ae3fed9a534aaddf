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

TEST(MemoryPlan, IsReusedForEqualBuffers) {
  const std::vector<Lifetime> buffers = {{1000, 0, 1}, {70, 1, 2}, {1000, 1, 2}};
  MemoryPlan earlier = plan_memory(buffers);
  earlier.offsets = {64, 0, 2048};  // not what plan_memory() chooses
  EXPECT_EQ(plan_memory(buffers, earlier).offsets, earlier.offsets);
  EXPECT_EQ(plan_memory({{1024, 0, 1}, {65, 1, 2}, {961, 1, 2}}, earlier).offsets, earlier.offsets);
  for (const std::vector<Lifetime>& others : {std::vector<Lifetime>{{1025, 0, 1}, {70, 1, 2}, {1000, 1, 2}},
                                              {{1000, 0, 2}, {70, 1, 2}, {1000, 1, 2}},
                                              {{1000, 0, 1}, {70, 1, 2}}}) {
    const MemoryPlan plan = plan_memory(others, earlier);
    EXPECT_NE(plan.offsets, earlier.offsets);
    expect_disjoint(others, plan);
  }
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

// So many that they are placed in the order of time.
TEST(MemoryPlan, KeepsManyLivesApart) {
  std::mt19937 random(11);
  std::vector<Lifetime> buffers(kMostBySize + 1000);
  size_t most = 0;
  std::vector<size_t> alive(buffers.size() + 20);
  for (size_t i = 0; i < buffers.size(); ++i) {
    buffers[i] = {random() % 50 == 0 ? 0 : 64 * (1 + random() % 80), i, i + random() % 20};
    for (size_t step = buffers[i].first; step <= buffers[i].last; ++step) {
      most = std::max(most, alive[step] += buffers[i].bytes);
    }
  }
  const MemoryPlan plan = plan_memory(buffers);
  EXPECT_LE(plan.bytes, 2 * most);
  // Lives that are 20 steps apart cannot meet.
  for (size_t i = 0; i < buffers.size(); ++i) {
    const std::vector<Lifetime> some(
        buffers.begin() + static_cast<ptrdiff_t>(i),
        buffers.begin() + static_cast<ptrdiff_t>(std::min(i + 20, buffers.size())));
    for (size_t j = 1; j < some.size(); ++j) {
      if (some[0].last < some[j].first || some[0].bytes == 0 || some[j].bytes == 0) continue;
      const size_t a = plan.offsets[i], b = plan.offsets[i + j];
      ASSERT_TRUE(a + some[0].bytes <= b || b + some[j].bytes <= a) << "buffers " << i << " and " << i + j;
    }
  }
}

TEST(MemoryPlan, RefusesMoreThanThereCanBeOfMany) {
  std::vector<Lifetime> buffers(kMostBySize + 1, {64, 0, 1});
  buffers.back().bytes = PTRDIFF_MAX;
  EXPECT_THROW(plan_memory(buffers), Error);
}

}  // namespace
}  // namespace wasmvino::runtime
