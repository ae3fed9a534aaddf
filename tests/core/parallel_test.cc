// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/call.h"
#include "core/checked.h"
#include "core/error.h"

namespace wasmvino {
namespace {

// Says that it has eight threads, and runs everything on the caller's.
class EightThreads final : public Parallel {
 public:
  size_t threads() const override { return 8; }
};

std::vector<std::pair<size_t, size_t>> ranges_of(size_t count) {
  std::vector<std::pair<size_t, size_t>> ranges;
  const size_t grain = std::max<size_t>(1, count / 10'000);
  parallel_for(EightThreads(), count, grain,
               [&](size_t begin, size_t end) { ranges.emplace_back(begin, end); });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST(ParallelFor, CoversEveryCount) {
  // 100,000,000 items times 64 ranges are more than 32 bits hold, half the address space more than any bits
  // do.
  for (const size_t count :
       {size_t{1}, size_t{1000}, size_t{100'000'000}, static_cast<size_t>(PTRDIFF_MAX)}) {
    size_t next = 0;
    for (const auto& [begin, end] : ranges_of(count)) {
      EXPECT_EQ(begin, next) << "of " << count;
      EXPECT_LT(begin, end) << "of " << count;
      next = end;
    }
    EXPECT_EQ(next, count);
  }
  EXPECT_TRUE(ranges_of(0).empty());
}

TEST(ParallelFor, EndsBetweenTheBitsOfARange) {
  CancelFlag cancelled;
  const Limits none;
  const Call call(none, &cancelled);
  const CallScope scope(call);
  size_t done = 0;
  // An item that is a grain may be much more, so there is a poll before each. Otherwise a part has 64 grains.
  for (const auto& [grain, most] : {std::pair<size_t, size_t>{1, 1}, {2, 128}}) {
    cancelled.clear();
    done = 0;
    EXPECT_THROW(parallel_for(Parallel(), 1'000'000, grain,
                              [&](size_t begin, size_t end) {
                                done += end - begin;
                                cancelled.set();
                              }),
                 Error);
    EXPECT_EQ(done, most);
  }
  cancelled.clear();
  done = 0;
  parallel_for(Parallel(), 1'000'000, kWhole, [&](size_t begin, size_t end) { done = end - begin; });
  EXPECT_EQ(done, 1'000'000u);
}

TEST(PartBegin, IsTheQuotientRoundedDown) {
  for (const size_t count : {0u, 1u, 7u, 64u, 65u, 1000u}) {
    for (const size_t parts : {1u, 2u, 3u, 64u, 777u}) {
      for (size_t i = 0; i <= parts; ++i) EXPECT_EQ(part_begin(count, i, parts), count * i / parts);
    }
  }
  EXPECT_EQ(part_begin(65'536, 65'535, 65'536), 65'535u);
}

TEST(CheckedSize, ComputesWhatFits) {
  EXPECT_EQ((CheckedSize(3) * 5 + 1).value(), 16u);
  EXPECT_EQ((2 * (CheckedSize(3) + 4)).value(), 14u);
  EXPECT_EQ(CheckedSize(65).rounded_up(64).value(), 128u);
  EXPECT_EQ((CheckedSize(PTRDIFF_MAX) * 0).value(), 0u);
  EXPECT_EQ((CheckedSize(PTRDIFF_MAX) + 0).value(), static_cast<size_t>(PTRDIFF_MAX));
}

TEST(CheckedSize, RefusesMoreThanHalfTheAddressSpace) {
  const auto code_of = [](auto compute) {
    try {
      compute();
    } catch (const Error& error) {
      return std::string(name(error.code()));
    }
    return std::string("no error");
  };
  constexpr size_t kMost = PTRDIFF_MAX;
  EXPECT_EQ(code_of([] { (void)CheckedSize(kMost + 1); }), "OUT_OF_MEMORY");
  EXPECT_EQ(code_of([] { (void)(CheckedSize(kMost) + 1); }), "OUT_OF_MEMORY");
  EXPECT_EQ(code_of([] { (void)(CheckedSize(kMost) * 2); }), "OUT_OF_MEMORY");
  // The product wraps to 0.
  EXPECT_EQ(code_of([] { (void)(CheckedSize(kMost / 2 + 1) * 4); }), "OUT_OF_MEMORY");
  EXPECT_EQ(code_of([] { (void)CheckedSize(kMost).rounded_up(64); }), "OUT_OF_MEMORY");
}

TEST(SaturatingProduct, StopsAtTheGreatestNumber) {
  constexpr size_t kGreatest = std::numeric_limits<size_t>::max();
  EXPECT_EQ(saturating_product(size_t{2}, size_t{3}, size_t{4}), 24u);
  EXPECT_EQ(saturating_product(kGreatest, size_t{2}), kGreatest);
  EXPECT_EQ(saturating_product(kGreatest / 2 + 1, size_t{2}, size_t{1}), kGreatest);
  EXPECT_EQ(saturating_product(kGreatest, kGreatest, size_t{0}), 0u);
}

}  // namespace
}  // namespace wasmvino
