// SPDX-License-Identifier: Apache-2.0
#include "kernels/best_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

// Whether a, which comes later, is better than b.
bool is_better(float a, float b, bool smallest) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b) && std::isnan(a) != smallest;
  return smallest ? a < b : a > b;
}

void check(const std::vector<float>& x, size_t rows, size_t stride, size_t columns) {
  for (const bool smallest : {false, true}) {
    SCOPED_TRACE(testing::Message() << rows << "x" << columns << (smallest ? " smallest" : " greatest"));
    std::vector<float> values(columns + 1, -777.0f);
    std::vector<int32_t> indices(columns + 1, -777);
    best_rows(x.data(), rows, stride, columns, smallest, values.data(), indices.data());
    ASSERT_EQ(values.back(), -777.0f);
    ASSERT_EQ(indices.back(), -777);
    for (size_t c = 0; c < columns; ++c) {
      size_t best = 0;
      for (size_t r = 1; r < rows; ++r) {
        if (is_better(x[r * stride + c], x[best * stride + c], smallest)) best = r;
      }
      ASSERT_EQ(indices[c], static_cast<int32_t>(best)) << c;
      const float value = x[best * stride + c];
      ASSERT_TRUE(std::isnan(value) ? std::isnan(values[c]) : values[c] == value) << c;
    }
  }
}

void check_row(const std::vector<float>& x, size_t count) {
  for (const bool smallest : {false, true}) {
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
      if (is_better(x[i], x[best], smallest)) best = i;
    }
    ASSERT_EQ(best_element(x.data(), count, smallest), best)
        << count << (smallest ? " smallest" : " greatest");
  }
}

TEST(BestRows, NextBetterElement) {
  for (const bool smallest : {false, true}) {
    for (const float bound : {0.25f, -0.5f, 0.0f, kNan, kInf, -kInf}) {
      for (size_t count = 0; count < 60; ++count) {
        std::vector<float> x = random_floats(count + 1, count);
        if (count > 5) x[count - 3] = kNan;
        if (count > 40) x[30] = bound;
        for (size_t begin = 0; begin <= count; begin += 7) {
          size_t next = begin;
          while (next < count && !is_better(x[next], bound, smallest)) ++next;
          ASSERT_EQ(next_better(x.data(), begin, count, bound, smallest), next)
              << begin << " of " << count << (smallest ? " smaller than " : " greater than ") << bound;
        }
      }
    }
  }
}

TEST(BestRows, Sizes) {
  for (size_t count = 1; count < 100; ++count) check_row(random_floats(count, 1), count);

  for (size_t rows : {1, 2, 5, 21}) {
    for (size_t columns = 1; columns < 40; ++columns) {
      check(random_floats(rows * (columns + 3), 1), rows, columns + 3, columns);
    }
  }
}

// Few values, so that there are many ties. Zeros of both signs are equal.
TEST(BestRows, TiesAndSpecialValues) {
  const float values[] = {0.0f, -0.0f, 1.0f, -kInf, kInf, kNan, -kNan, -1.0f};
  for (size_t distinct = 1; distinct <= 8; ++distinct) {
    std::vector<float> x(9 * 50);
    Random random(static_cast<uint32_t>(distinct));
    for (float& value : x) value = values[random.next() % distinct];
    check(x, 9, 50, 50);
    for (size_t first = 0; first < 200; ++first) {
      for (size_t count : {1, 9, 16, 33, 48, 150})
        check_row({x.begin() + static_cast<ptrdiff_t>(first), x.end()}, count);
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
