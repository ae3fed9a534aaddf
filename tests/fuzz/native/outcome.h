// SPDX-License-Identifier: Apache-2.0
// Defines what a fuzz target accepts: within limits, either a result or an Error that says why there is none.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "core/call.h"
#include "core/error.h"
#include "core/text.h"

namespace wasmvino::test {

// Small enough for thousands of executions per second, large enough for every path.
// WASMVINO_FUZZ_MILLISECONDS replaces the limit of time, which makes results depend on the speed of the
// machine.
inline const Limits kFuzzLimits = [] {
  const char* const milliseconds = std::getenv("WASMVINO_FUZZ_MILLISECONDS");
  return Limits{.tensor_bytes = size_t{16} << 20,
                .layers = 2000,
                .iterations = 1000,
                .milliseconds = milliseconds == nullptr ? 2000 : std::strtod(milliseconds, nullptr)};
}();

// Runs the statement within the limits. Ends the process if the engine throws anything but an Error, or an
// Error that no input may cause (an internal one).
template <typename Statement>
void run_within_limits(const Statement& statement) {
  const Call call(kFuzzLimits);
  const CallScope scope(call);
  try {
    statement();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInternal || error.reason().empty()) {
      std::fprintf(stderr, "an error that no input may cause: %s\n", error.what());
      std::abort();
    }
  }
}

}  // namespace wasmvino::test
