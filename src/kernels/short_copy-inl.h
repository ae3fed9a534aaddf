// SPDX-License-Identifier: Apache-2.0
// Copies and fills a few bytes without memory.copy and memory.fill, which take at least 10 ns in V8, however
// few bytes they write.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

using U8x16 = hn::FixedTag<uint8_t, 16>;

// Copies `count` bytes.
HWY_INLINE void copy_bytes(const uint8_t* from, size_t count, uint8_t* to) {
  const auto copy_twice = [&](auto part) HWY_ATTR {
    constexpr size_t kSize = sizeof(part);
    std::memcpy(&part, from, kSize);
    std::memcpy(to, &part, kSize);
    std::memcpy(&part, from + count - kSize, kSize);
    std::memcpy(to + count - kSize, &part, kSize);
  };
  if (count >= 16) {
    const U8x16 d;
    for (size_t i = 0; i + 16 <= count; i += 16) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    return hn::StoreU(hn::LoadU(d, from + count - 16), d, to + count - 16);
  }
  if (count >= 8) return copy_twice(uint64_t{});
  if (count >= 4) return copy_twice(uint32_t{});
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}

// Fills `count` bytes.
HWY_INLINE void fill_bytes(uint8_t value, size_t count, uint8_t* to) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) hn::StoreU(hn::Set(U8x16(), value), U8x16(), to + i);
  for (; i < count; ++i) to[i] = value;
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
