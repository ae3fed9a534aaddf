// SPDX-License-Identifier: Apache-2.0
// Functions of levels, as tables of 256 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

inline constexpr size_t kLevels = 256;

// y[i] = table[x[i]]. x and y may be the same.
void look_up(const uint8_t* table, const uint8_t* x, uint8_t* y, size_t n);

// y[i] = tables[256 * i + x[i]]: each of `channels` elements has its own table.
void look_up_by_channel(const uint8_t* tables, const uint8_t* x, uint8_t* y, size_t channels);

}  // namespace wasmvino::kernels
