// SPDX-License-Identifier: Apache-2.0
#include "kernels/blend.h"

#include <gtest/gtest.h>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

TEST(Blend, WeightedSumOfFourRows) {
  for (size_t n = 0; n < 23; ++n) {
    const std::vector<float> x = random_floats(4 * n + 4, n + 1);
    const Corners corners = {{x.data(), x.data() + n, x.data() + 2 * n, x.data() + 3 * n},
                             {0.5f, -2.0f, 0.25f, 3.0f}};
    std::vector<float> y(n + 1, -777.0f);
    blend(corners, y.data(), n);
    for (size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (size_t k = 0; k < 4; ++k) sum += static_cast<double>(corners.weights[k]) * corners.rows[k][i];
      EXPECT_NEAR(y[i], sum, 1e-6) << "element " << i << " of " << n;
    }
    EXPECT_EQ(y[n], -777.0f);
  }
}

}  // namespace
}  // namespace wasmvino::kernels
