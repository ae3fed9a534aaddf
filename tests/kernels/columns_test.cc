// SPDX-License-Identifier: Apache-2.0
#include "kernels/columns.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

TEST(Columns, EveryWidth) {
  for (size_t n = 0; n <= 19; ++n) {
    SCOPED_TRACE(n);
    const std::vector<float> x = random_floats(n, 3), scales = random_floats(n, 4),
                             shifts = random_floats(n, 5);
    const std::vector<double> means(shifts.begin(), shifts.end());
    std::vector<double> sums(n + 1, 0.25), squares = sums, differences = sums;
    add_columns(x.data(), n, sums.data());
    add_square_columns(x.data(), nullptr, n, squares.data());
    add_square_columns(x.data(), means.data(), n, differences.data());
    std::vector<float> scaled(n + 1, 5.0f), normalized = scaled;
    scale_columns(x.data(), nullptr, scales.data(), scaled.data(), n);
    scale_columns(x.data(), shifts.data(), scales.data(), normalized.data(), n);
    for (size_t j = 0; j < n; ++j) {
      const double value = static_cast<double>(x[j]), difference = value - means[j];
      EXPECT_DOUBLE_EQ(sums[j], 0.25 + value);
      EXPECT_DOUBLE_EQ(squares[j], 0.25 + value * value);
      EXPECT_DOUBLE_EQ(differences[j], 0.25 + difference * difference);
      EXPECT_EQ(scaled[j], x[j] * scales[j]);
      EXPECT_EQ(normalized[j], (x[j] - shifts[j]) * scales[j]);
    }
    EXPECT_EQ(sums[n], 0.25);
    EXPECT_EQ(squares[n], 0.25);
    EXPECT_EQ(scaled[n], 5.0f);
  }
}

}  // namespace
}  // namespace wasmvino::kernels
