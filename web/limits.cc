// SPDX-License-Identifier: Apache-2.0
#include "limits.h"

#include <atomic>
#include <cmath>
#include <limits>

namespace {

std::atomic<size_t> memory_limit = 0;

}  // namespace

// The linker substitutes this for Emscripten's function (web/CMakeLists.txt). malloc() calls it, on any
// thread, when the memory must grow.
extern "C" int __real_emscripten_resize_heap(size_t bytes);
extern "C" int __wrap_emscripten_resize_heap(size_t bytes) {
  const size_t limit = memory_limit.load(std::memory_order_relaxed);
  return limit != 0 && bytes > limit ? 0 : __real_emscripten_resize_heap(bytes);
}

namespace wasmvino::web {
namespace {

template <typename T>
T bounded(double value) {
  if (!(value > 0)) return 0;
  constexpr T kMost = std::numeric_limits<T>::max();
  return value >= static_cast<double>(kMost) ? kMost : static_cast<T>(std::ceil(value));
}

}  // namespace

Limits to_limits(const CallLimits& limits) {
  memory_limit.store(bounded<size_t>(limits.memory_bytes), std::memory_order_relaxed);
  return {.tensor_bytes = bounded<size_t>(limits.tensor_bytes),
          .layers = bounded<size_t>(limits.layers),
          .nesting = bounded<size_t>(limits.nesting),
          .iterations = bounded<uint64_t>(limits.iterations),
          .milliseconds = limits.milliseconds};
}

}  // namespace wasmvino::web
