// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantised_matrix.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/float_types.h"
#include "core/work.h"
#include "kernels/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kCellRows = 4;

constexpr size_t cell_bytes(WeightBits bits) { return kCellRows * kPanelColumns * width_of(bits) / 8; }
constexpr size_t cells(size_t k) { return (k + kCellRows - 1) / kCellRows; }
constexpr bool is_integer(WeightBits bits) { return bits == WeightBits::kInt4 || bits == WeightBits::kInt8; }

// 8 columns of one row of B.
struct Row {
  VF low, high;
};

// One cell in registers.
template <WeightBits kBits>
class Cell;

// An integer i becomes the float kIntegerOffset + i by bit operations alone. The offset is later subtracted
// together with the zero point. A conversion costs more: LLVM chooses the unsigned one for values that are
// never negative, and x86 has no such instruction.
constexpr float kIntegerOffset = 0x1p23f;

template <size_t kShift, uint32_t kMask>
HWY_INLINE VF offset_field(VU words) {
  const U32x4 d;
  VU field = words;
  if constexpr (kShift > 0) field = hn::ShiftRight<kShift>(field);
  if constexpr ((~uint32_t{0} >> kShift) != kMask) field = hn::And(field, hn::Set(d, kMask));
  return hn::BitCast(F32x4(), hn::Or(field, hn::BitCast(d, constant<kIntegerOffset>())));
}

template <>
class Cell<WeightBits::kInt4> {
 public:
  HWY_INLINE explicit Cell(const uint8_t* p)
      : words_(hn::LoadU(U32x4(), reinterpret_cast<const uint32_t*>(p))) {}
  template <size_t kRow>
  HWY_INLINE Row row() const {
    return {offset_field<8 * kRow, 15>(words_), offset_field<8 * kRow + 4, 15>(words_)};
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

// 2^(127 - 25): corrects the exponent bias from 25 to that of f32. Neither operand nor result of this
// multiplication is ever denormal.
constexpr float kSmallF16Scale = 0x1p102f;

template <>
class Cell<WeightBits::kSmallF16> {
 public:
  HWY_INLINE explicit Cell(const uint8_t* p) : p_(reinterpret_cast<const uint16_t*>(p)) {}
  template <size_t kRow>
  HWY_INLINE Row row() const {
    const U16x8 d;
    const auto f16_bits = hn::LoadU(d, p_ + kRow * kPanelColumns);
    return {widened(hn::InterleaveLower(d, hn::Zero(d), f16_bits)),
            widened(hn::InterleaveUpper(d, hn::Zero(d), f16_bits))};
  }

 private:
  // Takes f16 bits in the high half of each lane.
  HWY_INLINE static VF widened(hn::Vec<U16x8> f16_bits) {
    const I32x4 d;
    const VI digits =
        hn::And(hn::ShiftRight<3>(hn::BitCast(d, f16_bits)), hn::Set(d, static_cast<int32_t>(0x8FFFE000)));
    return hn::Mul(hn::BitCast(F32x4(), digits), constant<kSmallF16Scale>());
  }

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

// The scales of one group for the columns of a panel; for integers, also the zero points.
template <WeightBits kBits>
struct Quantization {
  VF low_scale, high_scale, low_zero, high_zero;

  // `offset` is what has been added to the values.
  HWY_INLINE Quantization(const QuantisedMatrix& b, size_t panel_group, float offset = kIntegerOffset) {
    low_scale = high_scale = constant<1.0f>();
    if (b.scales != nullptr) {
      low_scale = load(b.scales + panel_group * kPanelColumns);
      high_scale = load(b.scales + panel_group * kPanelColumns + kLanes);
    }
    if constexpr (!is_integer(kBits)) return;
    low_zero = high_zero = set(offset + b.zero_point);
    if (b.zero_points == nullptr) return;
    alignas(16) float zeros[kPanelColumns];
    const uint8_t* points = b.zero_points + panel_group * kPanelColumns;
    for (size_t j = 0; j < kPanelColumns; ++j) zeros[j] = offset + static_cast<float>(points[j]);
    low_zero = load(zeros);
    high_zero = load(zeros + kLanes);
  }
  HWY_INLINE Row value(Row row) const {
    if constexpr (is_integer(kBits)) row = {hn::Sub(row.low, low_zero), hn::Sub(row.high, high_zero)};
    return {hn::Mul(row.low, low_scale), hn::Mul(row.high, high_scale)};
  }
};

// Calls body(panel_group, part) for each group that the rows `depth` of a panel belong to.
template <typename Body>
HWY_INLINE void for_groups(const QuantisedMatrix& b, size_t panel, const Range& depth, const Body& body) {
  const size_t groups = b.group == 0 ? 1 : (b.k + b.group - 1) / b.group;
  for (size_t p = depth.begin; p < depth.end;) {
    const size_t group = p / b.group;
    const size_t end = std::min(depth.end, (group + 1) * b.group);
    body(panel * groups + group, Range{p, end});
    p = end;
  }
}

template <size_t kRow, WeightBits kBits>
HWY_INLINE void expand_row(const Cell<kBits>& cell, const Quantization<kBits>& quantization, float* to) {
  const Row row = quantization.value(cell.template row<kRow>());
  store(row.low, to + kRow * kPanelColumns);
  store(row.high, to + kRow * kPanelColumns + kLanes);
}

template <WeightBits kBits>
HWY_INLINE float* expand_cells(const uint8_t* from, size_t count, const Quantization<kBits>& quantization,
                               float* to) {
  HWY_UNROLL(1)
  for (; count > 0; --count, from += cell_bytes(kBits), to += kCellRows * kPanelColumns) {
    const Cell<kBits> cell(from);
    expand_row<0>(cell, quantization, to);
    expand_row<1>(cell, quantization, to);
    expand_row<2>(cell, quantization, to);
    expand_row<3>(cell, quantization, to);
  }
  return to;
}

template <WeightBits kBits>
HWY_NOINLINE void expand_columns(const QuantisedMatrix& b, const Range& depth, const Range& columns,
                                 float* to) {
  for (size_t column = columns.begin; column < columns.end; column += kPanelColumns) {
    const size_t panel = column / kPanelColumns;
    const uint8_t* cell = static_cast<const uint8_t*>(b.values) + panel * cells(b.k) * cell_bytes(kBits);
    for_groups(b, panel, depth, [&](size_t panel_group, const Range& part) HWY_ATTR {
      const Quantization<kBits> quantization(b, panel_group);
      const uint8_t* from = cell + part.begin / kCellRows * cell_bytes(kBits);
      to = expand_cells<kBits>(from, cells(part.size()), quantization, to);
    });
  }
}

// Returns element (row, column) of a cell. For the rare types only: most weights are read by vectors.
float rare_value(const QuantisedMatrix& b, const uint8_t* cell, size_t row, size_t column) {
  if (b.bits == WeightBits::kF16) {
    return f16_to_f32(reinterpret_cast<const uint16_t*>(cell)[row * kPanelColumns + column]);
  }
  const size_t width = width_of(b.bits);
  const size_t place =
      width < 8 ? (column % kLanes * kCellRows + row) * 2 + column / kLanes : column * kCellRows + row;
  const size_t bit = place * width;
  return b.table[cell[bit / 8] >> bit % 8 & ((1 << width) - 1)];
}

HWY_NOINLINE void expand_rare(const QuantisedMatrix& b, const Range& depth, const Range& columns, float* to) {
  for (size_t column = columns.begin; column < columns.end; column += kPanelColumns) {
    const size_t panel = column / kPanelColumns;
    const uint8_t* cell = static_cast<const uint8_t*>(b.values) + panel * cells(b.k) * cell_bytes(b.bits);
    for_groups(b, panel, depth, [&](size_t panel_group, const Range& part) {
      HWY_UNROLL(1)
      for (size_t i = 0; i < cells(part.size()) * kCellRows * kPanelColumns; ++i) {
        const size_t row = part.begin + i / kPanelColumns, j = i % kPanelColumns;
        const size_t parameter = panel_group * kPanelColumns + j;
        const float zero = b.bits == WeightBits::kF16 ? 0
                           : b.zero_points == nullptr ? b.zero_point
                                                      : b.zero_points[parameter];
        const float value =
            rare_value(b, cell + row / kCellRows * cell_bytes(b.bits), row % kCellRows, j) - zero;
        *to++ = b.scales == nullptr ? value : value * b.scales[parameter];
      }
    });
  }
}

// Applies zero points and scales to panels of unscaled values, row by row. This separate pass handles groups
// that end within a cell, and zero points per row.
HWY_NOINLINE void quantize_rows(const QuantisedMatrix& b, const Range& depth, const Range& columns,
                                float* to) {
  QuantisedMatrix row = b;
  if (width_of(b.bits) == 16) row.zero_point = 0;
  const size_t groups = (b.k + b.group - 1) / b.group;
  for (size_t column = columns.begin; column < columns.end; column += kPanelColumns) {
    float* next = to;
    for (size_t p = depth.begin; p < depth.end; ++p, next += kPanelColumns) {
      if (b.row_zero_points != nullptr) {
        row.zero_point = b.row_zero_points[p];
        row.zero_points = nullptr;
      }
      const size_t panel_group = column / kPanelColumns * groups + p / b.group;
      const Quantization<WeightBits::kInt8> quantization(row, panel_group, 0.0f);
      const Row value = quantization.value({load(next), load(next + kLanes)});
      store(value.low, next);
      store(value.high, next + kLanes);
    }
    to += cells(depth.size()) * kCellRows * kPanelColumns;
  }
}

// Multiplies each row of dequantised panels by its factor. A separate pass, because few weights have scales
// per row.
HWY_NOINLINE void scale_rows(const float* factors, const Range& depth, size_t panels, float* to) {
  for (; panels > 0; --panels, to += cells(depth.size()) * kCellRows * kPanelColumns) {
    float* row = to;
    for (size_t p = depth.begin; p < depth.end; ++p, row += kPanelColumns) {
      const VF factor = set(factors[p]);
      store(hn::Mul(load(row), factor), row);
      store(hn::Mul(load(row + kLanes), factor), row + kLanes);
    }
  }
}

// Copies 1, 2 or 4 bytes. With a size that is unknown at compile time, memcpy would be a function call.
void move_bytes(const void* from, size_t bytes, void* to) {
  if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else if (bytes == 2) {
    std::memcpy(to, from, 2);
  } else {
    std::memcpy(to, from, 1);
  }
}

// Moves each of four fields of 2 or 4 bits to the low half of a field of twice the width.
uint32_t spread(size_t width, uint32_t four) {
  if (width == 2) {
    four = (four | four << 4) & 0x0F0F;
    return (four | four << 2) & 0x3333;
  }
  four = (four | four << 8) & 0x00FF00FF;
  return (four | four << 4) & 0x0F0F0F0F;
}

// Packs elements of `width` <= 8 bits. The 4 rows of a column are often adjacent in `values`.
void pack_fields(size_t width, bool is_signed, const uint8_t* values, std::span<const size_t> rows,
                 std::span<const size_t> columns, uint8_t* to) {
  const size_t each = 8 / width, bytes = kCellRows * width / 8;
  const size_t lanes = each > 1 ? kLanes : kPanelColumns, lane_bytes = kPanelColumns / lanes * bytes;
  const uint32_t signs = is_signed ? (width == 4 ? 0x8888 : 0x80808080) : 0;
  for (; !rows.empty(); rows = rows.subspan(std::min(kCellRows, rows.size()))) {
    const bool neighbours = rows.size() >= kCellRows && rows[1] == rows[0] + 1 && rows[2] == rows[0] + 2 &&
                            rows[3] == rows[0] + 3;
    uint32_t cell[kPanelColumns] = {};
    for (size_t j = 0; j < columns.size(); ++j) {
      const size_t first = rows[0] + columns[j];
      uint32_t four = 0;
      if (neighbours && first % each == 0) {
        move_bytes(values + first / each, bytes, &four);
      } else {
        for (size_t r = 0; r < std::min(kCellRows, rows.size()); ++r) {
          const size_t at = rows[r] + columns[j];
          const unsigned field = values[at / each] >> (at % each * width) & ((1u << width) - 1);
          four |= field << (r * width);
        }
      }
      four ^= signs;
      if (each > 1) four = spread(width, four) << (j / kLanes * width);
      cell[j % lanes] |= four;
    }
    for (size_t lane = 0; lane < lanes; ++lane, to += lane_bytes) move_bytes(&cell[lane], lane_bytes, to);
  }
}

// Raises the exponent bias of an f16 from 15 to 25, so that denormals become normal numbers.
uint16_t small_f16(uint16_t bits) {
  constexpr unsigned kDigits = 10, kRaised = 25 - 15;
  const unsigned sign = bits & 0x8000u, magnitude = bits & 0x7FFFu;
  if (magnitude == 0) return bits;
  if (magnitude >> kDigits != 0) return static_cast<uint16_t>(sign | (magnitude + (kRaised << kDigits)));
  const unsigned width = static_cast<unsigned>(std::bit_width(magnitude));
  // Shifts the leading digit to the position of the implied one. Adding it there adds 1 to the exponent.
  return static_cast<uint16_t>(sign | ((magnitude << (kDigits + 1 - width)) + ((width - 1) << kDigits)));
}

void pack_f16(bool are_small, const uint16_t* values, std::span<const size_t> rows,
              std::span<const size_t> columns, uint16_t* to) {
  for (const size_t row : rows) {
    for (size_t j = 0; j < columns.size(); ++j) {
      const uint16_t bits = values[row + columns[j]];
      to[j] = are_small ? small_f16(bits) : bits;
    }
    to += kPanelColumns;
  }
}

}  // namespace

bool are_small_f16(const void* values, size_t count) {
  constexpr uint16_t kLeast = 0x5800;  // 128, which would need an exponent of more than 5 bits
  const auto* f16_bits = static_cast<const uint16_t*>(values);
  return std::all_of(f16_bits, f16_bits + count, [](uint16_t bits) { return (bits & 0x7FFF) < kLeast; });
}

size_t quantised_size(WeightBits bits, size_t k, size_t n) {
  return (n + kPanelColumns - 1) / kPanelColumns * cells(k) * cell_bytes(bits);
}

void pack_quantised(WeightBits bits, bool is_signed, const void* values, std::span<const size_t> rows,
                    std::span<const size_t> columns, Range part, void* packed) {
  if (rows.empty()) return;
  const size_t panel_bytes = cells(rows.size()) * cell_bytes(bits), end = std::min(part.end, columns.size());
  for (size_t column = part.begin; column < end; column += kPanelColumns) {
    count_work(rows.size() * kPanelColumns);
    void* to = static_cast<char*>(packed) + column / kPanelColumns * panel_bytes;
    const auto some = columns.subspan(column, std::min(kPanelColumns, end - column));
    if (some.size() < kPanelColumns || rows.size() % kCellRows != 0) std::memset(to, 0, panel_bytes);
    if (width_of(bits) == 16) {
      pack_f16(bits == WeightBits::kSmallF16, static_cast<const uint16_t*>(values), rows, some,
               static_cast<uint16_t*>(to));
    } else {
      pack_fields(width_of(bits), is_signed, static_cast<const uint8_t*>(values), rows, some,
                  static_cast<uint8_t*>(to));
    }
  }
}

namespace {

void expand_values(const QuantisedMatrix& b, const Range& depth, const Range& columns, float* to) {
  switch (b.bits) {
    case WeightBits::kSmallF16:
      return expand_columns<WeightBits::kSmallF16>(b, depth, columns, to);
    case WeightBits::kBf16:
      return expand_columns<WeightBits::kBf16>(b, depth, columns, to);
    case WeightBits::kInt8:
      return expand_columns<WeightBits::kInt8>(b, depth, columns, to);
    case WeightBits::kInt4:
      return expand_columns<WeightBits::kInt4>(b, depth, columns, to);
    case WeightBits::kF16:
    case WeightBits::kCode8:
    case WeightBits::kCode4:
    case WeightBits::kCode2:
      return expand_rare(b, depth, columns, to);
  }
}

}  // namespace

void expand(const QuantisedMatrix& b, Range depth, Range columns, float* to) {
  count_work(depth.size() * columns.size() / kLanes);
  if (b.row_zero_points == nullptr && (b.group % kCellRows == 0 || b.group >= b.k)) {
    expand_values(b, depth, columns, to);
  } else {
    QuantisedMatrix bare = b;
    bare.group = b.k;
    bare.scales = nullptr;
    bare.zero_points = nullptr;
    bare.zero_point = 0;
    expand_values(bare, depth, columns, to);
    quantize_rows(b, depth, columns, to);
  }
  if (b.row_scales == nullptr) return;
  scale_rows(b.row_scales, depth, (columns.size() + kPanelColumns - 1) / kPanelColumns, to);
}

void gemm(const Gemm& g, const QuantisedMatrix& b, float* scratch, Range rows, Range columns) {
  const BlockSource source = {[](const void* matrix, const Range& depth, const Range& part, float* to) {
                                expand(*static_cast<const QuantisedMatrix*>(matrix), depth, part, to);
                              },
                              &b};
  gemm(g, source, scratch, rows, columns);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
