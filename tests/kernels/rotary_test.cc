// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary.h"

#include <gtest/gtest.h>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

TEST(Rotary, RotatesEachPair) {
  for (size_t n = 0; n < 40; n += 2) {
    for (const bool same_cos : {false, true}) {
      for (const bool same_sin : {false, true}) {
        const size_t half = n / 2;
        const std::vector<float> x = random_floats(n, 1), c = random_floats(n + 1, 2),
                                 s = random_floats(n + 1, 3);
        const RowFactors cos = {c.data(), same_cos}, sin = {s.data(), same_sin};
        std::vector<float> y(n + 1, -777.0f);
        rotate_row(x.data(), cos, sin, y.data(), n);
        for (size_t i = 0; i < n; ++i) {
          const float other = i < half ? -x[i + half] : x[i - half];
          const float first = x[i] * c[same_cos ? 0 : i], second = other * s[same_sin ? 0 : i];
          EXPECT_EQ(y[i], first + second) << "element " << i << " of " << n;
        }
        EXPECT_EQ(y[n], -777.0f);
        std::vector<float> over = x;
        rotate_row(over.data(), cos, sin, over.data(), n);
        y.pop_back();
        EXPECT_EQ(over, y);
      }
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
