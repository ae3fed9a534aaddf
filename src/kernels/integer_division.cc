// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_division.h"

#include <algorithm>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// In f64, a quotient is off by less than 2^-53 of itself. One that is not an integer is at least 2^-31 of
// itself away from the next integer. So rounding it is exact. Adding 1.5 * 2^52 moves the integer, modulo
// 2^32, into the low half of the f64, so 2^31 wraps to the smallest integer.
template <bool kFloor>
HWY_INLINE VL quotient(VD a, VD b) {
  const VD exact = hn::Div(a, b), rounded = kFloor ? hn::Floor(exact) : hn::Trunc(exact);
  return hn::BitCast(I64x2(), hn::Add(rounded, hn::Set(F64x2(), 0x1.8p52)));
}

template <bool kFloor, bool kRemainder>
HWY_INLINE VI divide(VI a, VI b) {
  const I32x4 d;
  const F64x2 wide;
  const VL low = quotient<kFloor>(hn::PromoteLowerTo(wide, a), hn::PromoteLowerTo(wide, b));
  const VL high = quotient<kFloor>(hn::PromoteUpperTo(wide, a), hn::PromoteUpperTo(wide, b));
  const VI result = hn::ConcatEven(d, hn::BitCast(d, high), hn::BitCast(d, low));
  return kRemainder ? hn::Sub(a, hn::Mul(result, b)) : result;
}

template <bool kFloor, bool kRemainder>
bool loop(const int32_t* a, size_t a_step, const int32_t* b, size_t b_step, int32_t* y, size_t n) {
  const I32x4 d;
  const VI one_a = hn::Set(d, n > 0 ? *a : 0), one_b = hn::Set(d, n > 0 ? *b : 1);
  hn::Mask<I32x4> zero = hn::MaskFalse(d);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const VI divisor = b_step == 0 ? one_b : hn::LoadU(d, b + i);
    zero = hn::Or(zero, hn::Eq(divisor, hn::Zero(d)));
    hn::StoreU(divide<kFloor, kRemainder>(a_step == 0 ? one_a : hn::LoadU(d, a + i), divisor), d, y + i);
  }
  if (i < n) {
    alignas(16) int32_t dividends[kLanes] = {}, divisors[kLanes] = {1, 1, 1, 1};
    for (size_t j = 0; i + j < n; ++j) {
      dividends[j] = a[(i + j) * a_step];
      divisors[j] = b[(i + j) * b_step];
    }
    const VI divisor = hn::Load(d, divisors);
    zero = hn::Or(zero, hn::Eq(divisor, hn::Zero(d)));
    hn::Store(divide<kFloor, kRemainder>(hn::Load(d, dividends), divisor), d, dividends);
    std::copy_n(dividends, n - i, y + i);
  }
  return hn::AllFalse(d, zero);
}

}  // namespace

bool divide(Division op, const int32_t* a, size_t a_step, const int32_t* b, size_t b_step, int32_t* y,
            size_t n) {
  constexpr decltype(&loop<false, false>) kLoops[] = {loop<false, false>, loop<true, false>,
                                                      loop<false, true>, loop<true, true>};
  return kLoops[static_cast<size_t>(op)](a, a_step, b, b_step, y, n);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
