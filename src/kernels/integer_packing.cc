// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_packing.h"

#include <algorithm>

#include "core/work.h"
#include "kernels/integer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Eight columns of `step` rows, of which `rows` exist: bytes in the order of B.
void pack_step(const uint8_t* b, size_t k_stride, size_t n_stride, size_t step, size_t rows, size_t columns,
               uint8_t* to) {
  if (k_stride == 1 && rows == step && columns == kPanelColumns) {
    for (size_t j = 0; j < kPanelColumns; ++j) {
      if (step == 2) {
        std::memcpy(to + 2 * j, b + j * n_stride, 2);
      } else {
        std::memcpy(to + 4 * j, b + j * n_stride, 4);
      }
    }
    return;
  }
  // 128 stands for 0.
  std::fill_n(to, step * kPanelColumns, uint8_t{128});
  for (size_t j = 0; j < columns; ++j) {
    for (size_t i = 0; i < rows; ++i) to[j * step + i] = b[i * k_stride + j * n_stride];
  }
}

// The same for rows of at least eight adjacent columns.
HWY_INLINE void pack_rows(const uint8_t* b, size_t k_stride, size_t step, uint8_t* to) {
  const U8x16 d;
  const VB first = hn::InterleaveLower(d, load_eight(b), load_eight(b + k_stride));
  if (step == 2) return hn::StoreU(first, d, to);
  const hn::FixedTag<uint16_t, 8> d16;
  const auto second =
      hn::BitCast(d16, hn::InterleaveLower(d, load_eight(b + 2 * k_stride), load_eight(b + 3 * k_stride)));
  const auto pairs = hn::BitCast(d16, first);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d16, pairs, second)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d16, pairs, second)), d, to + 16);
}

}  // namespace

void pack_integer_data(IntegerDot dot, const uint8_t* b, size_t k_stride, size_t n_stride, size_t k, size_t n,
                       int8_t* packed) {
  const U8x16 d;
  const size_t step = dot == IntegerDot::kPairs ? 2 : 4;
  const size_t depth = (k + kIntegerStep - 1) / kIntegerStep * kIntegerStep;
  auto* to = reinterpret_cast<uint8_t*>(packed);
  for (size_t column = 0; column < n; column += kPanelColumns) {
    const size_t columns = std::min(kPanelColumns, n - column);
    count_work(depth);
    for (size_t p = 0; p < depth; p += step, to += step * kPanelColumns) {
      const uint8_t* from = b + p * k_stride + column * n_stride;
      const size_t rows = p < k ? std::min(step, k - p) : 0;
      if (n_stride == 1 && rows == step && columns == kPanelColumns) {
        pack_rows(from, k_stride, step, to);
      } else {
        pack_step(from, k_stride, n_stride, step, rows, columns, to);
      }
      for (size_t i = 0; i < step * kPanelColumns; i += 16)
        hn::StoreU(hn::Xor(hn::LoadU(d, to + i), hn::Set(d, 128)), d, to + i);
    }
  }
}

uint32_t sum_of_bytes(const uint8_t* x, size_t n) {
  const U8x16 d;
  const hn::FixedTag<uint64_t, 2> d64;
  auto sums = hn::Zero(d64);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) sums = hn::Add(sums, hn::SumsOf8(hn::LoadU(d, x + i)));
  auto sum = static_cast<uint32_t>(hn::ExtractLane(sums, 0) + hn::ExtractLane(sums, 1));
  for (; i < n; ++i) sum += x[i];
  return sum;
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
