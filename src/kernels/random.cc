// SPDX-License-Identifier: Apache-2.0
#include "kernels/random.h"

#include <atomic>
#include <ctime>

namespace wasmvino::kernels {

void philox(uint64_t key, uint64_t counter, uint64_t n, uint32_t (&block)[4]) {
  const auto low = [](uint64_t value) { return static_cast<uint32_t>(value); };
  const auto high = [](uint64_t value) { return static_cast<uint32_t>(value >> 32); };
  uint32_t key_low = low(key);
  uint32_t key_high = high(key);
  block[0] = low(n);
  block[1] = high(n);
  block[2] = low(counter);
  block[3] = high(counter);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * block[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * block[2];
    block[0] = high(b) ^ block[1] ^ key_low;
    block[1] = low(b);
    block[2] = high(a) ^ block[3] ^ key_high;
    block[3] = low(a);
    key_low += 0x9E3779B9;
    key_high += 0xBB67AE85;
  }
}

uint64_t arbitrary_seed() {
  static std::atomic<uint64_t> count = 0;
  std::timespec now{};  // not std::chrono, which costs more: see core/call.h
  std::timespec_get(&now, TIME_UTC);
  uint32_t block[4];
  philox(static_cast<uint64_t>(now.tv_sec) << 30 | static_cast<uint64_t>(now.tv_nsec), ++count, 0, block);
  return block[0] | uint64_t{block[1]} << 32;
}

}  // namespace wasmvino::kernels
