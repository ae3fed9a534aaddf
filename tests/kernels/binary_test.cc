// SPDX-License-Identifier: Apache-2.0
#include "kernels/binary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

template <typename T>
T reference(Binary op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    const U x = static_cast<U>(a), y = static_cast<U>(b);
    switch (op) {
      case Binary::kAdd:
        return static_cast<T>(x + y);
      case Binary::kSubtract:
        return static_cast<T>(x - y);
      case Binary::kMultiply:
        return static_cast<T>(x * y);
      case Binary::kMaximum:
        return std::max(a, b);
      case Binary::kMinimum:
        return std::min(a, b);
      default:
        return static_cast<T>((x - y) * (x - y));
    }
  } else {
    const bool nan = std::isnan(a) || std::isnan(b);
    switch (op) {
      case Binary::kAdd:
        return a + b;
      case Binary::kSubtract:
        return a - b;
      case Binary::kMultiply:
        return a * b;
      case Binary::kDivide:
        return a / b;
      case Binary::kMaximum:
        return nan ? std::numeric_limits<T>::quiet_NaN() : std::max(a, b);
      case Binary::kMinimum:
        return nan ? std::numeric_limits<T>::quiet_NaN() : std::min(a, b);
      case Binary::kSquaredDifference:
        return (a - b) * (a - b);
      case Binary::kPower:
        return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
      case Binary::kPrelu:
        return a < 0 ? a * b : a;
      case Binary::kMod:
        return std::fmod(a, b);
      case Binary::kFloorMod: {
        const T remainder = std::fmod(a, b);
        if (remainder == 0) return std::copysign(T(0), b);
        return (remainder < 0) != (b < 0) ? remainder + b : remainder;
      }
    }
    return a;
  }
}

template <typename T>
bool reference(Comparison op, T a, T b) {
  switch (op) {
    case Comparison::kEqual:
      return a == b;
    case Comparison::kNotEqual:
      return a != b;
    case Comparison::kGreater:
      return a > b;
    case Comparison::kGreaterEqual:
      return a >= b;
    case Comparison::kLess:
      return a < b;
    case Comparison::kLessEqual:
      return a <= b;
  }
  return false;
}

// Few distinct small values, extremes among them, so that comparisons meet equal ones.
template <typename T>
std::vector<T> values(size_t n, uint32_t seed) {
  Random random(seed);
  std::vector<T> v(n);
  for (T& x : v) {
    const int64_t i = random.integer(-6, 10);
    if constexpr (std::is_floating_point_v<T>) {
      x = i == 8    ? std::numeric_limits<T>::quiet_NaN()
          : i == 9  ? std::numeric_limits<T>::infinity()
          : i == 10 ? -std::numeric_limits<T>::infinity()
                    : static_cast<T>(i) * T{0.75};
    } else {
      x = i == 9    ? std::numeric_limits<T>::max()
          : i == 10 ? std::numeric_limits<T>::min()
                    : static_cast<T>(i);
    }
  }
  return v;
}

template <typename T>
void expect_same(T actual, T expected, size_t i) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << "at " << i << ": " << actual;
      return;
    }
    if (std::isinf(expected)) {
      EXPECT_EQ(actual, expected) << "at " << i;
      return;
    }
    EXPECT_NEAR(actual, expected, std::abs(expected) * 1.2e-7f) << "at " << i;
  } else {
    EXPECT_EQ(actual, expected) << "at " << i;
  }
}

template <typename T>
void check_binary(Binary op) {
  for (size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65}) {
    for (size_t steps = 0; steps < 4; ++steps) {
      const size_t sa = steps & 1, sb = steps >> 1;
      SCOPED_TRACE(testing::Message()
                   << "op " << static_cast<int>(op) << ", n " << n << ", steps " << sa << sb);
      const std::vector<T> a = values<T>(n + 2, 3 + static_cast<uint32_t>(n)), b = values<T>(n + 2, 4);
      std::vector<T> y(n + 2, T{77});
      apply_binary(op, a.data() + 1, sa, b.data() + 1, sb, y.data() + 1, n);
      for (size_t i = 0; i < n; ++i) expect_same(y[i + 1], reference(op, a[1 + i * sa], b[1 + i * sb]), i);
      EXPECT_EQ(y[0], T{77});
      EXPECT_EQ(y[n + 1], T{77});
      if (sa == 1) {
        std::vector<T> in_place = a;
        apply_binary(op, in_place.data() + 1, sa, b.data() + 1, sb, in_place.data() + 1, n);
        for (size_t i = 0; i < n; ++i) expect_same(in_place[i + 1], y[i + 1], i);
      }
      if (sb == 1) {
        std::vector<T> in_place = b;
        apply_binary(op, a.data() + 1, sa, in_place.data() + 1, sb, in_place.data() + 1, n);
        for (size_t i = 0; i < n; ++i) expect_same(in_place[i + 1], y[i + 1], i);
      }
    }
  }
}

TEST(Binary, Floats) {
  for (const Binary op : {Binary::kAdd, Binary::kSubtract, Binary::kMultiply, Binary::kDivide,
                          Binary::kMaximum, Binary::kMinimum, Binary::kSquaredDifference, Binary::kPower,
                          Binary::kPrelu, Binary::kMod, Binary::kFloorMod}) {
    check_binary<float>(op);
  }
}

TEST(Binary, Integers) {
  for (const Binary op : {Binary::kAdd, Binary::kSubtract, Binary::kMultiply, Binary::kMaximum,
                          Binary::kMinimum, Binary::kSquaredDifference}) {
    check_binary<int32_t>(op);
    check_binary<int64_t>(op);
  }
}

TEST(Binary, PowerOfPositives) {
  const std::vector<float> random = random_floats(4000, 5);
  std::vector<float> a(2000), b(2000), y(2000);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = std::exp(random[2 * i] * 20);
    b[i] = random[2 * i + 1] * 4;
  }
  apply_binary(Binary::kPower, a.data(), 1, b.data(), 1, y.data(), a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const double expected = std::pow(static_cast<double>(a[i]), static_cast<double>(b[i]));
    EXPECT_NEAR(y[i], expected, expected * 6e-8) << a[i] << " ^ " << b[i];
  }
}

template <typename T>
void check_comparisons() {
  for (int k = 0; k < 6; ++k) {
    const Comparison op = static_cast<Comparison>(k);
    for (size_t n : {0, 1, 3, 4, 15, 16, 17, 33, 64, 65}) {
      for (size_t steps = 0; steps < 4; ++steps) {
        const size_t sa = steps & 1, sb = steps >> 1;
        const std::vector<T> a = values<T>(n + 1, 8), b = values<T>(n + 1, 9);
        std::vector<uint8_t> y(n + 2, 77);
        compare(op, a.data() + 1 - 1, sa, b.data(), sb, y.data() + 1, n);
        for (size_t i = 0; i < n; ++i) {
          EXPECT_EQ(y[i + 1], reference(op, a[i * sa], b[i * sb]) ? 1 : 0)
              << "op " << k << ", n " << n << ", steps " << sa << sb << ", i " << i;
        }
        EXPECT_EQ(y[0], 77);
        EXPECT_EQ(y[n + 1], 77);
      }
    }
  }
}

TEST(Comparison, Floats) { check_comparisons<float>(); }
TEST(Comparison, Integers) {
  check_comparisons<int32_t>();
  check_comparisons<int64_t>();
}

// Remainders are exact for all quotients: those next to an integer, those too large for a float, zeros.
TEST(Binary, Remainders) {
  std::vector<float> a, b;
  Random random(5);
  for (size_t i = 0; i < 20000; ++i) {
    const float divisor = std::ldexp(random.real(), static_cast<int>(random.integer(-20, 20)));
    const float quotient = std::ldexp(random.real(), static_cast<int>(random.integer(-5, 30)));
    const float product = i % 2 == 0 ? std::nearbyint(quotient) * divisor : quotient * divisor;
    for (const float x : {product, std::nextafter(product, 1e30f), std::nextafter(product, -1e30f)}) {
      a.push_back(x), b.push_back(divisor);
    }
  }
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, 6.0f, -6.0f, 1e30f, -1e30f, 1e-40f, -1e-40f, kInf}) {
    for (const float y : {0.0f, -0.0f, 3.0f, -3.0f, 1e-40f, -1e30f, kInf, -kInf})
      a.push_back(x), b.push_back(y);
  }
  for (const Binary op : {Binary::kMod, Binary::kFloorMod}) {
    std::vector<float> y(a.size());
    apply_binary(op, a.data(), 1, b.data(), 1, y.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const float expected = reference(op, a[i], b[i]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(y[i])) << a[i] << " " << b[i];
        continue;
      }
      EXPECT_EQ(y[i], expected) << a[i] << " " << b[i];
      EXPECT_EQ(std::signbit(y[i]), std::signbit(expected)) << a[i] << " " << b[i];
    }
  }
}

TEST(Logical, AllOperationsAndSteps) {
  for (const Logical op : {Logical::kAnd, Logical::kOr, Logical::kXor}) {
    for (size_t n : {0, 1, 15, 16, 17, 40}) {
      for (size_t steps = 0; steps < 4; ++steps) {
        const size_t sa = steps & 1, sb = steps >> 1;
        std::vector<uint8_t> a(n + 1), b(n + 1), y(n + 1, 99);
        for (size_t i = 0; i <= n; ++i) {
          a[i] = i % 3 == 0 ? 0 : static_cast<uint8_t>(i),
          b[i] = i % 2 == 0 ? 0 : static_cast<uint8_t>(255 - i);
        }
        const auto expected = [&](size_t i) {
          const bool x = a[i * sa] != 0, z = b[i * sb] != 0;
          return op == Logical::kAnd ? x && z : op == Logical::kOr ? x || z : x != z;
        };
        apply_logical(op, a.data(), sa, b.data(), sb, y.data(), n);
        for (size_t i = 0; i < n; ++i) EXPECT_EQ(y[i], expected(i) ? 1 : 0) << i;
        EXPECT_EQ(y[n], 99);
        if (sa == 1) {
          std::vector<uint8_t> in_place = a;
          apply_logical(op, in_place.data(), sa, b.data(), sb, in_place.data(), n);
          for (size_t i = 0; i < n; ++i) EXPECT_EQ(in_place[i], y[i]) << i;
        }
      }
    }
  }
}

template <typename T>
void check_select() {
  for (size_t n : {0, 1, 3, 8, 16, 17, 35}) {
    for (size_t steps = 0; steps < 8; ++steps) {
      const size_t sm = steps & 1, sa = steps >> 1 & 1, sb = steps >> 2;
      std::vector<uint8_t> mask(n + 1);
      std::vector<T> a(n + 1), b(n + 1), y(n + 1, T{99});
      for (size_t i = 0; i <= n; ++i)
        mask[i] = i % 3 == 0 ? 0 : static_cast<uint8_t>(i), a[i] = T(i), b[i] = T(100 + i);
      select(mask.data(), sm, a.data(), sa, b.data(), sb, y.data(), n);
      for (size_t i = 0; i < n; ++i) EXPECT_EQ(y[i], mask[i * sm] != 0 ? a[i * sa] : b[i * sb]);
      EXPECT_EQ(y[n], T{99});
      if (sa == 1) {
        std::vector<T> in_place = a;
        select(mask.data(), sm, in_place.data(), sa, b.data(), sb, in_place.data(), n);
        for (size_t i = 0; i < n; ++i) EXPECT_EQ(in_place[i], y[i]);
      }
      if (sb == 1) {
        std::vector<T> in_place = b;
        select(mask.data(), sm, a.data(), sa, in_place.data(), sb, in_place.data(), n);
        for (size_t i = 0; i < n; ++i) EXPECT_EQ(in_place[i], y[i]);
      }
    }
  }
}

TEST(Select, AllWidthsAndSteps) {
  check_select<uint8_t>();
  check_select<uint16_t>();
  check_select<uint32_t>();
  check_select<uint64_t>();
}

}  // namespace
}  // namespace wasmvino::kernels
