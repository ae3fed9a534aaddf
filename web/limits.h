// SPDX-License-Identifier: Apache-2.0
// The limits of a call, as JavaScript passes them. They also count the memory of their owner: not only
// tensors, as the engine does, but whatever is allocated with operator new.
#pragma once

#include <cstdint>

#include "core/call.h"
#include "core/memory_use.h"

namespace wasmvino::web {

// JavaScript numbers. 0 means no limit.
struct CallLimits {
  uint32_t owner = 0;       // the number of the Core that the call is for
  double memory_bytes = 0;  // of what calls for this owner have made and keep
  double tensor_bytes = 0;
  double layers = 0;
  double nesting = 0;
  double iterations = 0;
  double milliseconds = 0;
};

// In the engine's form.
struct AllLimits {
  Limits limits;
  MemoryLimit memory;
};
AllLimits to_limits(const CallLimits& limits);

// Calls the body as a call with these limits.
template <typename Body>
auto within(const AllLimits& all, const Body& body) {
  const Call call(all.limits);
  const CallScope scope(call);
  const MemoryScope memory(&all.memory);
  return body();
}

}  // namespace wasmvino::web
