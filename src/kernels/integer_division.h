// SPDX-License-Identifier: Apache-2.0
// Division of i32. WebAssembly divides integers only one by one; in f64, vectors divide them exactly.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

// Quotients rounded towards zero or down, and the remainders of these.
enum class Division : uint8_t { kTruncated, kFloor, kRemainder, kFloorRemainder };

// y[i] = a[i * a_step] op b[i * b_step] for i < n; each step is 0 or 1. The smallest integer divided by -1
// wraps around to itself. y may be an operand of step 1, but must not overlap operands otherwise. Returns
// false if a divisor is 0; y is then undefined.
bool divide(Division op, const int32_t* a, size_t a_step, const int32_t* b, size_t b_step, int32_t* y,
            size_t n);

}  // namespace wasmvino::kernels
