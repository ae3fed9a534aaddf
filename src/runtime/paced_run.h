// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parallel.h"
#include "runtime/pace.h"

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#include <chrono>
#endif

namespace wasmvino::runtime {

// A run of a plan, on as many threads as its pace says; where nothing is thrown, it tells how long it took.
class PacedRun {
 public:
  PacedRun(Pace& pace, const Parallel& parallel);
  ~PacedRun();
  PacedRun(const PacedRun&) = delete;
  PacedRun& operator=(const PacedRun&) = delete;
  void succeeded();

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
 private:
  Pace* pace_ = nullptr;
  bool before_;
  size_t jobs_;
  std::chrono::steady_clock::time_point start_;
#endif
};

}  // namespace wasmvino::runtime
