// SPDX-License-Identifier: Apache-2.0
#include "kernels/dynamic_gemm.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/work.h"
#include "kernels/integer-inl.h"
#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

using U16x8 = hn::FixedTag<uint16_t, 8>;
using VH = hn::Vec<U16x8>;

// Maximum rows per tile of 8 columns. With the weights, a vector of data and a mask, five rows need one
// register more than V8 has: 32 rows of 2048x2048 in int4 took 2.85 ms instead of 2.61. Six took 3.25.
constexpr size_t kMostRows = 4;

// Panels that a single row multiplies at once. Each is read from another part of B, since four streams of
// memory are faster than one: a token of a language model with 135M parameters takes 13.8 ms instead of 17.6.
constexpr size_t kPanelsOfRow = 4;

constexpr size_t kCellRows = 4;

constexpr size_t cell_bytes(WeightBits bits) { return kCellRows * kPanelColumns * width_of(bits) / 8; }

// --- Quantisation of A

// From this magnitude on, the scale and its inverse are normal numbers.
constexpr float kLeast = 127 * std::numeric_limits<float>::min();

VI round_to_integer(VF v) {
  const VF large = constant<kRoundingShift>();  // the low bits of the sum are the integer
  return hn::Sub(hn::BitCast(I32x4(), hn::Add(v, large)), hn::BitCast(I32x4(), large));
}

int32_t total(VI v) {
  alignas(16) int32_t lanes[kLanes];
  hn::Store(v, I32x4(), lanes);
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

// The largest magnitude; NaN if any element is NaN. The bits of positive floats compare like the floats
// themselves.
float largest_magnitude(const float* x, size_t count) {
  const I32x4 d;
  const VI magnitude = integer_constant<0x7FFFFFFF>();
  VI most = hn::Zero(d);
  for (size_t i = 0; i < count; i += kLanes)
    most = hn::Max(most, hn::And(hn::BitCast(d, load(x + i)), magnitude));
  alignas(16) int32_t lanes[kLanes];
  hn::Store(most, d, lanes);
  return std::bit_cast<float>(*std::max_element(lanes, lanes + kLanes));
}

// Stores eight integers. Pairs are in the order in which masks extract them from a cell: rows 0 and 2, then 1
// and 3.
template <bool kQuads>
HWY_INLINE void store_integers(VI a, VI b, char* to) {
  if constexpr (kQuads) {
    const I8x8 d;
    hn::StoreU(hn::DemoteTo(d, hn::OrderedDemote2To(I16x8(), a, b)), d, reinterpret_cast<int8_t*>(to));
  } else {
    const auto pairs = hn::OrderedDemote2To(I16x8(), hn::Per4LaneBlockShuffle<3, 1, 2, 0>(a),
                                            hn::Per4LaneBlockShuffle<3, 1, 2, 0>(b));
    hn::StoreU(pairs, I16x8(), reinterpret_cast<int16_t*>(to));
  }
}

// Quantises `count` elements, a multiple of 8, and returns the sum of the integers.
template <bool kQuads>
HWY_INLINE int32_t quantise(const float* x, float inverse, size_t count, char* to) {
  const VF factor = set(inverse);
  VI sum = hn::Zero(I32x4());
  for (size_t i = 0; i < count; i += 2 * kLanes, to += (kQuads ? 2 : 4) * kLanes) {
    const VI a = round_to_integer(hn::Mul(load(x + i), factor));
    const VI b = round_to_integer(hn::Mul(load(x + i + kLanes), factor));
    sum = hn::Add(sum, hn::Add(a, b));
    store_integers<kQuads>(a, b, to);
  }
  return total(sum);
}

// Products with 32-bit integers cost twice as much as with pairs of 16 bits, so sums are kept as two digits
// of base 128: a sum times a zero point is the sum of two products. The lower digit is in the lower half.
constexpr int kDigitBits = 7;
int32_t digits_of(int32_t sum) {
  constexpr int32_t kLow = (1 << kDigitBits) - 1;
  return (sum >> kDigitBits) * 65536 + (sum & kLow);
}
static_assert(127 * kMostDynamicGroup >> kDigitBits <= 32767);

template <bool kQuads>
void quantise_row(const RowQuantization& q, const float* x, char* to, float* scales, int32_t* sums) {
  for (size_t p = 0; p < q.k; p += q.group) {
    const size_t count = std::min(q.group, q.k - p), bytes = integer_row_size(q.dot, count);
    const float most = largest_magnitude(x + p, count);
    // Infinities and NaN propagate to the results through the scale.
    const float scale = most < kLeast ? 0.0f : most / 127.0f;
    *scales++ = scale;
    if (most >= kLeast && most <= std::numeric_limits<float>::max()) {
      *sums++ = digits_of(-quantise<kQuads>(x + p, 1.0f / scale, count, to));
    } else {
      *sums++ = 0;
      std::memset(to, 0, bytes);
    }
    to += bytes;
  }
}

// --- The tile

// Integers of columns l and l + 4 of a cell, in the form that a dot product reads.
template <typename V>
struct Columns {
  V low, high;
};

// A cell in registers.
template <WeightBits kBits>
class Cell;

template <>
class Cell<WeightBits::kInt4> {
 public:
  HWY_INLINE explicit Cell(const uint8_t* p) : words_(hn::BitCast(d, hn::LoadU(U8x16(), p))) {}
  // Rows 0 and 2, or 1 and 3.
  template <bool kOdd>
  HWY_INLINE Columns<V16> pairs() const {
    const VH digit = hn::BitCast(d, integer_constant<0x000F000F>());
    if constexpr (kOdd)
      return {as_signed(hn::And(hn::ShiftRight<8>(words_), digit)), as_signed(hn::ShiftRight<12>(words_))};
    return {as_signed(hn::And(words_, digit)), as_signed(hn::And(hn::ShiftRight<4>(words_), digit))};
  }
  HWY_INLINE Columns<VI> quads(VI) const {
    const VH digits = hn::BitCast(d, integer_constant<0x0F0F0F0F>());
    return {hn::BitCast(I32x4(), hn::And(words_, digits)),
            hn::BitCast(I32x4(), hn::And(hn::ShiftRight<4>(words_), digits))};
  }

 private:
  static constexpr U16x8 d = {};
  HWY_INLINE static V16 as_signed(VH v) { return hn::BitCast(I16x8(), v); }

  VH words_;
};

template <>
class Cell<WeightBits::kInt8> {
 public:
  HWY_INLINE explicit Cell(const uint8_t* p)
      : low_(hn::BitCast(d, hn::LoadU(U8x16(), p))), high_(hn::BitCast(d, hn::LoadU(U8x16(), p + 16))) {}
  template <bool kOdd>
  HWY_INLINE Columns<V16> pairs() const {
    return {row<kOdd>(low_), row<kOdd>(high_)};
  }
  // `signs` flips the top bits to make the integers signed, or is zero.
  HWY_INLINE Columns<VI> quads(VI signs) const {
    return {hn::Xor(hn::BitCast(I32x4(), low_), signs), hn::Xor(hn::BitCast(I32x4(), high_), signs)};
  }

 private:
  static constexpr U16x8 d = {};
  template <bool kOdd>
  HWY_INLINE static V16 row(VH words) {
    return hn::BitCast(I16x8(), kOdd ? hn::ShiftRight<8>(words)
                                     : hn::And(words, hn::BitCast(d, integer_constant<0x00FF00FF>())));
  }

  VH low_, high_;
};

// Zero points of a group for the columns of a panel. `shift` is subtracted from each. Each is kept as
// products with the place values of a sum's digits.
class ZeroPoints {
 public:
  ZeroPoints(V16 points, int16_t shift) {
    const I16x8 d;
    const V16 low_digit = hn::Sub(points, hn::Set(d, shift));
    const V16 high_digit = hn::ShiftLeft<kDigitBits>(low_digit);
    low_ = hn::InterleaveLower(d, low_digit, high_digit);
    high_ = hn::InterleaveUpper(d, low_digit, high_digit);
  }
  // Products with a sum.
  HWY_INLINE Columns<VI> times(int32_t digits) const {
    const V16 sum = hn::BitCast(I16x8(), hn::Set(I32x4(), digits));
    return {hn::WidenMulPairwiseAdd(I32x4(), low_, sum), hn::WidenMulPairwiseAdd(I32x4(), high_, sum)};
  }

 private:
  V16 low_, high_;
};

// Adds the products of the next cell of each panel and the next four elements of each row.
template <bool kQuads, WeightBits kBits, size_t kRows, size_t kPanels>
HWY_INLINE void multiply_cells(const uint8_t* (&cells)[kPanels], VI signs, const char* (&rows)[kRows],
                               VI (&sum)[kPanels][kRows][2]) {
  HWY_UNROLL(4)
  for (size_t p = 0; p < kPanels; ++p) {
    const Cell<kBits> cell(cells[p]);
    cells[p] += cell_bytes(kBits);
    const auto multiply_pairs = [&](const Columns<V16>& b, size_t offset) HWY_ATTR {
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        const V16 x = hn::BitCast(I16x8(), load_splat_bytes(rows[r] + offset));
        sum[p][r][0] = add_pairs(x, b.low, sum[p][r][0]);
        sum[p][r][1] = add_pairs(x, b.high, sum[p][r][1]);
      }
    };
    if constexpr (kQuads) {
      const Columns<VI> b = cell.quads(signs);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        const VI x = load_splat_bytes(rows[r]);
        sum[p][r][0] = add_quads(b.low, x, sum[p][r][0]);
        sum[p][r][1] = add_quads(b.high, x, sum[p][r][1]);
      }
    } else {
      multiply_pairs(cell.template pairs<false>(), 0);
      multiply_pairs(cell.template pairs<true>(), 4);
    }
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) rows[r] += kQuads ? 4 : 8;
}

// Multiplies kRows rows, starting at `row`, by panels `panel`, `panel + distance` and so on. Adds the
// products to `results`: [kPanels][kRows][8]. These stay in memory: together with the sums of a group, they
// would not fit into 16 registers.
template <WeightBits kBits, bool kQuads, size_t kRows, size_t kPanels = 1>
HWY_NOINLINE void dynamic_tile(const DynamicGemm& g, const QuantisedMatrix& b, size_t row, size_t panel,
                               size_t distance, float (*results)[kPanelColumns]) {
  const RowQuantization& q = g.quantization;
  const size_t k = q.k, group = q.group, row_groups = q.groups(), groups = b.k / b.group;
  const bool is_shifted = kBits == WeightBits::kInt8 && q.dot == IntegerDot::kSigned;
  const VI signs = hn::Set(I32x4(), is_shifted ? static_cast<int32_t>(0x80808080) : 0);
  const char* rows[kRows];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) rows[r] = g.a.values + (row + r) * integer_row_size(q.dot, q.k);
  const int32_t* sums = g.a.sums + row * row_groups;
  const float* scales = g.a.scales + row * row_groups;
  // These move on with each group of weights, which has one or more groups of data.
  const uint8_t *cells[kPanels], *points[kPanels];
  const float* of_columns[kPanels];
  HWY_UNROLL(4)
  for (size_t p = 0; p < kPanels; ++p) {
    const size_t place = panel + p * distance, first_group = place * groups * kPanelColumns;
    cells[p] = static_cast<const uint8_t*>(b.values) + place * (b.k / kCellRows) * cell_bytes(kBits);
    of_columns[p] = b.scales + first_group;
    points[p] = b.zero_points == nullptr ? nullptr : b.zero_points + first_group;
  }
  const int16_t shift = is_shifted ? 128 : 0;
  const ZeroPoints uniform(hn::Set(I16x8(), static_cast<int16_t>(b.zero_point)), shift);
  size_t left_in_group = b.group;
  HWY_UNROLL(1)
  for (size_t left = k; left > 0; ++sums, ++scales) {
    const size_t count = std::min(group, left);
    VI sum[kPanels][kRows][2];
    HWY_UNROLL(4)
    for (size_t p = 0; p < kPanels; ++p) {
      const ZeroPoints zero = points[p] == nullptr ? uniform : ZeroPoints(load_unsigned(points[p]), shift);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        const Columns<VI> products = zero.times(sums[r * row_groups]);
        sum[p][r][0] = products.low;
        sum[p][r][1] = products.high;
      }
    }
    // With few rows, a cell is too little work for one loop iteration.
    constexpr size_t kCells = kRows * kPanels <= 2 ? 2 : 1;
    static_assert(kDynamicDepth % (kCells * kCellRows) == 0);
    HWY_UNROLL(1)
    for (size_t i = count / (kCells * kCellRows); i > 0; --i) {
      HWY_UNROLL(2)
      for (size_t c = 0; c < kCells; ++c) multiply_cells<kQuads, kBits>(cells, signs, rows, sum);
    }
    HWY_UNROLL(4)
    for (size_t p = 0; p < kPanels; ++p) {
      const VF scale_low = load(of_columns[p]), scale_high = load(of_columns[p] + kLanes);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        const VF of_row = load_splat(scales + r * row_groups);
        const VF x = hn::Mul(to_float(sum[p][r][0]), hn::Mul(scale_low, of_row));
        const VF y = hn::Mul(to_float(sum[p][r][1]), hn::Mul(scale_high, of_row));
        float* const to = results[p * kRows + r];
        store(hn::Add(load(to), x), to);
        store(hn::Add(load(to + kLanes), y), to + kLanes);
      }
    }
    left -= count;
    left_in_group -= count;
    if (left_in_group == 0) {
      left_in_group = b.group;
      HWY_UNROLL(4)
      for (size_t p = 0; p < kPanels; ++p) {
        of_columns[p] += kPanelColumns;
        if (points[p] != nullptr) points[p] += kPanelColumns;
      }
    }
  }
}

template <WeightBits kBits, bool kQuads>
void run_tile(size_t rows, const DynamicGemm& g, const QuantisedMatrix& b, size_t row, size_t panel,
              float (*results)[kPanelColumns]) {
  switch (rows) {
    case 1:
      return dynamic_tile<kBits, kQuads, 1>(g, b, row, panel, 0, results);
    case 2:
      return dynamic_tile<kBits, kQuads, 2>(g, b, row, panel, 0, results);
    case 3:
      return dynamic_tile<kBits, kQuads, 3>(g, b, row, panel, 0, results);
    default:
      return dynamic_tile<kBits, kQuads, 4>(g, b, row, panel, 0, results);
  }
}

// Stores the results of a panel, up to column `columns`, for `rows` rows, starting at `row`. The activation
// is not applied.
void store_results(const DynamicGemm& g, size_t row, size_t rows, size_t panel, size_t columns,
                   const float (*results)[kPanelColumns]) {
  const size_t begin = panel * kPanelColumns;
  for (size_t r = 0; r < rows; ++r) {
    float* c = g.c + (row + r) * g.c_row_stride;
    for (size_t j = begin; j < std::min(columns, begin + kPanelColumns); ++j)
      c[j] = finish_sum(g.epilogue, results[r][j - begin], row + r, j);
  }
}

template <WeightBits kBits, bool kQuads>
void run(const DynamicGemm& g, const QuantisedMatrix& b, const Range& rows, const Range& columns) {
  const size_t tiles = (rows.size() + kMostRows - 1) / kMostRows;
  size_t panel = columns.begin / kPanelColumns;
  const size_t end = (columns.end + kPanelColumns - 1) / kPanelColumns;
  if (rows.size() == 1) {
    // Each panel of a tile begins a quarter further on: one long stream of memory each.
    const size_t distance = (end - panel) / kPanelsOfRow, last = panel + distance;
    for (; panel < last; ++panel) {
      count_work(kPanelsOfRow * g.quantization.k);
      alignas(16) float results[kPanelsOfRow][kPanelColumns] = {};
      dynamic_tile<kBits, kQuads, 1, kPanelsOfRow>(g, b, rows.begin, panel, distance, results);
      for (size_t p = 0; p < kPanelsOfRow; ++p)
        store_results(g, rows.begin, 1, panel + p * distance, columns.end, results + p);
    }
    panel += (kPanelsOfRow - 1) * distance;
  }
  for (; panel < end; ++panel) {
    count_work(rows.size() * g.quantization.k);
    for (size_t t = 0; t < tiles; ++t) {
      const Range some = tile_range(rows.size(), tiles, t);
      const size_t first = rows.begin + some.begin;
      alignas(16) float results[kMostRows][kPanelColumns] = {};
      run_tile<kBits, kQuads>(some.size(), g, b, first, panel, results);
      store_results(g, first, some.size(), panel, columns.end, results);
    }
  }
  for (size_t row = rows.begin; row < rows.end; ++row)
    activate_stored(g.epilogue, g.c + row * g.c_row_stride + columns.begin, columns.size());
}

}  // namespace

void quantise_rows(const RowQuantization& q, const float* a, size_t a_row_stride, Range rows,
                   const QuantisedRows& to) {
  for (size_t row = rows.begin; row < rows.end; ++row) {
    count_work(q.k);
    const float* x = a + row * a_row_stride;
    char* values = to.values + row * integer_row_size(q.dot, q.k);
    float* scales = to.scales + row * q.groups();
    int32_t* sums = to.sums + row * q.groups();
    q.dot == IntegerDot::kPairs ? quantise_row<false>(q, x, values, scales, sums)
                                : quantise_row<true>(q, x, values, scales, sums);
  }
}

void dynamic_gemm(const DynamicGemm& g, const QuantisedMatrix& b, Range rows, Range columns) {
  const bool is_int4 = b.bits == WeightBits::kInt4;
  if constexpr (kHasQuads) {
    if (g.quantization.dot != IntegerDot::kPairs) {
      return is_int4 ? run<WeightBits::kInt4, true>(g, b, rows, columns)
                     : run<WeightBits::kInt8, true>(g, b, rows, columns);
    }
  }
  is_int4 ? run<WeightBits::kInt4, false>(g, b, rows, columns)
          : run<WeightBits::kInt8, false>(g, b, rows, columns);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
