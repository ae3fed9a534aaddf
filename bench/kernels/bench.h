// SPDX-License-Identifier: Apache-2.0
// Cases of the kernel benchmark: each is run in turn for a few milliseconds, round after round, so that a
// slow spell of the machine falls on all of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace wasmvino::bench {

struct Case {
  std::string name;
  double operations;  // floating point operations, or bytes moved, of one call
  const char* unit;   // "GFLOP/s" or "GB/s"
  std::function<void()> run;
};

class Suite {
 public:
  void add(std::string name, double operations, const char* unit, std::function<void()> run) {
    cases_.push_back({std::move(name), operations, unit, std::move(run)});
  }
  const std::vector<Case>& cases() const { return cases_; }

 private:
  std::vector<Case> cases_;
};

// Aligned as the engine's arena, filled with small numbers, alive until the process ends.
float* buffer(size_t n);

// The greatest rate of multiply-adds that this build's registers allow.
void add_peak(Suite& suite);
void add_gemm(Suite& suite);
void add_conv(Suite& suite);
void add_unary(Suite& suite);
void add_integers(Suite& suite);

}  // namespace wasmvino::bench
