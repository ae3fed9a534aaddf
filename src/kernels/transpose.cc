// SPDX-License-Identifier: Apache-2.0
#include "kernels/transpose.h"

#include <cassert>
#include <cstdint>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// A tile of kSize x kSize elements that is transposed in registers.
template <typename T>
struct Tile;

template <>
struct Tile<uint64_t> {
  static constexpr size_t kSize = 2;
  static HWY_INLINE void move(const uint64_t* from, size_t from_stride, uint64_t* to, size_t to_stride) {
    const U64x2 d;
    const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_stride);
    hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
    hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + to_stride);
  }
};

template <>
struct Tile<uint32_t> {
  static constexpr size_t kSize = 4;
  static HWY_INLINE void move(const uint32_t* from, size_t from_stride, uint32_t* to, size_t to_stride) {
    const U32x4 d;
    VF v[4];
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) v[i] = hn::BitCast(F32x4(), hn::LoadU(d, from + i * from_stride));
    transpose_4x4(v);
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) hn::StoreU(hn::BitCast(d, v[i]), d, to + i * to_stride);
  }
};

template <>
struct Tile<uint16_t> {
  static constexpr size_t kSize = 8;
  static HWY_INLINE void move(const uint16_t* from, size_t from_stride, uint16_t* to, size_t to_stride) {
    const hn::FixedTag<uint16_t, 8> d;
    hn::Vec<decltype(d)> a[8], b[8];
    HWY_UNROLL(8)
    for (size_t i = 0; i < 8; ++i) a[i] = hn::LoadU(d, from + i * from_stride);
    // Three rounds, each of which interleaves rows that are half the tile apart.
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
      b[2 * i] = hn::InterleaveLower(d, a[i], a[i + 4]);
      b[2 * i + 1] = hn::InterleaveUpper(d, a[i], a[i + 4]);
    }
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
      a[2 * i] = hn::InterleaveLower(d, b[i], b[i + 4]);
      a[2 * i + 1] = hn::InterleaveUpper(d, b[i], b[i + 4]);
    }
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
      hn::StoreU(hn::InterleaveLower(d, a[i], a[i + 4]), d, to + 2 * i * to_stride);
      hn::StoreU(hn::InterleaveUpper(d, a[i], a[i + 4]), d, to + (2 * i + 1) * to_stride);
    }
  }
};

template <>
struct Tile<uint8_t> {
  static constexpr size_t kSize = 8;
  static HWY_INLINE void move(const uint8_t* from, size_t from_stride, uint8_t* to, size_t to_stride) {
    const hn::FixedTag<uint8_t, 16> d;
    const hn::FixedTag<uint8_t, 8> half;
    const auto row = [&](size_t i) HWY_ATTR {
      return hn::ZeroExtendVector(d, hn::LoadU(half, from + i * from_stride));
    };
    hn::Vec<decltype(d)> a[4], b[4];
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) a[i] = hn::InterleaveLower(d, row(i), row(i + 4));
    HWY_UNROLL(2)
    for (size_t i = 0; i < 2; ++i) {
      b[2 * i] = hn::InterleaveLower(d, a[i], a[i + 2]);
      b[2 * i + 1] = hn::InterleaveUpper(d, a[i], a[i + 2]);
    }
    HWY_UNROLL(2)
    for (size_t i = 0; i < 2; ++i) {
      const auto low = hn::InterleaveLower(d, b[i], b[i + 2]), high = hn::InterleaveUpper(d, b[i], b[i + 2]);
      uint8_t* p = to + 4 * i * to_stride;
      hn::StoreU(hn::LowerHalf(half, low), half, p);
      hn::StoreU(hn::UpperHalf(half, low), half, p + to_stride);
      hn::StoreU(hn::LowerHalf(half, high), half, p + 2 * to_stride);
      hn::StoreU(hn::UpperHalf(half, high), half, p + 3 * to_stride);
    }
  }
};

template <typename T>
void move_one_by_one(const T* from, size_t from_stride, T* to, size_t to_stride, size_t rows,
                     size_t columns) {
  for (size_t j = 0; j < columns; ++j) {
    for (size_t i = 0; i < rows; ++i) to[j * to_stride + i] = from[i * from_stride + j];
  }
}

// Interleaves kRows rows; `to` is contiguous.
template <size_t kRows, typename T>
size_t interleave_rows(const T* from, size_t from_stride, T* to, size_t columns) {
  const hn::FixedTag<T, 16 / sizeof(T)> d;
  constexpr size_t kStep = 16 / sizeof(T);
  size_t j = 0;
  for (; j + kStep <= columns; j += kStep) {
    const auto a = hn::LoadU(d, from + j), b = hn::LoadU(d, from + from_stride + j);
    if constexpr (kRows == 2) {
      hn::StoreInterleaved2(a, b, d, to + kRows * j);
    } else {
      const auto c = hn::LoadU(d, from + 2 * from_stride + j);
      if constexpr (kRows == 3) {
        hn::StoreInterleaved3(a, b, c, d, to + kRows * j);
      } else {
        hn::StoreInterleaved4(a, b, c, hn::LoadU(d, from + 3 * from_stride + j), d, to + kRows * j);
      }
    }
  }
  return j;
}

// Splits interleaved elements into kColumns rows; `from` is contiguous.
template <size_t kColumns, typename T>
size_t deinterleave_columns(const T* from, T* to, size_t to_stride, size_t rows) {
  const hn::FixedTag<T, 16 / sizeof(T)> d;
  constexpr size_t kStep = 16 / sizeof(T);
  size_t i = 0;
  for (; i + kStep <= rows; i += kStep) {
    hn::Vec<decltype(d)> v[4];
    if constexpr (kColumns == 2) hn::LoadInterleaved2(d, from + kColumns * i, v[0], v[1]);
    if constexpr (kColumns == 3) hn::LoadInterleaved3(d, from + kColumns * i, v[0], v[1], v[2]);
    if constexpr (kColumns == 4) hn::LoadInterleaved4(d, from + kColumns * i, v[0], v[1], v[2], v[3]);
    for (size_t j = 0; j < kColumns; ++j) hn::StoreU(v[j], d, to + j * to_stride + i);
  }
  return i;
}

template <typename T>
HWY_NOINLINE void transpose_all(const T* from, size_t from_stride, T* to, size_t to_stride, size_t rows,
                                size_t columns) {
  if constexpr (sizeof(T) < 8) {
    if (rows >= 2 && rows <= 4 && to_stride == rows) {
      const size_t done = rows == 2   ? interleave_rows<2>(from, from_stride, to, columns)
                          : rows == 3 ? interleave_rows<3>(from, from_stride, to, columns)
                                      : interleave_rows<4>(from, from_stride, to, columns);
      return move_one_by_one(from + done, from_stride, to + done * rows, to_stride, rows, columns - done);
    }
    if (columns >= 2 && columns <= 4 && from_stride == columns) {
      const size_t done = columns == 2   ? deinterleave_columns<2>(from, to, to_stride, rows)
                          : columns == 3 ? deinterleave_columns<3>(from, to, to_stride, rows)
                                         : deinterleave_columns<4>(from, to, to_stride, rows);
      return move_one_by_one(from + done * columns, from_stride, to + done, to_stride, rows - done, columns);
    }
  }
  // Walks down strips of columns that are one cache line wide. Each line is read once, and as many lines are
  // being written as the strip has columns.
  constexpr size_t kSize = Tile<T>::kSize;
  constexpr size_t kStrip = sizeof(T) < 4 ? 2 * kSize : 64 / sizeof(T) / 2;
  const size_t whole_rows = rows / kSize * kSize;
  for (size_t strip = 0; strip < columns; strip += kStrip) {
    const size_t end = strip + kStrip < columns ? strip + kStrip : columns;
    const size_t whole = strip + (end - strip) / kSize * kSize;
    for (size_t i = 0; i < whole_rows; i += kSize) {
      for (size_t j = strip; j < whole; j += kSize) {
        Tile<T>::move(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
      }
      if (whole < end) {
        move_one_by_one(from + i * from_stride + whole, from_stride, to + whole * to_stride + i, to_stride,
                        kSize, end - whole);
      }
    }
    move_one_by_one(from + whole_rows * from_stride + strip, from_stride, to + strip * to_stride + whole_rows,
                    to_stride, rows - whole_rows, end - strip);
  }
}

}  // namespace

void transpose(const void* from, size_t from_stride, void* to, size_t to_stride, size_t rows, size_t columns,
               size_t element_size) {
  const auto run = [&]<typename T>(T*) {
    transpose_all(static_cast<const T*>(from), from_stride, static_cast<T*>(to), to_stride, rows, columns);
  };
  switch (element_size) {
    case 1:
      return run(static_cast<uint8_t*>(nullptr));
    case 2:
      return run(static_cast<uint16_t*>(nullptr));
    case 4:
      return run(static_cast<uint32_t*>(nullptr));
    case 8:
      return run(static_cast<uint64_t*>(nullptr));
    default:
      assert(false && "elements of 1, 2, 4 or 8 bytes");
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
