// SPDX-License-Identifier: Apache-2.0
#include "kernels/registers.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

#if defined(__wasm_relaxed_simd__)

namespace {

using Clock = std::chrono::steady_clock;
using Time = std::chrono::duration<double, std::micro>;

// Twelve chains of additions. Only the throughput of registers limits them: three operations per cycle.
constexpr size_t kChains = 12;
// A loop takes 100 us if nothing is joined.
constexpr size_t kSteps = 40000;
// Measurements of each loop per probe; probes that must agree before tiles become wide; probes in all.
constexpr int kRounds = 2, kAgreeing = 2, kProbes = 6;
// With a coarser clock, 50 and 100 us cannot be told apart. Clocks of pages that are not cross-origin
// isolated are (100 us in Chromium).
constexpr Time kFineClock{8};

// kStride: the distance of two results. V8 joins what is stored at adjacent places.
template <size_t kStride>
HWY_INLINE void run_chains(const uint32_t* x, uint32_t* to, size_t steps) {
  const U32x4 d;
  const auto a = hn::LoadU(d, x), b = hn::LoadU(d, x + 4);
  hn::Vec<U32x4> chains[kChains];
  HWY_UNROLL(12)
  for (size_t i = 0; i < kChains; ++i) chains[i] = hn::LoadU(d, to + i * kStride);
  HWY_UNROLL(1)
  for (; steps > 0; --steps) {
    HWY_UNROLL(12)
    for (size_t i = 0; i < kChains; ++i) chains[i] = hn::Xor(hn::Add(chains[i], a), b);
  }
  HWY_UNROLL(12)
  for (size_t i = 0; i < kChains; ++i) hn::StoreU(chains[i], d, to + i * kStride);
}

// One function, so that V8 optimises both loops at the same time.
HWY_NOINLINE void run_chains(bool adjacent, const uint32_t* x, uint32_t* to) {
  adjacent ? run_chains<4>(x, to, kSteps) : run_chains<8>(x, to, kSteps);
}

// Whether the clock advances by a fine step within a number of readings, which take less than 1 ms together.
// The clocks of some places never advance during a call.
bool has_fine_clock() {
  constexpr int kReadings = 2000;
  Clock::time_point last = Clock::now();
  for (int i = 0; i < kReadings; ++i) {
    const Clock::time_point now = Clock::now();
    if (now != last && Time(now - last) < kFineClock) return true;
    last = now;
  }
  return false;
}

bool are_joined() {
  alignas(16) static uint32_t memory[8 + 8 * kChains] = {1, 2, 3, 4, 5, 6, 7, 8};
  // V8 does not start from stores at constant addresses, so the compiler must not know this one.
  uint32_t* volatile place = memory;
  // The loop that nothing joins comes last: if V8 optimises the function in between, it is not the slower
  // one.
  Time times[2] = {Time::max(), Time::max()};
  for (int round = 0; round < kRounds; ++round) {
    for (const bool adjacent : {true, false}) {
      const Clock::time_point begin = Clock::now();
      run_chains(adjacent, place, place + 8);
      times[adjacent] = std::min(times[adjacent], Time(Clock::now() - begin));
    }
  }
  return times[true] < 0.75 * times[false];
}

}  // namespace

void probe_registers() {
  static std::atomic_flag probing;
  static int probes = kProbes, agreeing = 0;
  if (probing.test_and_set()) return;
  if (probes == kProbes && !has_fine_clock()) probes = 0;
  if (probes > 0) {
    --probes;
    agreeing = are_joined() ? agreeing + 1 : 0;
    if (agreeing == kAgreeing) {
      set_wide_registers(true);
      probes = 0;
    }
  }
  probing.clear();
}

#else

void probe_registers() {}

#endif

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
