// SPDX-License-Identifier: Apache-2.0
#include "core/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino {
namespace {

struct Record {
  float score;
  uint32_t index;
  uint32_t filler[14];  // as large as records may be
  friend bool operator==(const Record& a, const Record& b) {
    return a.score == b.score && a.index == b.index;
  }
};

bool is_better(const Record& a, const Record& b) {
  return a.score > b.score || (a.score == b.score && a.index < b.index);
}

// `distinct` different scores.
std::vector<Record> records(size_t count, int64_t distinct, uint32_t seed) {
  kernels::Random random(seed);
  std::vector<Record> made(count);
  for (size_t i = 0; i < count; ++i) {
    made[i] = {static_cast<float>(random.integer(0, distinct - 1)), static_cast<uint32_t>(i), {}};
  }
  return made;
}

void check(std::vector<Record> made, size_t best) {
  std::vector<Record> expected = made;
  std::sort(expected.begin(), expected.end(), is_better);
  sort_best(made.data(), made.data() + made.size(), best, is_better);
  for (size_t i = 0; i < std::min(best, made.size()); ++i) ASSERT_EQ(made[i], expected[i]) << i;
  std::sort(made.begin(), made.end(), is_better);
  EXPECT_EQ(made, expected);  // none lost
}

TEST(SortBest, OrdersTheFirst) {
  for (const size_t count : {0, 1, 2, 3, 11, 12, 13, 14, 25, 100, 1000, 5000}) {
    for (const int64_t distinct : {1, 2, 7, 1000000}) {
      for (const size_t best : {size_t{0}, size_t{1}, size_t{5}, count / 3, count, count + 1}) {
        check(records(count, distinct, static_cast<uint32_t>(count + best)), best);
      }
    }
  }
}

TEST(SortBest, TakesSortedAndEqualRecords) {
  std::vector<Record> sorted = records(3000, 1000000, 1);
  std::sort(sorted.begin(), sorted.end(), is_better);
  check(sorted, 3000);
  std::reverse(sorted.begin(), sorted.end());
  check(sorted, 3000);
  std::rotate(sorted.begin(), sorted.begin() + 1500, sorted.end());
  check(sorted, 3000);
}

// Comparisons stay below 2 n log2 n: no sequence of these sizes falls into quadratic time.
TEST(SortBest, ComparesSeldom) {
  size_t compared = 0;
  const auto counted = [&compared](uint32_t a, uint32_t b) {
    ++compared;
    return a < b;
  };
  const size_t count = 20000;
  const double most = 2 * static_cast<double>(count) * std::log2(static_cast<double>(count));
  std::vector<uint32_t> numbers(count);
  for (int form = 0; form < 4; ++form) {
    for (size_t i = 0; i < count; ++i) {
      const size_t values[] = {i, count - i, std::min(i, count - i), i % 2};
      numbers[i] = static_cast<uint32_t>(values[form]);
    }
    compared = 0;
    sort_all(numbers.data(), numbers.data() + count, counted);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    EXPECT_LT(static_cast<double>(compared), most) << form;
  }
  kernels::Random random(3);
  for (uint32_t& number : numbers) number = random.next();
  compared = 0;
  sort_best(numbers.data(), numbers.data() + count, 100, counted);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.begin() + 100));
  EXPECT_LT(compared, 5 * count);
}

TEST(SortFew, KeepsTheOrderOfEquals) {
  std::vector<std::pair<int, std::string>> pairs = {{2, "a"}, {1, "b"}, {2, "c"}, {0, "d"}, {1, "e"}};
  sort_few(pairs.data(), pairs.data() + pairs.size(),
           [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string order;
  for (const auto& [number, letter] : pairs) order += letter;
  EXPECT_EQ(order, "dbeac");

  std::vector<int64_t> numbers = {3, -1, 2};
  sort_few(numbers.data(), numbers.data() + numbers.size());
  EXPECT_EQ(numbers, (std::vector<int64_t>{-1, 2, 3}));
  sort_few(numbers.data(), numbers.data());
}

TEST(SortBest, StaysInsideWithNan) {
  std::vector<float> numbers(200);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = i % 3 == 0 ? NAN : static_cast<float>(i * 37 % 101);
  std::vector<float> guarded(202, 42);
  std::copy(numbers.begin(), numbers.end(), guarded.begin() + 1);
  sort_all(guarded.data() + 1, guarded.data() + 201, [](float a, float b) { return a < b; });
  EXPECT_EQ(guarded.front(), 42);
  EXPECT_EQ(guarded.back(), 42);
  EXPECT_EQ(std::count_if(guarded.begin(), guarded.end(), [](float x) { return std::isnan(x); }), 67);
}

}  // namespace
}  // namespace wasmvino
