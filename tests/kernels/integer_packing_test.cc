// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_packing.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

TEST(IntegerPacking, MatchesThatOfWeights) {
  for (const IntegerDot dot : {IntegerDot::kPairs, IntegerDot::kUnsigned, IntegerDot::kSigned}) {
    for (const size_t k : {1, 2, 3, 4, 7, 32}) {
      for (const size_t n : {1, 7, 8, 9, 16, 21}) {
        for (const bool by_rows : {false, true}) {
          SCOPED_TRACE(testing::Message() << int(dot) << ": " << k << "x" << n << (by_rows ? ", rows" : ""));
          const size_t k_stride = by_rows ? n + 2 : 1, n_stride = by_rows ? 1 : k + 3;
          const size_t last = (k - 1) * k_stride + (n - 1) * n_stride;
          const std::vector<uint8_t> b = random_bytes(last + 1, 1);
          std::vector<int8_t> shifted(b.size());
          for (size_t i = 0; i < b.size(); ++i) shifted[i] = static_cast<int8_t>(b[i] - 128);
          const size_t size = integer_weights_size(k, n);
          std::vector<int8_t> packed(size + 1, 77), expected(size + 1, 77);
          std::vector<int32_t> sums((n + kPanelColumns - 1) / kPanelColumns * kPanelColumns);
          pack_integer_data(dot, b.data(), k_stride, n_stride, k, n, packed.data());
          pack_integer_weights(dot, shifted.data(), k_stride, n_stride, k, n, expected.data(), sums.data());
          EXPECT_EQ(packed, expected);
        }
      }
    }
  }
}

TEST(IntegerPacking, SumsBytes) {
  for (const size_t n : {0, 1, 15, 16, 17, 1000, 65000}) {
    std::vector<uint8_t> x = random_bytes(n, 1);
    EXPECT_EQ(sum_of_bytes(x.data(), n), std::accumulate(x.begin(), x.end(), uint32_t{0}));
    std::fill(x.begin(), x.end(), uint8_t{255});
    EXPECT_EQ(sum_of_bytes(x.data(), n), 255 * n);
  }
}

}  // namespace
}  // namespace wasmvino::kernels
