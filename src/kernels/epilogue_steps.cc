// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/epilogue-inl.h"
#include "kernels/unary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kColumns = 2 * kLanes;

// The last steps for eight columns: a PRelu and the quantisation of C in u8.
struct LastSteps {
  VF slope[2], inverse[2], shift[2], low, high;
  bool slopes;

  LastSteps(const Epilogue& e, size_t column) : low(zero()), high(set(e.most)), slopes(e.slopes != nullptr) {
    HWY_UNROLL(2)
    for (size_t i = 0; i < 2; ++i) {
      const size_t at = column + i * kLanes;
      slope[i] = slopes ? load(e.slopes + at) : set(1.0f);
      inverse[i] = e.inverse != nullptr ? load(e.inverse + at) : zero();
      shift[i] = e.inverse != nullptr ? load(e.shift + at) : zero();
    }
  }
  HWY_INLINE static VF prelu(VF v, VF slope) {
    return hn::IfThenElse(hn::Lt(v, zero()), hn::Mul(v, slope), v);
  }
  HWY_INLINE FloatPair prelu(const FloatPair& v) const {
    return {prelu(v.first, slope[0]), prelu(v.second, slope[1])};
  }
  HWY_INLINE VI level(VF v, size_t i) const {
    return round_saturating(clamp_level(scaled(v, inverse[i], shift[i]), low, high));
  }
  HWY_INLINE V16 levels(const FloatPair& v) const {
    return hn::OrderedDemote2To(I16x8(), level(v.first, 0), level(v.second, 1));
  }
};

// Stores whole rows of eight columns of C in u8. `values_at(i)` gives the eight values from element i on.
template <bool kSlopes, typename ValuesAt>
HWY_INLINE void store_rows(size_t rows, const LastSteps& last, const Output& c, const ValuesAt& values_at) {
  const auto levels_at = [&](size_t at) HWY_ATTR {
    const FloatPair v = values_at(at);
    return last.levels(kSlopes ? last.prelu(v) : v);
  };
  uint8_t* to = c.u8;
  size_t at = 0, end = rows * kColumns;
  HWY_UNROLL(1)
  for (; at + 2 * kColumns <= end; at += 2 * kColumns, to += 2 * c.stride) {
    const V16 first = levels_at(at), second = levels_at(at + kColumns);
    store_halves(hn::OrderedDemote2To(U8x16(), first, second), to, to + c.stride);
  }
  if (at == end) return;
  const V16 v = levels_at(at);
  hn::StoreU(hn::LowerHalf(U8x8(), hn::OrderedDemote2To(U8x16(), v, v)), U8x8(), to);
}

// The same from sums, with short activations. These stay in registers: through memory, 16 -> 64 channels with
// HSwish at 112x112 took 936 us instead of 603. Longer ones leave no registers for the numbers of the
// columns: swish of 96 channels at 112x112 took 2.19 ms instead of 1.80.
template <Unary kKind>
void finish_in_registers(const int32_t* sums, size_t rows, const Epilogue& e, const Output& c,
                         const LastSteps& last, size_t column) {
  const EightColumns<false> columns(e, column);
  store_rows<kKind == Unary::kIdentity>(rows, last, c, [&](size_t at) HWY_ATTR {
    const VI first = hn::LoadU(I32x4(), sums + at), second = hn::LoadU(I32x4(), sums + at + kLanes);
    const FloatPair v = columns.values_of(first, second, nullptr);
    return FloatPair{evaluate<kKind>(v.first, 0, 0), evaluate<kKind>(v.second, 0, 0)};
  });
}

}  // namespace

void finish_in_steps(const int32_t* sums, size_t rows, const Epilogue& e, const Output& c, size_t row,
                     size_t column, size_t width) {
  const LastSteps last(e, column);
  const Output to = c.from(row, column);
  const bool whole = to.u8 != nullptr && width == kColumns;
  if (whole && !e.residual) {
    if (e.activation.kind == Unary::kIdentity)
      return finish_in_registers<Unary::kIdentity>(sums, rows, e, to, last, column);
    if (e.activation.kind == Unary::kHSwish && e.slopes == nullptr)
      return finish_in_registers<Unary::kHSwish>(sums, rows, e, to, last, column);
  }
  // 2 KB of values stay in L1.
  constexpr size_t kRowsAtOnce = 64;
  alignas(16) float values[kRowsAtOnce * kColumns];
  for (size_t first = 0; first < rows; first += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, rows - first);
    const Output part = to.from(first, 0);
    if (!e.residual) {
      finish_eights<false>(sums, count, e, values, kColumns, 0, column);
      sums += count * kColumns;
    } else {
      for (size_t r = 0; r < count; ++r, sums += kColumns)
        store(values_of_sums(sums, e, row + first + r, column, width), values + r * kColumns);
    }
    apply_unary(e.activation, values, values, count * kColumns);
    const auto values_at = [&](size_t at)
                               HWY_ATTR { return FloatPair{load(values + at), load(values + at + kLanes)}; };
    if (whole && !last.slopes) {
      store_rows<false>(count, last, part, values_at);
      continue;
    }
    for (size_t r = 0; r < count; ++r) {
      const FloatPair value = values_at(r * kColumns), v = last.slopes ? last.prelu(value) : value;
      const Output at = part.from(r, 0);
      if (at.u8 == nullptr) {
        store_floats(v, at.f32, width);
      } else {
        store_bytes(last.level(v.first, 0), last.level(v.second, 1), at.u8, width);
      }
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
