// SPDX-License-Identifier: Apache-2.0
// Reproducible data for tests of kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wasmvino::kernels {

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 12345u) {}
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }
  // In -1 .. 1.
  float real() { return static_cast<float>(static_cast<int32_t>(next())) * 0x1p-31f; }
  // In low .. high, both inclusive.
  int64_t integer(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  uint32_t state_;
};

inline std::vector<float> random_floats(size_t n, uint32_t seed) {
  Random random(seed);
  std::vector<float> values(n);
  for (float& v : values) v = random.real();
  return values;
}

inline std::vector<uint8_t> random_bytes(size_t n, uint32_t seed) {
  Random random(seed);
  std::vector<uint8_t> values(n);
  for (uint8_t& v : values) v = static_cast<uint8_t>(random.integer(0, 255));
  return values;
}

}  // namespace wasmvino::kernels
