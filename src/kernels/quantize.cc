// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantize.h"

#include <algorithm>

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Elements [i, i + n) of an operand; n <= 4.
HWY_INLINE VF vector(const QuantizeOperand& operand, size_t i, size_t n) {
  if (operand.step == 0) return set(*operand.data);
  return load_lanes(operand.data + i, n);
}

// The quantisation ranges of one vector of elements.
struct Ranges {
  VF input_low, low, high, input_width, output_low, output_high, output_step;

  HWY_INLINE Ranges(const QuantizeRanges& ranges, float levels, size_t i, size_t n) {
    input_low = vector(ranges.input_low, i, n);
    const VF input_high = vector(ranges.input_high, i, n);
    low = hn::Min(input_low, input_high);
    high = hn::Max(input_low, input_high);
    input_width = hn::Sub(input_high, input_low);
    output_low = vector(ranges.output_low, i, n);
    output_high = vector(ranges.output_high, i, n);
    output_step = divide(hn::Sub(output_high, output_low), set(levels - 1));
  }

  HWY_INLINE VF quantize(VF x, VF last_level) const {
    const VF level = hn::Round(hn::Mul(divide(hn::Sub(x, input_low), input_width), last_level));
    VF y = mul_add(level, output_step, output_low);
    y = hn::IfThenElse(hn::Gt(x, high), output_high, y);
    return hn::IfThenElse(hn::Le(x, low), output_low, y);
  }
};

// Rounds x to `digits` binary digits after the first. `exponent` is the smallest exponent of a normal number;
// |x| must be below 2^16.
template <int digits, int exponent>
HWY_INLINE VF round_digits(VF x) {
  const VI power = hn::And(as_int(x), integer_constant<0x7F800000>());
  const VI least = hn::Set(I32x4(), (exponent + 127) << 23);
  // Adding this rounds at the last digit of the result.
  const VF large =
      hn::Mul(as_float(hn::Max(power, least)), set(1.5f * static_cast<float>(1 << (23 - digits))));
  return hn::Sub(hn::Add(x, large), large);
}

template <Float8 kType>
HWY_INLINE VF to_float8(VF x) {
  constexpr float kLargest = kType == Float8::kE4m3 ? 448.0f : 57344.0f;
  x = round_digits<10, -14>(clamp(x, constant<-kLargest>(), constant<kLargest>()));
  if constexpr (kType == Float8::kE4m3) return round_digits<3, -6>(x);
  return round_digits<2, -14>(x);
}

template <Float8 kType>
HWY_NOINLINE void convert(const QuantizeOperand& x, const QuantizeOperand& scale,
                          const QuantizeOperand& shift, float* y, size_t count) {
  for (size_t i = 0; i < count; i += kLanes) {
    const size_t n = std::min(kLanes, count - i);
    const VF factor = vector(scale, i, n);
    const VF offset = vector(shift, i, n);
    const VF value = to_float8<kType>(hn::Sub(hn::Mul(vector(x, i, n), factor), offset));
    store_lanes(divide(hn::Add(value, offset), factor), y + i, n);
  }
}

}  // namespace

void fake_quantize(const QuantizeOperand& x, const QuantizeRanges& ranges, float levels, float* y,
                   size_t count) {
  if (count == 0) return;
  const VF last_level = set(levels - 1);
  const bool uniform = ranges.input_low.step == 0 && ranges.input_high.step == 0 &&
                       ranges.output_low.step == 0 && ranges.output_high.step == 0;
  size_t i = 0;
  if (uniform) {
    const Ranges all(ranges, levels, 0, kLanes);
    for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
      const VF y0 = all.quantize(vector(x, i, kLanes), last_level);
      const VF y1 = all.quantize(vector(x, i + kLanes, kLanes), last_level);
      store(y0, y + i);
      store(y1, y + i + kLanes);
    }
  }
  for (; i < count; i += kLanes) {
    const size_t n = std::min(kLanes, count - i);
    store_lanes(Ranges(ranges, levels, i, n).quantize(vector(x, i, n), last_level), y + i, n);
  }
}

void fake_convert(Float8 type, const QuantizeOperand& x, const QuantizeOperand& scale,
                  const QuantizeOperand& shift, float* y, size_t count) {
  type == Float8::kE4m3 ? convert<Float8::kE4m3>(x, scale, shift, y, count)
                        : convert<Float8::kE5m2>(x, scale, shift, y, count);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
