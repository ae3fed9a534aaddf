// SPDX-License-Identifier: Apache-2.0
#include "kernels/binary.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>

#include "kernels/math-inl.h"
#include "kernels/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// --- arithmetic in f32
// ------------------------------------------------------------------------------------------------

template <Binary kOp>
HWY_INLINE VF evaluate(VF a, VF b) {
  if constexpr (kOp == Binary::kAdd) return hn::Add(a, b);
  if constexpr (kOp == Binary::kSubtract) return hn::Sub(a, b);
  if constexpr (kOp == Binary::kMultiply) return hn::Mul(a, b);
  if constexpr (kOp == Binary::kDivide) return hn::Div(a, b);
  if constexpr (kOp == Binary::kMaximum) return maximum(a, b);
  if constexpr (kOp == Binary::kMinimum) return minimum(a, b);
  if constexpr (kOp == Binary::kSquaredDifference) {
    const VF difference = hn::Sub(a, b);
    return hn::Mul(difference, difference);
  }
  if constexpr (kOp == Binary::kPower) return pow(a, b);
  if constexpr (kOp == Binary::kPrelu) return hn::IfThenElse(hn::Lt(a, zero()), hn::Mul(a, b), a);
  return a;
}

// Loads vector i of an operand that advances, or what all its vectors are.
template <bool kStep>
struct Operand {
  const float* data;
  VF value;
  Operand(const float* p, size_t n) : data(p), value(kStep || n == 0 ? zero() : set(*p)) {}
  HWY_INLINE VF at(size_t i) const { return kStep ? load(data + i) : value; }
  HWY_INLINE VF part(size_t i, size_t n) const { return kStep ? load_part(data + i, n) : value; }
};

template <Binary kOp, bool kStepA, bool kStepB>
HWY_NOINLINE void loop(const float* pa, const float* pb, float* y, size_t n) {
  const Operand<kStepA> a(pa, n);
  const Operand<kStepB> b(pb, n);
  size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const VF y0 = evaluate<kOp>(a.at(i), b.at(i)), y1 = evaluate<kOp>(a.at(i + kLanes), b.at(i + kLanes));
    store(y0, y + i);
    store(y1, y + i + kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) store(evaluate<kOp>(a.at(i), b.at(i)), y + i);
  if (i < n) store_part(evaluate<kOp>(a.part(i, n - i), b.part(i, n - i)), y + i, n - i);
}

template <Binary kOp>
void steps(const float* a, size_t a_step, const float* b, size_t b_step, float* y, size_t n) {
  if (a_step != 0 && b_step != 0) return loop<kOp, true, true>(a, b, y, n);
  if (a_step != 0) return loop<kOp, true, false>(a, b, y, n);
  if (b_step != 0) return loop<kOp, false, true>(a, b, y, n);
  loop<kOp, false, false>(a, b, y, n);
}

// --- integers: loops that the compiler vectorises
// -----------------------------------------------------------------------

template <Binary kOp, typename T>
HWY_INLINE T evaluate(T a, T b) {
  using U = std::make_unsigned_t<T>;  // overflow wraps around
  const U x = static_cast<U>(a), y = static_cast<U>(b);
  if constexpr (kOp == Binary::kAdd) return static_cast<T>(x + y);
  if constexpr (kOp == Binary::kSubtract) return static_cast<T>(x - y);
  if constexpr (kOp == Binary::kMultiply) return static_cast<T>(x * y);
  if constexpr (kOp == Binary::kMaximum) return a > b ? a : b;
  if constexpr (kOp == Binary::kMinimum) return a < b ? a : b;
  return static_cast<T>((x - y) * (x - y));
}

template <Binary kOp, typename T>
void integer_loop(const T* a, size_t a_step, const T* b, size_t b_step, T* y, size_t n) {
  if (a_step != 0 && b_step != 0) {
    for (size_t i = 0; i < n; ++i) y[i] = evaluate<kOp>(a[i], b[i]);
  } else if (n > 0) {
    const bool left = a_step != 0;
    const T* vector = left ? a : b;
    const size_t step = left || b_step != 0 ? 1 : 0;
    const T value = left ? *b : *a;
    if (left) {
      for (size_t i = 0; i < n; ++i) y[i] = evaluate<kOp>(vector[i * step], value);
    } else {
      for (size_t i = 0; i < n; ++i) y[i] = evaluate<kOp>(value, vector[i * step]);
    }
  }
}

template <typename T>
void apply_integers(Binary op, const T* a, size_t a_step, const T* b, size_t b_step, T* y, size_t n) {
  switch (op) {
    case Binary::kAdd:
      return integer_loop<Binary::kAdd>(a, a_step, b, b_step, y, n);
    case Binary::kSubtract:
      return integer_loop<Binary::kSubtract>(a, a_step, b, b_step, y, n);
    case Binary::kMultiply:
      return integer_loop<Binary::kMultiply>(a, a_step, b, b_step, y, n);
    case Binary::kMaximum:
      return integer_loop<Binary::kMaximum>(a, a_step, b, b_step, y, n);
    case Binary::kMinimum:
      return integer_loop<Binary::kMinimum>(a, a_step, b, b_step, y, n);
    case Binary::kSquaredDifference:
      return integer_loop<Binary::kSquaredDifference>(a, a_step, b, b_step, y, n);
    case Binary::kDivide:
    case Binary::kPower:
    case Binary::kPrelu:
      assert(false && "of f32 only");
  }
}

// --- comparisons
// --------------------------------------------------------------------------------------------------------

template <Comparison kOp, typename V>
HWY_INLINE auto holds(V a, V b) {
  if constexpr (kOp == Comparison::kEqual) return hn::Eq(a, b);
  if constexpr (kOp == Comparison::kNotEqual) return hn::Ne(a, b);
  if constexpr (kOp == Comparison::kGreater) return hn::Gt(a, b);
  if constexpr (kOp == Comparison::kGreaterEqual) return hn::Ge(a, b);
  if constexpr (kOp == Comparison::kLess) return hn::Lt(a, b);
  if constexpr (kOp == Comparison::kLessEqual) return hn::Le(a, b);
}

template <Comparison kOp, typename T>
HWY_INLINE bool holds_one(T a, T b) {
  if constexpr (kOp == Comparison::kEqual) return a == b;
  if constexpr (kOp == Comparison::kNotEqual) return a != b;
  if constexpr (kOp == Comparison::kGreater) return a > b;
  if constexpr (kOp == Comparison::kGreaterEqual) return a >= b;
  if constexpr (kOp == Comparison::kLess) return a < b;
  if constexpr (kOp == Comparison::kLessEqual) return a <= b;
}

// 16 results at a time from four (f32, i32) masks, narrowed to bytes of 0 and 1.
template <Comparison kOp, typename T>
HWY_NOINLINE void compare_loop(const T* a, size_t a_step, const T* b, size_t b_step, uint8_t* y, size_t n) {
  size_t i = 0;
  if constexpr (sizeof(T) == 4) {
    const hn::FixedTag<T, 4> d;
    const hn::FixedTag<int16_t, 8> d16;
    const hn::FixedTag<int8_t, 16> d8;
    for (; i + 16 <= n; i += 16) {
      const auto mask = [&](size_t j) HWY_ATTR {
        const auto x = a_step != 0 ? hn::LoadU(d, a + j) : hn::Set(d, *a);
        const auto z = b_step != 0 ? hn::LoadU(d, b + j) : hn::Set(d, *b);
        return hn::BitCast(I32x4(), hn::VecFromMask(d, holds<kOp>(x, z)));
      };
      const auto low = hn::OrderedDemote2To(d16, mask(i), mask(i + 4));
      const auto high = hn::OrderedDemote2To(d16, mask(i + 8), mask(i + 12));
      const auto bytes = hn::And(hn::OrderedDemote2To(d8, low, high), hn::Set(d8, 1));
      hn::StoreU(hn::BitCast(hn::FixedTag<uint8_t, 16>(), bytes), hn::FixedTag<uint8_t, 16>(), y + i);
    }
  }
  for (; i < n; ++i) y[i] = holds_one<kOp>(a[i * a_step], b[i * b_step]) ? 1 : 0;
}

template <typename T>
void compare_all(Comparison op, const T* a, size_t a_step, const T* b, size_t b_step, uint8_t* y, size_t n) {
  switch (op) {
    case Comparison::kEqual:
      return compare_loop<Comparison::kEqual>(a, a_step, b, b_step, y, n);
    case Comparison::kNotEqual:
      return compare_loop<Comparison::kNotEqual>(a, a_step, b, b_step, y, n);
    case Comparison::kGreater:
      return compare_loop<Comparison::kGreater>(a, a_step, b, b_step, y, n);
    case Comparison::kGreaterEqual:
      return compare_loop<Comparison::kGreaterEqual>(a, a_step, b, b_step, y, n);
    case Comparison::kLess:
      return compare_loop<Comparison::kGreater>(b, b_step, a, a_step, y, n);
    case Comparison::kLessEqual:
      return compare_loop<Comparison::kGreaterEqual>(b, b_step, a, a_step, y, n);
  }
}

}  // namespace

void apply_binary(Binary op, const float* a, size_t a_step, const float* b, size_t b_step, float* y,
                  size_t n) {
  switch (op) {
    case Binary::kAdd:
      return steps<Binary::kAdd>(a, a_step, b, b_step, y, n);
    case Binary::kSubtract:
      return steps<Binary::kSubtract>(a, a_step, b, b_step, y, n);
    case Binary::kMultiply:
      return steps<Binary::kMultiply>(a, a_step, b, b_step, y, n);
    case Binary::kDivide:
      return steps<Binary::kDivide>(a, a_step, b, b_step, y, n);
    case Binary::kMaximum:
      return steps<Binary::kMaximum>(a, a_step, b, b_step, y, n);
    case Binary::kMinimum:
      return steps<Binary::kMinimum>(a, a_step, b, b_step, y, n);
    case Binary::kSquaredDifference:
      return steps<Binary::kSquaredDifference>(a, a_step, b, b_step, y, n);
    case Binary::kPower:
      return steps<Binary::kPower>(a, a_step, b, b_step, y, n);
    case Binary::kPrelu:
      return steps<Binary::kPrelu>(a, a_step, b, b_step, y, n);
  }
}

void apply_binary(Binary op, const int32_t* a, size_t a_step, const int32_t* b, size_t b_step, int32_t* y,
                  size_t n) {
  apply_integers(op, a, a_step, b, b_step, y, n);
}

void apply_binary(Binary op, const int64_t* a, size_t a_step, const int64_t* b, size_t b_step, int64_t* y,
                  size_t n) {
  apply_integers(op, a, a_step, b, b_step, y, n);
}

void compare(Comparison op, const float* a, size_t a_step, const float* b, size_t b_step, uint8_t* y,
             size_t n) {
  compare_all(op, a, a_step, b, b_step, y, n);
}

void compare(Comparison op, const int32_t* a, size_t a_step, const int32_t* b, size_t b_step, uint8_t* y,
             size_t n) {
  compare_all(op, a, a_step, b, b_step, y, n);
}

void compare(Comparison op, const int64_t* a, size_t a_step, const int64_t* b, size_t b_step, uint8_t* y,
             size_t n) {
  compare_all(op, a, a_step, b, b_step, y, n);
}

template <typename T>
void select(const uint8_t* mask, size_t mask_step, const T* a, size_t a_step, const T* b, size_t b_step, T* y,
            size_t n) {
  if (n == 0) return;
  if (mask_step == 0) {
    const T* chosen = *mask != 0 ? a : b;
    if ((*mask != 0 ? a_step : b_step) == 0) return void(std::fill_n(y, n, *chosen));
    if (chosen != y) std::memcpy(y, chosen, n * sizeof(T));
    return;
  }
  // Both are read whatever the mask says: a blend instead of a branch.
  if (a_step != 0 && b_step != 0) {
    for (size_t i = 0; i < n; ++i) {
      const T x = a[i], z = b[i];
      y[i] = mask[i] != 0 ? x : z;
    }
  } else {
    for (size_t i = 0; i < n; ++i) {
      const T x = a[i * a_step], z = b[i * b_step];
      y[i] = mask[i] != 0 ? x : z;
    }
  }
}

template void select(const uint8_t*, size_t, const uint8_t*, size_t, const uint8_t*, size_t, uint8_t*,
                     size_t);
template void select(const uint8_t*, size_t, const uint16_t*, size_t, const uint16_t*, size_t, uint16_t*,
                     size_t);
template void select(const uint8_t*, size_t, const uint32_t*, size_t, const uint32_t*, size_t, uint32_t*,
                     size_t);
template void select(const uint8_t*, size_t, const uint64_t*, size_t, const uint64_t*, size_t, uint64_t*,
                     size_t);

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
