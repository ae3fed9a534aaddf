// SPDX-License-Identifier: Apache-2.0
#include "kernels/compressed.h"

#include <algorithm>
#include <cstring>

#include "kernels/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kCellRows = 4;

constexpr size_t bits_of(WeightBits bits) {
  return bits == WeightBits::kInt4 ? 4 : bits == WeightBits::kInt8 ? 8 : 16;
}
constexpr size_t cell_bytes(WeightBits bits) { return kCellRows * kPanelColumns * bits_of(bits) / 8; }
constexpr size_t cells(size_t k) { return (k + kCellRows - 1) / kCellRows; }
constexpr bool is_integer(WeightBits bits) { return bits == WeightBits::kInt4 || bits == WeightBits::kInt8; }

// 8 columns of one row of B.
struct Row {
  VF low, high;
};

// One cell in registers.
template <WeightBits kBits>
class Cell;

// Integers come out of their words as kIntegerOffset + i, by bits alone: zero points are then subtracted
// together with the offset. Conversions cost more: LLVM takes the unsigned one for what is never negative,
// which x86 lacks.
constexpr float kIntegerOffset = 0x1p23f;

template <size_t kShift, uint32_t kMask>
HWY_INLINE VF offset_field(VU words) {
  const U32x4 d;
  VU field = words;
  if constexpr (kShift > 0) field = hn::ShiftRight<kShift>(field);
  if constexpr ((~uint32_t{0} >> kShift) != kMask) field = hn::And(field, hn::Set(d, kMask));
  return hn::BitCast(F32x4(), hn::Or(field, hn::BitCast(d, set(kIntegerOffset))));
}

template <>
class Cell<WeightBits::kInt4> {
 public:
  HWY_INLINE explicit Cell(const uint8_t* p)
      : words_(hn::LoadU(U32x4(), reinterpret_cast<const uint32_t*>(p))) {}
  template <size_t kRow>
  HWY_INLINE Row row() const {
    return {offset_field<4 * kRow, 15>(words_), offset_field<16 + 4 * kRow, 15>(words_)};
  }

 private:
  VU words_;
};

template <>
class Cell<WeightBits::kInt8> {
 public:
  HWY_INLINE explicit Cell(const uint8_t* p)
      : low_(hn::LoadU(U32x4(), reinterpret_cast<const uint32_t*>(p))),
        high_(hn::LoadU(U32x4(), reinterpret_cast<const uint32_t*>(p + 16))) {}
  template <size_t kRow>
  HWY_INLINE Row row() const {
    return {offset_field<8 * kRow, 255>(low_), offset_field<8 * kRow, 255>(high_)};
  }

 private:
  VU low_, high_;
};

template <>
class Cell<WeightBits::kF16> {
 public:
  HWY_INLINE explicit Cell(const uint8_t* p) : p_(reinterpret_cast<const uint16_t*>(p)) {}
  template <size_t kRow>
  HWY_INLINE Row row() const {
    const uint16_t* row = p_ + kRow * kPanelColumns;
    return {load_f16(row), load_f16(row + kLanes)};
  }

 private:
  const uint16_t* p_;
};

template <>
class Cell<WeightBits::kBf16> {
 public:
  HWY_INLINE explicit Cell(const uint8_t* p) : p_(reinterpret_cast<const uint16_t*>(p)) {}
  template <size_t kRow>
  HWY_INLINE Row row() const {
    const uint16_t* row = p_ + kRow * kPanelColumns;
    return {load_bf16(row), load_bf16(row + kLanes)};
  }

 private:
  const uint16_t* p_;
};

// A cell of f16 without zeros, denormals, infinities and NaNs takes a third of the steps.
class PlainHalves {
 public:
  HWY_INLINE explicit PlainHalves(const uint8_t* p) : p_(reinterpret_cast<const uint16_t*>(p)) {}
  HWY_INLINE static bool fits(const uint8_t* p) {
    const U16x8 d;
    const auto* rows = reinterpret_cast<const uint16_t*>(p);
    auto worst = hn::Zero(d);
    HWY_UNROLL(4)
    for (size_t r = 0; r < kCellRows; ++r) {
      const auto exponents = hn::And(hn::LoadU(d, rows + r * kPanelColumns), hn::Set(d, 0x7C00));
      // 0 becomes the largest exponent of all.
      worst = hn::Max(worst, hn::Sub(exponents, hn::Set(d, 0x0400)));
    }
    return hn::AllTrue(d, hn::Lt(worst, hn::Set(d, 0x7800)));
  }
  template <size_t kRow>
  HWY_INLINE Row row() const {
    const U16x8 d;
    const auto halves = hn::LoadU(d, p_ + kRow * kPanelColumns);
    return {widened(hn::InterleaveLower(d, hn::Zero(d), halves)),
            widened(hn::InterleaveUpper(d, hn::Zero(d), halves))};
  }

 private:
  // f16 bits in the high half of each lane.
  HWY_INLINE static VF widened(hn::Vec<U16x8> halves) {
    const I32x4 d;
    const VI digits =
        hn::And(hn::ShiftRight<3>(hn::BitCast(d, halves)), hn::Set(d, static_cast<int32_t>(0x8FFFE000)));
    return hn::BitCast(F32x4(), hn::Add(digits, hn::Set(d, 112 << 23)));
  }

  const uint16_t* p_;
};

// Calls body(cell) for the cell at p.
template <WeightBits kBits, typename Body>
HWY_INLINE void with_cell(const uint8_t* p, const Body& body) {
  if constexpr (kBits == WeightBits::kF16) {
    if (PlainHalves::fits(p)) return body(PlainHalves(p));
  }
  body(Cell<kBits>(p));
}

// Scales and, of integers, zero points of one group for the columns of a panel.
template <WeightBits kBits>
struct Quantization {
  VF low_scale, high_scale, low_zero, high_zero;

  HWY_INLINE Quantization(const CompressedMatrix& b, size_t panel_group) {
    const float* scales = b.scales + panel_group * kPanelColumns;
    low_scale = load(scales);
    high_scale = load(scales + kLanes);
    if constexpr (!is_integer(kBits)) return;
    low_zero = high_zero = set(kIntegerOffset + b.zero_point);
    if (b.zero_points == nullptr) return;
    alignas(16) float zeros[kPanelColumns];
    const uint8_t* points = b.zero_points + panel_group * kPanelColumns;
    for (size_t j = 0; j < kPanelColumns; ++j) zeros[j] = kIntegerOffset + static_cast<float>(points[j]);
    low_zero = load(zeros);
    high_zero = load(zeros + kLanes);
  }
  HWY_INLINE Row value(Row row) const {
    if constexpr (is_integer(kBits)) row = {hn::Sub(row.low, low_zero), hn::Sub(row.high, high_zero)};
    return {hn::Mul(row.low, low_scale), hn::Mul(row.high, high_scale)};
  }
};

// Calls body(panel_group, depth) for the groups that rows `depth` of a panel lie in.
template <typename Body>
HWY_INLINE void for_groups(const CompressedMatrix& b, size_t panel, const Range& depth, const Body& body) {
  const size_t groups = b.group == 0 ? 1 : (b.k + b.group - 1) / b.group;
  for (size_t p = depth.begin; p < depth.end;) {
    const size_t group = p / b.group;
    const size_t end = std::min(depth.end, (group + 1) * b.group);
    body(panel * groups + group, Range{p, end});
    p = end;
  }
}

// Floating point without scales, as it is.
struct Plain {
  HWY_INLINE Row value(Row row) const { return row; }
};

template <size_t kRow, typename AnyCell, typename Scaling>
HWY_INLINE void expand_row(const AnyCell& cell, const Scaling& scaling, float* to) {
  const Row row = scaling.value(cell.template row<kRow>());
  store(row.low, to + kRow * kPanelColumns);
  store(row.high, to + kRow * kPanelColumns + kLanes);
}

template <WeightBits kBits, typename Scaling>
HWY_INLINE float* expand_cells(const uint8_t* from, size_t count, const Scaling& scaling, float* to) {
  HWY_UNROLL(1)
  for (; count > 0; --count, from += cell_bytes(kBits), to += kCellRows * kPanelColumns) {
    with_cell<kBits>(from, [&](const auto& cell) HWY_ATTR {
      expand_row<0>(cell, scaling, to);
      expand_row<1>(cell, scaling, to);
      expand_row<2>(cell, scaling, to);
      expand_row<3>(cell, scaling, to);
    });
  }
  return to;
}

template <WeightBits kBits>
HWY_NOINLINE void expand_columns(const CompressedMatrix& b, const Range& depth, const Range& columns,
                                 float* to) {
  for (size_t column = columns.begin; column < columns.end; column += kPanelColumns) {
    const size_t panel = column / kPanelColumns;
    const uint8_t* cell = static_cast<const uint8_t*>(b.values) + panel * cells(b.k) * cell_bytes(kBits);
    if (!is_integer(kBits) && b.scales == nullptr) {
      const uint8_t* from = cell + depth.begin / kCellRows * cell_bytes(kBits);
      to = expand_cells<kBits>(from, cells(depth.size()), Plain(), to);
      continue;
    }
    for_groups(b, panel, depth, [&](size_t panel_group, const Range& part) HWY_ATTR {
      const Quantization<kBits> quantization(b, panel_group);
      const uint8_t* from = cell + part.begin / kCellRows * cell_bytes(kBits);
      to = expand_cells<kBits>(from, cells(part.size()), quantization, to);
    });
  }
}

template <WeightBits kBits>
uint32_t raw_element(const void* values, size_t index) {
  if constexpr (kBits == WeightBits::kInt4) {
    return static_cast<const uint8_t*>(values)[index / 2] >> (index % 2 * 4) & 15;
  } else {
    return static_cast<const uint8_t*>(values)[index];
  }
}

// T holds the 4 rows of one column, in the order that the cell has and, where rows are neighbours, `values`.
template <WeightBits kBits, typename T>
void pack_integers(T sign_bits, const void* values, std::span<const size_t> rows, size_t n_stride,
                   size_t column, size_t width, T* to) {
  constexpr size_t kBitsEach = bits_of(kBits);
  for (; !rows.empty(); rows = rows.subspan(std::min(kCellRows, rows.size())), to += kPanelColumns) {
    const bool neighbours = rows.size() >= kCellRows && rows[1] == rows[0] + 1 && rows[2] == rows[0] + 2 &&
                            rows[3] == rows[0] + 3;
    for (size_t j = 0; j < width; ++j) {
      const size_t offset = (column + j) * n_stride, first_bit = (rows[0] + offset) * kBitsEach;
      T four = 0;
      if (neighbours && first_bit % 8 == 0) {
        std::memcpy(&four, static_cast<const char*>(values) + first_bit / 8, sizeof(T));
      } else {
        for (size_t r = 0; r < std::min(kCellRows, rows.size()); ++r) {
          four = static_cast<T>(four | raw_element<kBits>(values, rows[r] + offset) << (r * kBitsEach));
        }
      }
      // 4 bits: columns l and l + 4 share a lane.
      const size_t place = kBits == WeightBits::kInt4 ? j % kLanes * 2 + j / kLanes : j;
      to[place] = four ^ sign_bits;
    }
  }
}

}  // namespace

size_t compressed_size(WeightBits bits, size_t k, size_t n) {
  return (n + kPanelColumns - 1) / kPanelColumns * cells(k) * cell_bytes(bits);
}

void pack_compressed(WeightBits bits, bool is_signed, const void* values, std::span<const size_t> rows,
                     size_t n_stride, size_t n, Range columns, void* packed) {
  if (rows.empty()) return;
  const size_t panel_bytes = cells(rows.size()) * cell_bytes(bits), end = std::min(columns.end, n);
  for (size_t column = columns.begin; column < end; column += kPanelColumns) {
    void* to = static_cast<char*>(packed) + column / kPanelColumns * panel_bytes;
    const size_t width = std::min(kPanelColumns, end - column);
    if (width < kPanelColumns || rows.size() % kCellRows != 0) std::memset(to, 0, panel_bytes);
    switch (bits) {
      case WeightBits::kInt4:
        pack_integers<WeightBits::kInt4, uint16_t>(is_signed ? 0x8888 : 0, values, rows, n_stride, column,
                                                   width, static_cast<uint16_t*>(to));
        break;
      case WeightBits::kInt8:
        pack_integers<WeightBits::kInt8, uint32_t>(is_signed ? 0x80808080 : 0, values, rows, n_stride, column,
                                                   width, static_cast<uint32_t*>(to));
        break;
      case WeightBits::kF16:
      case WeightBits::kBf16: {
        const uint16_t* from = static_cast<const uint16_t*>(values) + column * n_stride;
        uint16_t* halves = static_cast<uint16_t*>(to);
        for (const size_t row : rows) {
          for (size_t j = 0; j < width; ++j) halves[j] = from[row + j * n_stride];
          halves += kPanelColumns;
        }
        break;
      }
    }
  }
}

void expand(const CompressedMatrix& b, Range depth, Range columns, float* to) {
  switch (b.bits) {
    case WeightBits::kF16:
      return expand_columns<WeightBits::kF16>(b, depth, columns, to);
    case WeightBits::kBf16:
      return expand_columns<WeightBits::kBf16>(b, depth, columns, to);
    case WeightBits::kInt8:
      return expand_columns<WeightBits::kInt8>(b, depth, columns, to);
    case WeightBits::kInt4:
      return expand_columns<WeightBits::kInt4>(b, depth, columns, to);
  }
}

void gemm(const Gemm& g, const CompressedMatrix& b, float* scratch, Range rows, Range columns) {
  const BlockSource source = {[](const void* matrix, const Range& depth, const Range& part, float* to) {
                                expand(*static_cast<const CompressedMatrix*>(matrix), depth, part, to);
                              },
                              &b};
  gemm(g, source, scratch, rows, columns);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
