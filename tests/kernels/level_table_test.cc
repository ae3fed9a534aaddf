// SPDX-License-Identifier: Apache-2.0
#include "kernels/level_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

TEST(LevelTables, GiveALevelForEachLevel) {
  for (const size_t n : {0, 1, 7, 8, 9, 300}) {
    const std::vector<uint8_t> x = random_bytes(n, 1), tables = random_bytes(kLevels * (n + 1), 2);
    std::vector<uint8_t> all(n + 1, 77), own(n + 1, 77);
    look_up(tables.data(), x.data(), all.data(), n);
    look_up_by_channel(tables.data(), x.data(), own.data(), n);
    for (size_t i = 0; i < n; ++i) {
      EXPECT_EQ(all[i], tables[x[i]]);
      EXPECT_EQ(own[i], tables[kLevels * i + x[i]]);
    }
    EXPECT_EQ(all[n], 77);
    EXPECT_EQ(own[n], 77);
  }
}

}  // namespace
}  // namespace wasmvino::kernels
