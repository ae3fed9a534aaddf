// SPDX-License-Identifier: Apache-2.0
#include "kernels/binary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "kernels/boolean-inl.h"
#include "kernels/math-inl.h"
#include "kernels/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// --- arithmetic --------------------------------------------------------------------------------------------
// One loop serves all forms, over blocks of two vectors. An operand that stays is a block with stride 0.
// Separate loops per form (both operands advance, only the left, only the right) were 56 KB of WebAssembly;
// this one is 8.

template <typename T>
using Tag = hn::FixedTag<T, 16 / sizeof(T)>;
template <typename T>
inline constexpr size_t kBlock = 32 / sizeof(T);

// Whether neg_mul_add rounds once. Relaxed SIMD may round twice, depending on the processor. A product shows
// it: the exact square of 1 + 2^-12 has a last digit that f32 does not hold.
bool fuses() {
  if (!kFusedMulAdd) return false;
  const VF x = constant<1.0f + 0x1p-12f>();
  return hn::GetLane(neg_mul_add(x, x, constant<1.0f + 0x1p-11f>())) < 0.0f;
}

// a - q b for a product that f64 holds exactly.
HWY_INLINE VF exact_difference(VF a, VF q, VF b, bool fused) {
  if (fused) return neg_mul_add(q, b, a);
  const F64x2 d;
  const hn::FixedTag<float, 2> half;
  const VD lo =
      hn::Sub(hn::PromoteLowerTo(d, a), hn::Mul(hn::PromoteLowerTo(d, q), hn::PromoteLowerTo(d, b)));
  const VD hi =
      hn::Sub(hn::PromoteUpperTo(d, a), hn::Mul(hn::PromoteUpperTo(d, q), hn::PromoteUpperTo(d, b)));
  return hn::Combine(F32x4(), hn::DemoteTo(half, hi), hn::DemoteTo(half, lo));
}

// The remainder of a / b. It has the sign of a, or with kFloor that of b. It is exact, but rounded once if b
// is added. A quotient below 2^22 may be rounded up to the next integer. The difference is exact then, too,
// but has the wrong sign, so |b| is added. Larger quotients, infinities and NaN use std::fmod.
template <bool kFloor>
HWY_INLINE VF remainder(VF a, VF b, bool fused) {
  const VF quotient = divide(a, b);
  const VF q = kFloor ? hn::Floor(quotient) : hn::Trunc(quotient);
  const VF difference = exact_difference(a, q, b, fused);
  const VF sign = hn::And(kFloor ? b : a, constant<-0.0f>());
  const VF magnitude = hn::Xor(difference, sign);  // negative if rounded up
  const VF divisor = hn::AndNot(constant<-0.0f>(), b);
  const VF corrected = hn::IfThenElse(hn::Lt(magnitude, zero()), hn::Add(magnitude, divisor), magnitude);
  const VF result = hn::Or(corrected, sign);
  const MF plain =
      hn::And(hn::Lt(hn::AndNot(constant<-0.0f>(), q), constant<0x1p22f>()), hn::Eq(difference, difference));
  if (HWY_LIKELY(hn::AllTrue(F32x4(), plain))) return result;
  alignas(16) float others[kLanes], divisors[kLanes];
  hn::Store(a, F32x4(), others);
  hn::Store(b, F32x4(), divisors);
  for (size_t i = 0; i < kLanes; ++i) {
    const float y = divisors[i], r = std::fmod(others[i], y);
    others[i] = !kFloor ? r : r == 0 ? std::copysign(0.0f, y) : (r < 0) != (y < 0) ? r + y : r;
  }
  return hn::IfThenElse(plain, result, hn::Load(F32x4(), others));
}

template <Binary kOp, typename V>
HWY_INLINE V evaluate(V a, V b, [[maybe_unused]] bool fused) {
  if constexpr (kOp == Binary::kAdd) return hn::Add(a, b);
  if constexpr (kOp == Binary::kSubtract) return hn::Sub(a, b);
  if constexpr (kOp == Binary::kMultiply) return multiply(a, b);
  if constexpr (kOp == Binary::kDivide) return divide(a, b);
  if constexpr (kOp == Binary::kMaximum) return maximum(a, b);
  if constexpr (kOp == Binary::kMinimum) return minimum(a, b);
  if constexpr (kOp == Binary::kSquaredDifference) {
    const V difference = hn::Sub(a, b);
    return multiply(difference, difference);
  }
  if constexpr (kOp == Binary::kPower) return pow(a, b);
  if constexpr (kOp == Binary::kMod) return remainder<false>(a, b, fused);
  if constexpr (kOp == Binary::kFloorMod) return remainder<true>(a, b, fused);
  if constexpr (kOp == Binary::kPrelu) return hn::IfThenElse(hn::Lt(a, zero()), hn::Mul(a, b), a);
}

// Operands advance by a_stride and b_stride elements per block.
template <Binary kOp, typename T>
HWY_NOINLINE void loop(const T* a, size_t a_stride, const T* b, size_t b_stride, T* y, size_t blocks) {
  constexpr Tag<T> d;
  constexpr size_t kVector = kBlock<T> / 2;
  const bool fused = (kOp == Binary::kMod || kOp == Binary::kFloorMod) && fuses();
  for (; blocks > 0; --blocks, a += a_stride, b += b_stride, y += kBlock<T>) {
    const auto y0 = evaluate<kOp>(hn::LoadU(d, a), hn::LoadU(d, b), fused);
    const auto y1 = evaluate<kOp>(hn::LoadU(d, a + kVector), hn::LoadU(d, b + kVector), fused);
    hn::StoreU(y0, d, y);
    hn::StoreU(y1, d, y + kVector);
  }
}

template <typename T>
using Loop = void (*)(const T*, size_t, const T*, size_t, T*, size_t);

template <typename T>
Loop<T> choose(Binary op) {
  switch (op) {
    case Binary::kAdd:
      return loop<Binary::kAdd, T>;
    case Binary::kSubtract:
      return loop<Binary::kSubtract, T>;
    case Binary::kMultiply:
      return loop<Binary::kMultiply, T>;
    case Binary::kMaximum:
      return loop<Binary::kMaximum, T>;
    case Binary::kMinimum:
      return loop<Binary::kMinimum, T>;
    case Binary::kSquaredDifference:
      return loop<Binary::kSquaredDifference, T>;
    case Binary::kDivide:
      if constexpr (std::is_same_v<T, float>) return loop<Binary::kDivide, T>;
      break;
    case Binary::kPower:
      if constexpr (std::is_same_v<T, float>) return loop<Binary::kPower, T>;
      break;
    case Binary::kPrelu:
      if constexpr (std::is_same_v<T, float>) return loop<Binary::kPrelu, T>;
      break;
    case Binary::kMod:
      if constexpr (std::is_same_v<T, float>) return loop<Binary::kMod, T>;
      break;
    case Binary::kFloorMod:
      if constexpr (std::is_same_v<T, float>) return loop<Binary::kFloorMod, T>;
      break;
  }
  assert(false && "of f32 only");
  return nullptr;
}

template <typename T>
void apply(Binary op, const T* a, size_t a_step, const T* b, size_t b_step, T* y, size_t n) {
  if (n == 0) return;
  const Loop<T> run = choose<T>(op);
  alignas(16) T a_block[kBlock<T>] = {};
  alignas(16) T b_block[kBlock<T>] = {};
  const size_t rest = n % kBlock<T>, whole = n - rest;
  if (a_step == 0) std::fill_n(a_block, kBlock<T>, *a);
  if (b_step == 0) std::fill_n(b_block, kBlock<T>, *b);
  run(a_step == 0 ? a_block : a, a_step * kBlock<T>, b_step == 0 ? b_block : b, b_step * kBlock<T>, y,
      whole / kBlock<T>);
  if (rest == 0) return;
  if (a_step != 0) std::memcpy(a_block, a + whole, rest * sizeof(T));
  if (b_step != 0) std::memcpy(b_block, b + whole, rest * sizeof(T));
  run(a_block, 0, b_block, 0, a_block, 1);
  std::memcpy(y + whole, a_block, rest * sizeof(T));
}

// --- comparisons

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

// Computes 16 results at a time from four masks (f32, i32), narrowed to bytes of 0 and 1.
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
  apply(op, a, a_step, b, b_step, y, n);
}

void apply_binary(Binary op, const int32_t* a, size_t a_step, const int32_t* b, size_t b_step, int32_t* y,
                  size_t n) {
  apply(op, a, a_step, b, b_step, y, n);
}

void apply_binary(Binary op, const int64_t* a, size_t a_step, const int64_t* b, size_t b_step, int64_t* y,
                  size_t n) {
  apply(op, a, a_step, b, b_step, y, n);
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
  // Both operands are read regardless of the mask: a blend instead of a branch. An operand that stays is one
  // vector.
  constexpr size_t kVector = 16 / sizeof(T);
  size_t i = 0;
  if constexpr (sizeof(T) <= 4) {
    const hn::FixedTag<T, kVector> d;
    alignas(16) T a_block[kVector], b_block[kVector];
    std::fill_n(a_block, kVector, *a);
    std::fill_n(b_block, kVector, *b);
    const T *x = a_step == 0 ? a_block : a, *z = b_step == 0 ? b_block : b;
    for (; i + kVector <= n; i += kVector) {
      const auto chosen = hn::BitCast(d, widened<hwy::MakeSigned<T>>(load_booleans<kVector>(mask + i)));
      hn::StoreU(hn::IfVecThenElse(chosen, hn::LoadU(d, x + i * a_step), hn::LoadU(d, z + i * b_step)), d,
                 y + i);
    }
  }
  for (; i < n; ++i) {
    const T x = a[i * a_step], z = b[i * b_step];
    y[i] = mask[i] != 0 ? x : z;
  }
}

void apply_logical(Logical op, const uint8_t* a, size_t a_step, const uint8_t* b, size_t b_step, uint8_t* y,
                   size_t n) {
  if (n == 0) return;
  const hn::FixedTag<int8_t, 16> d;
  uint8_t a_block[16], b_block[16], rest[16];
  const auto run = [&](const uint8_t* x, const uint8_t* z, uint8_t* to) HWY_ATTR {
    const auto left = load_booleans<16>(x), right = load_booleans<16>(z);
    const auto result = op == Logical::kAnd  ? hn::And(left, right)
                        : op == Logical::kOr ? hn::Or(left, right)
                                             : hn::Xor(left, right);
    hn::StoreU(hn::And(result, hn::Set(d, 1)), d, reinterpret_cast<int8_t*>(to));
  };
  const size_t whole = n / 16 * 16;
  std::fill_n(a_block, 16, *a);
  std::fill_n(b_block, 16, *b);
  for (size_t i = 0; i < whole; i += 16) {
    run(a_step == 0 ? a_block : a + i, b_step == 0 ? b_block : b + i, y + i);
  }
  if (whole == n) return;
  if (a_step != 0) std::copy_n(a + whole, n - whole, a_block);
  if (b_step != 0) std::copy_n(b + whole, n - whole, b_block);
  run(a_block, b_block, rest);
  std::copy_n(rest, n - whole, y + whole);
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
