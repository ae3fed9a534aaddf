// SPDX-License-Identifier: Apache-2.0
// Lets loops whose length depends on the model poll the current call.
#pragma once

#include <cstddef>

namespace wasmvino {

// Adds to the work that this thread has done. About every 5 ms of it, polls the current call, which may throw
// Error. `steps` are small steps, of a nanosecond or a few: elements of a scalar loop, or vectors of a SIMD
// loop. At most a few million steps may pass between two calls.
void count_work(size_t steps);

// Steps between two polls.
inline constexpr size_t kWorkBetweenPolls = size_t{1} << 20;
// Multiply-adds of a SIMD kernel in one step.
inline constexpr size_t kMultipliesPerStep = 8;

}  // namespace wasmvino
