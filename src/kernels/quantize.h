// SPDX-License-Identifier: Apache-2.0
// Simulates quantization of f32 arrays: rounds each value to the nearest of a number of levels, or to the
// nearest value of an 8-bit floating point type.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

// An operand with one value per element, or the same value for all.
struct QuantizeOperand {
  const float* data;
  size_t step;  // 1 or 0
};

struct QuantizeRanges {
  QuantizeOperand input_low, input_high, output_low, output_high;
};

// y[i] = output_low where x[i] <= min(input_low, input_high), output_high where x[i] > max(input_low,
// input_high), otherwise round((x[i] - input_low) / (input_high - input_low) * (levels - 1)) / (levels - 1) *
// (output_high - output_low) + output_low. Ties are rounded to even. NaN stays NaN. y may be x if its step is
// 1.
void fake_quantize(const QuantizeOperand& x, const QuantizeRanges& ranges, float levels, float* y, size_t n);

enum class Float8 : uint8_t { kE4m3, kE5m2 };

// y[i] = (f8(x[i] * scale[i] - shift[i]) + shift[i]) / scale[i], where f8 rounds to f16 and then to the
// nearest value of the type, ties to even. Larger values and infinity become the type's largest value. NaN
// stays NaN. y may be x if its step is 1.
void fake_convert(Float8 type, const QuantizeOperand& x, const QuantizeOperand& scale,
                  const QuantizeOperand& shift, float* y, size_t n);

}  // namespace wasmvino::kernels
