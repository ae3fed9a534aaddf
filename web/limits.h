// SPDX-License-Identifier: Apache-2.0
// Limits of a call as JavaScript gives them.
#pragma once

#include "core/call.h"

namespace wasmvino::web {

// Numbers of JavaScript; 0: no bound.
struct CallLimits {
  double memory_bytes = 0;  // of the whole WebAssembly memory
  double tensor_bytes = 0;
  double layers = 0;
  double nesting = 0;
  double iterations = 0;
  double milliseconds = 0;
};

// The engine's form. The memory may grow to `memory_bytes` from now on.
Limits to_limits(const CallLimits& limits);

}  // namespace wasmvino::web
