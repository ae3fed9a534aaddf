// SPDX-License-Identifier: Apache-2.0
#include "core/packed_bits.h"

#include <bit>
#include <cmath>
#include <limits>

namespace wasmvino {
namespace {

// NormalFloat 4 of QLoRA: quantiles of the normal distribution.
constexpr float kNf4[16] = {
    -1.0f,
    -0.6961928009986877f,
    -0.5250730514526367f,
    -0.39491748809814453f,
    -0.28444138169288635f,
    -0.18477343022823334f,
    -0.09105003625154495f,
    0.0f,
    0.07958029955625534f,
    0.16093020141124725f,
    0.24611230194568634f,
    0.33791524171829224f,
    0.44070982933044434f,
    0.5626170039176941f,
    0.7229568362236023f,
    1.0f,
};
constexpr float kF4e2m1[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};

float decode_f8e4m3(uint8_t bits) {
  const int exponent = bits >> 3 & 15;
  const int mantissa = bits & 7;
  const float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (exponent == 15 && mantissa == 7) return std::numeric_limits<float>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -9);
  return sign * std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

float decode_f8e5m2(uint8_t bits) {
  const int exponent = bits >> 2 & 31;
  const int mantissa = bits & 3;
  const float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (exponent == 31) {
    return mantissa ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -16);
  return sign * std::ldexp(static_cast<float>(4 + mantissa), exponent - 17);
}

// The nearest of the type's non-negative values 0..largest, ties to even. Their bit patterns increase with
// the value.
uint8_t nearest(ElementType type, float magnitude, uint8_t largest) {
  uint8_t low = 0;
  uint8_t high = largest;
  while (high - low > 1) {
    const uint8_t middle = static_cast<uint8_t>((low + high) / 2);
    (decode_bits(type, middle) <= magnitude ? low : high) = middle;
  }
  const float to_low = magnitude - decode_bits(type, low);
  const float to_high = decode_bits(type, high) - magnitude;
  if (to_low == to_high) return low % 2 == 0 ? low : high;
  return to_low < to_high ? low : high;
}

uint8_t encode_integer(float value, float low, float high) {
  if (std::isnan(value)) return 0;
  const float clamped = value < low ? low : value > high ? high : value;
  return static_cast<uint8_t>(static_cast<int>(clamped));
}

}  // namespace

uint8_t load_bits(ElementType type, const void* packed, size_t index) {
  const uint8_t* bytes = static_cast<const uint8_t*>(packed);
  switch (type) {
    case ElementType::kU1:
      return bytes[index / 8] >> (7 - index % 8) & 1;
    case ElementType::kU2:
      return bytes[index / 4] >> (2 * (index % 4)) & 3;
    case ElementType::kU3: {
      const uint8_t* group = bytes + index / 8 * 3;
      const size_t i = index % 8;
      return static_cast<uint8_t>((group[i / 4] >> (6 - 2 * (i % 4)) & 3) | (group[2] >> (7 - i) & 1) << 2);
    }
    case ElementType::kU6: {
      const uint8_t* group = bytes + index / 4 * 3;
      const size_t i = index % 4;
      return static_cast<uint8_t>((group[i / 2] >> (4 - 4 * (i % 2)) & 15) | (group[2] >> (6 - 2 * i) & 3)
                                                                                 << 4);
    }
    case ElementType::kI4:
    case ElementType::kU4:
    case ElementType::kNf4:
    case ElementType::kF4e2m1:
      return bytes[index / 2] >> (4 * (index % 2)) & 15;
    default:
      return bytes[index];
  }
}

void store_bits(ElementType type, void* packed, size_t index, uint8_t bits) {
  uint8_t* bytes = static_cast<uint8_t*>(packed);
  const auto put = [](uint8_t& byte, size_t shift, uint8_t mask, uint8_t value) {
    byte = static_cast<uint8_t>((byte & ~(mask << shift)) | (value & mask) << shift);
  };
  switch (type) {
    case ElementType::kU1:
      put(bytes[index / 8], 7 - index % 8, 1, bits);
      break;
    case ElementType::kU2:
      put(bytes[index / 4], 2 * (index % 4), 3, bits);
      break;
    case ElementType::kU3: {
      uint8_t* group = bytes + index / 8 * 3;
      const size_t i = index % 8;
      put(group[i / 4], 6 - 2 * (i % 4), 3, bits);
      put(group[2], 7 - i, 1, bits >> 2);
      break;
    }
    case ElementType::kU6: {
      uint8_t* group = bytes + index / 4 * 3;
      const size_t i = index % 4;
      put(group[i / 2], 4 - 4 * (i % 2), 15, bits);
      put(group[2], 6 - 2 * i, 3, bits >> 4);
      break;
    }
    case ElementType::kI4:
    case ElementType::kU4:
    case ElementType::kNf4:
    case ElementType::kF4e2m1:
      put(bytes[index / 2], 4 * (index % 2), 15, bits);
      break;
    default:
      bytes[index] = bits;
  }
}

void clear_padding(ElementType type, void* packed, size_t count) {
  if (!is_sub_byte(type)) return;
  // A group has at most 8 elements (u1 and u3).
  const size_t bytes = storage_bytes(type, count);
  for (size_t i = count; i < count + 8 && storage_bytes(type, i + 1) == bytes; ++i)
    store_bits(type, packed, i, 0);
}

float decode_bits(ElementType type, uint8_t bits) {
  switch (type) {
    case ElementType::kI4:
      return static_cast<float>(static_cast<int8_t>(bits << 4) >> 4);
    case ElementType::kNf4:
      return kNf4[bits & 15];
    case ElementType::kF4e2m1:
      return bits & 8 ? -kF4e2m1[bits & 7] : kF4e2m1[bits & 7];
    case ElementType::kF8e4m3:
      return decode_f8e4m3(bits);
    case ElementType::kF8e5m2:
      return decode_f8e5m2(bits);
    case ElementType::kF8e8m0:
      return bits == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, bits - 127);
    default:
      return static_cast<float>(bits);
  }
}

uint8_t encode_bits(ElementType type, float value) {
  const uint8_t sign = std::signbit(value) ? 1 : 0;
  const float magnitude = std::fabs(value);
  switch (type) {
    case ElementType::kU1:
      return value != 0.0f;
    case ElementType::kU2:
      return encode_integer(value, 0.0f, 3.0f);
    case ElementType::kU3:
      return encode_integer(value, 0.0f, 7.0f);
    case ElementType::kU4:
      return encode_integer(value, 0.0f, 15.0f);
    case ElementType::kU6:
      return encode_integer(value, 0.0f, 63.0f);
    case ElementType::kI4:
      return encode_integer(value, -8.0f, 7.0f) & 15;
    case ElementType::kNf4: {
      uint8_t best = 0;
      for (uint8_t i = 1; i < 16; ++i) {
        if (std::fabs(value - kNf4[i]) < std::fabs(value - kNf4[best])) best = i;
      }
      return best;
    }
    case ElementType::kF4e2m1:
      return static_cast<uint8_t>(sign << 3 | (magnitude >= 6.0f ? 7 : nearest(type, magnitude, 7)));
    case ElementType::kF8e4m3:
      if (std::isnan(value)) return static_cast<uint8_t>(sign << 7 | 0x7f);
      return static_cast<uint8_t>(sign << 7 | (magnitude >= 448.0f ? 0x7e : nearest(type, magnitude, 0x7e)));
    case ElementType::kF8e5m2:
      if (std::isnan(value)) return static_cast<uint8_t>(sign << 7 | 0x7e);
      if (magnitude >= 61440.0f) return static_cast<uint8_t>(sign << 7 | 0x7c);
      return static_cast<uint8_t>(sign << 7 |
                                  (magnitude >= 57344.0f ? 0x7b : nearest(type, magnitude, 0x7b)));
    case ElementType::kF8e8m0: {
      if (std::isnan(value)) return 255;
      if (value < 0x1p-127f) return 0;  // the type has no negative numbers
      if (std::isinf(value)) return 254;
      return nearest(type, magnitude, 254);
    }
    default:
      return encode_integer(value, 0.0f, 255.0f);
  }
}

}  // namespace wasmvino
