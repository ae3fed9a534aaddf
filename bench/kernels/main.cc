// SPDX-License-Identifier: Apache-2.0
// bench_kernels [FILTER [ROUNDS [MILLISECONDS]]]: times and rates of the cases whose names contain FILTER,
// and their share of the registers' peak, which is measured right before and after each: other work on the
// machine slows both.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench.h"
#include "kernels/registers.h"

namespace wasmvino::bench {

float* buffer(size_t n) {
  float* data = static_cast<float*>(std::aligned_alloc(64, (n * sizeof(float) + 127) / 64 * 64));
  uint32_t state = 1;
  for (size_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    data[i] = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-32f;
  }
  return data;
}

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds of one call, over a window long enough for coarse timers.
double seconds_per_call(const Case& c, double window) {
  size_t calls = 0, batch = 1;
  const double begin = now();
  double elapsed = 0;
  do {
    for (size_t i = 0; i < batch; ++i) c.run();
    calls += batch;
    elapsed = now() - begin;
    if (elapsed < window / 8) batch *= 2;
  } while (elapsed < window);
  return elapsed / static_cast<double>(calls);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

int run(const char* filter, int rounds, double window) {
  Suite suite;
  add_peak(suite);
  add_gemm(suite);
  add_conv(suite);
  add_unary(suite);
  add_integers(suite);
  const Case& peak = suite.cases().front();
  std::vector<const Case*> cases;
  for (const Case& c : suite.cases()) {
    if (std::strstr(c.name.c_str(), filter) != nullptr) cases.push_back(&c);
  }
  std::vector<std::vector<double>> seconds(cases.size()), shares(cases.size());
  for (int round = -1; round < rounds; ++round) {  // one round to warm up: wasm is compiled twice
    double before = seconds_per_call(peak, window / 4);
    for (size_t i = 0; i < cases.size(); ++i) {
      kernels::probe_registers();
      const double s = seconds_per_call(*cases[i], window);
      const double after = seconds_per_call(peak, window / 4);
      if (round >= 0) {
        seconds[i].push_back(s);
        const double rate = peak.operations * 2 / (before + after);
        shares[i].push_back(cases[i]->operations / s / rate);
      }
      before = after;
    }
  }
  std::printf("%-40s %10s %10s %10s  %s\n", "", "best us", "median us", "rate", "share of the peak");
  for (size_t i = 0; i < cases.size(); ++i) {
    const double best = *std::min_element(seconds[i].begin(), seconds[i].end());
    std::printf("%-40s %10.2f %10.2f %10.2f %s", cases[i]->name.c_str(), best * 1e6, median(seconds[i]) * 1e6,
                cases[i]->operations / best * 1e-9, cases[i]->unit);
    if (std::strcmp(cases[i]->unit, "GFLOP/s") == 0) std::printf(" %3.0f %%", 100 * median(shares[i]));
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace wasmvino::bench

int main(int argc, char** argv) {
  return wasmvino::bench::run(argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 7,
                              (argc > 3 ? std::atof(argv[3]) : 16) * 1e-3);
}
