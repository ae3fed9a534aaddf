// SPDX-License-Identifier: Apache-2.0
// The limits of a call, as JavaScript passes them.
#pragma once

#include "core/call.h"

namespace wasmvino::web {

// JavaScript numbers. 0 means no limit.
struct CallLimits {
  double memory_bytes = 0;  // of the whole WebAssembly memory
  double tensor_bytes = 0;
  double layers = 0;
  double nesting = 0;
  double iterations = 0;
  double milliseconds = 0;
};

// Converts to the engine's form. From now on, the memory may grow to `memory_bytes`.
Limits to_limits(const CallLimits& limits);

}  // namespace wasmvino::web
