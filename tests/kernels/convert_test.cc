// SPDX-License-Identifier: Apache-2.0
#include "kernels/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/float_types.h"
#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

TEST(Convert, EveryF16) {
  std::vector<uint16_t> bits(65536 + 3);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  std::vector<float> y(bits.size());
  f16_to_f32(bits.data(), y.data(), bits.size());
  for (size_t i = 0; i < bits.size(); ++i) {
    // NaNs keep their payload. A function cannot return a signalling NaN on 32-bit x86, where it becomes
    // quiet.
    const uint32_t sign = bits[i] & 0x8000u, magnitude = bits[i] & 0x7fffu;
    const uint32_t expected = magnitude > 0x7c00 ? sign << 16 | 0x7f800000u | (magnitude & 0x3ff) << 13
                                                 : std::bit_cast<uint32_t>(wasmvino::f16_to_f32(bits[i]));
    EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), expected) << bits[i];
  }
  // And back: f16 survives the way through f32 (a NaN as some NaN).
  std::vector<uint16_t> back(bits.size());
  f32_to_f16(y.data(), back.data(), y.size());
  for (size_t i = 0; i < bits.size(); ++i) {
    if (std::isnan(y[i])) {
      EXPECT_TRUE(std::isnan(wasmvino::f16_to_f32(back[i])));
    } else {
      EXPECT_EQ(back[i], bits[i]);
    }
  }
}

std::vector<float> many_floats() {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 12899) {
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  // Around every boundary between two values of f16, and around the limits of integers.
  for (uint32_t h = 0; h < 0x7C00; h += 7) {
    const float a = wasmvino::f16_to_f32(static_cast<uint16_t>(h)),
                b = wasmvino::f16_to_f32(static_cast<uint16_t>(h + 1));
    const float middle = std::isinf(b) ? 65520.0f : (a + b) / 2;
    for (float v : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f)})
      x.push_back(v), x.push_back(-v);
  }
  for (float v : {0x1p31f, -0x1p31f, 2147483520.0f, -2147483904.0f, 127.5f, -128.5f, 126.5f, 255.5f, 254.5f,
                  0.5f, 1.5f, -0.5f}) {
    x.push_back(v);
  }
  return x;
}

TEST(Convert, ToSixteenBits) {
  const std::vector<float> x = many_floats();
  std::vector<uint16_t> y(x.size()), z(x.size());
  f32_to_f16(x.data(), y.data(), x.size());
  f32_to_bf16(x.data(), z.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(y[i], wasmvino::f32_to_f16(x[i])) << x[i];
    EXPECT_EQ(z[i], wasmvino::f32_to_bf16(x[i])) << x[i];
  }
  std::vector<float> back(z.size());
  bf16_to_f32(z.data(), back.data(), z.size());
  for (size_t i = 0; i < z.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(back[i]), static_cast<uint32_t>(z[i]) << 16);
  }
}

TEST(Convert, FloatsToIntegers) {
  const std::vector<float> x = many_floats();
  std::vector<int32_t> words(x.size());
  std::vector<int8_t> bytes(x.size());
  std::vector<uint8_t> unsigned_bytes(x.size());
  convert(x.data(), words.data(), x.size());
  round_saturate(x.data(), bytes.data(), x.size());
  round_saturate(x.data(), unsigned_bytes.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const bool fits = x[i] < 0x1p31f && x[i] >= -0x1p31f;
    EXPECT_EQ(words[i], fits ? static_cast<int32_t>(x[i]) : std::numeric_limits<int32_t>::min()) << x[i];
    const double rounded = std::isnan(x[i]) ? 0 : std::nearbyint(static_cast<double>(x[i]));
    EXPECT_EQ(bytes[i], std::min(std::max(rounded, -128.0), 127.0)) << x[i];
    EXPECT_EQ(unsigned_bytes[i], std::min(std::max(rounded, 0.0), 255.0)) << x[i];
  }
}

TEST(Convert, FloatsToTruncatedIntegers) {
  const std::vector<float> x = many_floats();
  std::vector<int64_t> longs(x.size());
  std::vector<int8_t> bytes(x.size());
  std::vector<uint8_t> unsigned_bytes(x.size());
  convert(x.data(), longs.data(), x.size());
  convert(x.data(), bytes.data(), x.size());
  convert(x.data(), unsigned_bytes.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const bool fits = x[i] < 0x1p63f && x[i] >= -0x1p63f;
    EXPECT_EQ(longs[i], fits ? static_cast<int64_t>(x[i]) : std::numeric_limits<int64_t>::min()) << x[i];
    const bool fits_word = x[i] < 0x1p31f && x[i] >= -0x1p31f;
    const int32_t word = fits_word ? static_cast<int32_t>(x[i]) : std::numeric_limits<int32_t>::min();
    EXPECT_EQ(bytes[i], static_cast<int8_t>(word)) << x[i];
    EXPECT_EQ(unsigned_bytes[i], static_cast<uint8_t>(word)) << x[i];
  }
}

TEST(Convert, BooleansToFloats) {
  for (size_t n : {0, 1, 3, 4, 5, 17}) {
    std::vector<uint8_t> x(n);
    std::vector<float> y(n + 1, 99.0f);
    for (size_t i = 0; i < n; ++i) x[i] = static_cast<uint8_t>(i % 3 * 127);
    booleans_to_f32(x.data(), y.data(), n);
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(y[i], x[i] != 0 ? 1.0f : 0.0f);
    EXPECT_EQ(y[n], 99.0f);
  }
}

template <typename From, typename To>
void check_lengths() {
  Random random(3);
  for (size_t n : {0, 1, 3, 4, 5, 15, 16, 17, 33, 65}) {
    std::vector<From> x(n + 1);
    std::vector<To> y(n + 2, To{99});
    for (From& v : x) v = static_cast<From>(random.integer(-100000, 100000));
    convert(x.data() + 1, y.data() + 1, n);
    for (size_t i = 0; i < n; ++i) {
      // In one step, a number that does not fit is undefined.
      using Wide = std::conditional_t<std::is_integral_v<To>, int64_t, From>;
      EXPECT_EQ(y[i + 1], static_cast<To>(static_cast<Wide>(x[i + 1])));
    }
    EXPECT_EQ(y[0], To{99});
    EXPECT_EQ(y[n + 1], To{99});
  }
}

TEST(Convert, Lengths) {
  check_lengths<int8_t, float>();
  check_lengths<uint8_t, float>();
  check_lengths<int32_t, float>();
  check_lengths<int64_t, float>();
  check_lengths<double, float>();
  check_lengths<float, double>();
  check_lengths<int32_t, int64_t>();
  check_lengths<int64_t, int32_t>();
  check_lengths<float, int32_t>();
  check_lengths<float, int64_t>();
  check_lengths<float, int8_t>();
  check_lengths<float, uint8_t>();
}

}  // namespace
}  // namespace wasmvino::kernels
