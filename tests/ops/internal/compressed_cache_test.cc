// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/compressed_cache.h"

#include <gtest/gtest.h>

#include "kernels/cache_rows.h"

namespace wasmvino::ops {
namespace {

constexpr int64_t kExtra = kernels::kCacheRowExtra;
constexpr int64_t kUnbounded = Dimension::kUnbounded;

TEST(CompressedCache, ShapesOfBoundedRows) {
  using enum VariablePrecision;
  const PartialShape shape = {1, Dimension(), {2, 64}};
  EXPECT_EQ(compressed_shape(kF16, shape), shape);
  EXPECT_EQ(expanded_shape(kF16, shape), shape);
  EXPECT_EQ(compressed_shape(kU8, shape), (PartialShape{1, Dimension(), {2 + kExtra, 64 + kExtra}}));
  EXPECT_EQ(expanded_shape(kU8, compressed_shape(kU8, shape)), shape);
  EXPECT_EQ(expanded_shape(kU8, {{2, kExtra + 3}}), (PartialShape{{0, 3}}));
  EXPECT_EQ(compressed_shape(kU8, PartialShape()), PartialShape());
}

TEST(CompressedCache, ShapesOfRowsWithoutABound) {
  using enum VariablePrecision;
  EXPECT_EQ(compressed_shape(kU8, {Dimension()}), (PartialShape{{kExtra, kUnbounded}}));
  EXPECT_EQ(expanded_shape(kU8, {Dimension()}), (PartialShape{Dimension()}));
  for (const int64_t below : {int64_t{1}, kExtra - 1, kExtra}) {
    EXPECT_EQ(compressed_shape(kU8, {{0, kUnbounded - below}}), (PartialShape{{kExtra, kUnbounded}}))
        << below;
  }
  EXPECT_EQ(compressed_shape(kU8, {{0, kUnbounded - kExtra - 1}}), (PartialShape{{kExtra, kUnbounded - 1}}));
}

}  // namespace
}  // namespace wasmvino::ops
