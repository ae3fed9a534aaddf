// SPDX-License-Identifier: Apache-2.0
#include "kernels/level_table.h"

namespace wasmvino::kernels {

void look_up(const uint8_t* table, const uint8_t* x, uint8_t* y, size_t n) {
  size_t i = 0;
  // Vectors have no lookup in more than 16 bytes. All four lookups come before the stores, which the compiler
  // must assume to change the table.
  for (; i + 4 <= n; i += 4) {
    const uint8_t first = table[x[i]], second = table[x[i + 1]], third = table[x[i + 2]],
                  fourth = table[x[i + 3]];
    y[i] = first;
    y[i + 1] = second;
    y[i + 2] = third;
    y[i + 3] = fourth;
  }
  for (; i < n; ++i) y[i] = table[x[i]];
}

void look_up_by_channel(const uint8_t* tables, const uint8_t* x, uint8_t* y, size_t channels) {
  for (size_t c = 0; c < channels; ++c) y[c] = tables[c * kLevels + x[c]];
}

}  // namespace wasmvino::kernels
