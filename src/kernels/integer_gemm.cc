// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_gemm.h"

#include <algorithm>

#include "core/work.h"
#include "kernels/epilogue-inl.h"
#include "kernels/registers.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Maximum rows per tile of 8 columns. With 8 sums, four rows and two vectors of B fit into 16 registers.
// Relaxed dot needs no register for its product: in Chromium, 6 rows reach 250 of 250 GOP/s, 4 rows 221.
constexpr size_t kPairRows = 4, kQuadRows = 6;

// Rows whose sums are finished together. Divisible into tiles of four and of six rows.
constexpr size_t kRowsAtOnce = 96;

// The operands of a tile, its first row of A and its packed panels of B, and where its sums go. Those of a
// second panel are kPanelSums further on.
struct TilePlace {
  const char* a;
  const int8_t* b;
  size_t panel;  // bytes
  const int32_t* start;
  int32_t* sums;
};
constexpr size_t kPanelSums = kRowsAtOnce * kPanelColumns;

template <bool kQuads, size_t kRows, size_t kPanels>
HWY_NOINLINE void integer_tile(const IntegerGemm& g, const TilePlace& place) {
  constexpr size_t kVectors = 2 * kPanels;
  VI sum[kRows][kVectors];
  const char* rows[kRows];
  HWY_UNROLL(8)
  for (size_t v = 0; v < kVectors; ++v) sum[0][v] = hn::LoadU(I32x4(), place.start + v * kLanes);
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) sum[r][v] = sum[0][v];
    rows[r] = place.a + r * g.a_stride;
  }
  const int8_t* panels[kPanels];
  HWY_UNROLL(8)
  for (size_t p = 0; p < kPanels; ++p) panels[p] = place.b + p * place.panel;
  // Pairs are multiplied one at a time. A second one in the same iteration reads A at an offset from its
  // pointer, for which JavaScriptCore takes three instructions instead of one load. Two of them need the port
  // of shuffles: 3x3 convolutions took 1.18 times as long. In V8, both forms take the same time. One or two
  // rows are too little work for an iteration.
  constexpr size_t kPairs = kRows <= 2 ? 2 : 1;
  constexpr size_t kDepth = kQuads ? kIntegerStep : 2 * kPairs;
  const size_t steps = (g.k + kIntegerStep - 1) / kIntegerStep / g.parts * (kIntegerStep / kDepth);
  for (size_t part = g.parts;;) {
    HWY_UNROLL(1)
    for (size_t step = steps; step > 0; --step) {
      if constexpr (kQuads) {
        VI b[kVectors];
        HWY_UNROLL(8)
        for (size_t v = 0; v < kVectors; ++v)
          b[v] = hn::LoadU(I32x4(), reinterpret_cast<const int32_t*>(panels[v / 2] + 16 * (v % 2)));
        HWY_UNROLL(8)
        for (size_t r = 0; r < kRows; ++r) {
          const VI x = load_splat_bytes(rows[r]);
          rows[r] += 4;
          HWY_UNROLL(8)
          for (size_t v = 0; v < kVectors; ++v) sum[r][v] = add_quads(x, b[v], sum[r][v]);
        }
      } else {
        HWY_UNROLL(2)
        for (size_t pair = 0; pair < kPairs; ++pair) {
          V16 b[kVectors];
          HWY_UNROLL(8)
          for (size_t v = 0; v < kVectors; ++v) b[v] = load_signed(panels[v / 2] + 16 * pair + 8 * (v % 2));
          HWY_UNROLL(8)
          for (size_t r = 0; r < kRows; ++r) {
            const V16 x = hn::BitCast(I16x8(), load_splat_bytes(rows[r] + 4 * pair));
            HWY_UNROLL(8)
            for (size_t v = 0; v < kVectors; ++v) sum[r][v] = add_pairs(x, b[v], sum[r][v]);
          }
        }
        HWY_UNROLL(8)
        for (size_t r = 0; r < kRows; ++r) rows[r] += 4 * kPairs;
      }
      HWY_UNROLL(8)
      for (size_t p = 0; p < kPanels; ++p) panels[p] += kDepth * kPanelColumns;
    }
    if (--part == 0) break;
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) rows[r] += g.skip;
  }
  // Each store could change place.sums, so V8 joins only stores to a copy of it. The form with pairs must
  // stay apart: joined by V8 13.6, it gives wrong sums.
  int32_t* const copy = place.sums;
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v)
      hn::StoreU(sum[r][v], I32x4(),
                 (kQuads ? copy : place.sums) + v / 2 * kPanelSums + r * kPanelColumns + v % 2 * kLanes);
  }
}

template <bool kQuads, size_t kPanels>
void run_tile(const IntegerGemm& g, size_t rows, const TilePlace& place) {
  switch (rows) {
    case 1:
      return integer_tile<kQuads, 1, kPanels>(g, place);
    case 2:
      return integer_tile<kQuads, 2, kPanels>(g, place);
    case 3:
      return integer_tile<kQuads, 3, kPanels>(g, place);
    case 4:
      return integer_tile<kQuads, 4, kPanels>(g, place);
  }
  if constexpr (kQuads) {
    rows == 5 ? integer_tile<true, 5, kPanels>(g, place) : integer_tile<true, 6, kPanels>(g, place);
  }
}

// --- Deep matmuls of pairs ---------------------------------------------------------------------------------
//
// The tiles above splat a pair of A for each product. In JavaScriptCore, the address of a splat takes three
// instructions. For deep matmuls, eight adjacent elements of a row are multiplied by eight of a column
// instead, and the lanes of a sum are added up at the end. The panel is widened to i16 once for all rows of a
// block. Relaxed builds omit this form: they seldom multiply pairs, and it would only add code.
constexpr bool kHasDeep = !kHasRelaxedDot;
constexpr size_t kEight = 8;
// With less depth, the sums of lanes take more time than the products gain; with fewer rows, widening does.
constexpr size_t kLeastDeep = 96, kLeastDeepRows = 24;
// Depth of a part of a panel. It takes 8 KB.
constexpr size_t kDeepPart = 512;

// Widens `depth` rows of a panel, a multiple of eight: [pair of columns][depth / 8][2][8].
HWY_NOINLINE void widen_panel(const int8_t* b, size_t depth, int16_t* to) {
  const hn::FixedTag<uint16_t, 8> d16;
  const hn::FixedTag<uint32_t, 4> d32;
  for (size_t p = 0; p < depth; p += kEight, b += kEight * kPanelColumns, to += 2 * kEight) {
    // Each lane holds a pair of one of eight columns.
    const auto pairs = [&](size_t i) HWY_ATTR {
      return hn::BitCast(d16, hn::LoadU(U8x16(), reinterpret_cast<const uint8_t*>(b + 16 * i)));
    };
    const auto store_columns = [&](hn::Vec<decltype(d32)> first, hn::Vec<decltype(d32)> second,
                                   int16_t* columns) HWY_ATTR {
      const hn::FixedTag<int8_t, 16> d8;
      const auto low = hn::BitCast(d8, hn::InterleaveLower(d32, first, second));
      const auto high = hn::BitCast(d8, hn::InterleaveUpper(d32, first, second));
      hn::StoreU(hn::PromoteLowerTo(I16x8(), low), I16x8(), columns);
      hn::StoreU(hn::PromoteUpperTo(I16x8(), low), I16x8(), columns + kEight);
      hn::StoreU(hn::PromoteLowerTo(I16x8(), high), I16x8(), columns + 2 * depth);
      hn::StoreU(hn::PromoteUpperTo(I16x8(), high), I16x8(), columns + 2 * depth + kEight);
    };
    const auto p0 = pairs(0), p1 = pairs(1), p2 = pairs(2), p3 = pairs(3);
    store_columns(hn::BitCast(d32, hn::InterleaveLower(d16, p0, p1)),
                  hn::BitCast(d32, hn::InterleaveLower(d16, p2, p3)), to);
    store_columns(hn::BitCast(d32, hn::InterleaveUpper(d16, p0, p1)),
                  hn::BitCast(d32, hn::InterleaveUpper(d16, p2, p3)), to + 4 * depth);
  }
}

// One integer in the first lane, zeros in the others.
HWY_INLINE VI load_first(const int32_t* p) {
#if defined(__wasm__)
  return VI{wasm_v128_load32_zero(p)};
#else
  return hn::InsertLane(hn::Zero(I32x4()), 0, *p);
#endif
}

// Stores the lower half of v, and the upper half eight integers further on if that row exists.
HWY_INLINE void store_rows(VI v, bool both, int32_t* to) {
  const VB bytes = hn::BitCast(U8x16(), v);
  auto* const row = reinterpret_cast<uint8_t*>(to);
  if (both) return store_halves(bytes, row, row + kPanelColumns * sizeof(int32_t));
  hn::StoreU(hn::LowerHalf(U8x8(), bytes), U8x8(), row);
}

// A part of the depth, a multiple of eight: packed rows of A from there on, the widened panel, and the sums
// to which the products are added.
struct DeepPlace {
  const char* a;
  const int16_t* b;
  size_t depth;
  int32_t* sums;
};

template <size_t kRows>
HWY_NOINLINE void deep_tile(size_t a_stride, const DeepPlace& place) {
  const int16_t* b = place.b;
  int32_t* sums = place.sums;
  for (size_t column = 0; column < kPanelColumns; column += 2, sums += 2) {
    const char* rows[kRows];
    VI sum[kRows][2];
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      rows[r] = place.a + r * a_stride;
      sum[r][0] = load_first(sums + r * kPanelColumns);
      sum[r][1] = load_first(sums + r * kPanelColumns + 1);
    }
    HWY_UNROLL(1)
    for (size_t step = place.depth / kEight; step > 0; --step) {
      const V16 b0 = hn::LoadU(I16x8(), b), b1 = hn::LoadU(I16x8(), b + kEight);
      b += 2 * kEight;
      HWY_UNROLL(4)
      for (size_t r = 0; r < kRows; ++r) {
        const V16 x = hn::LoadU(I16x8(), reinterpret_cast<const int16_t*>(rows[r]));
        rows[r] += 2 * kEight;
        sum[r][0] = add_pairs(x, b0, sum[r][0]);
        sum[r][1] = add_pairs(x, b1, sum[r][1]);
      }
    }
    // Sums of lanes 0 and 2, and of lanes 1 and 3, of both columns.
    VI halves[kRows];
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      halves[r] = hn::Add(hn::InterleaveLower(I32x4(), sum[r][0], sum[r][1]),
                          hn::InterleaveUpper(I32x4(), sum[r][0], sum[r][1]));
    }
    HWY_UNROLL(2)
    for (size_t r = 0; r < kRows; r += 2) {
      const VI next = halves[r + 1 < kRows ? r + 1 : r];
      const VI both = hn::Add(hn::ConcatLowerLower(I32x4(), next, halves[r]),
                              hn::ConcatUpperUpper(I32x4(), next, halves[r]));
      store_rows(both, r + 1 < kRows, sums + r * kPanelColumns);
    }
  }
}

void run_deep_tile(size_t rows, size_t a_stride, const DeepPlace& place) {
  switch (rows) {
    case 1:
      return deep_tile<1>(a_stride, place);
    case 2:
      return deep_tile<2>(a_stride, place);
    case 3:
      return deep_tile<3>(a_stride, place);
    case 4:
      return deep_tile<4>(a_stride, place);
  }
}

// Adds the products of the first `depth` elements, a multiple of eight, to the sums [rows][8] of a panel.
[[maybe_unused]] HWY_NOINLINE void add_deep(const IntegerGemm& g, const Range& rows, const int8_t* panel,
                                            size_t depth, int32_t* sums) {
  alignas(16) int16_t widened[kDeepPart * kPanelColumns];
  for (size_t p = 0; p < depth; p += kDeepPart) {
    const size_t part = std::min(kDeepPart, depth - p);
    widen_panel(panel + p * kPanelColumns, part, widened);
    for (size_t row = rows.begin; row < rows.end; row += kPairRows) {
      run_deep_tile(
          std::min(kPairRows, rows.end - row), g.a_stride,
          {g.a + row * g.a_stride + 2 * p, widened, part, sums + (row - rows.begin) * kPanelColumns});
    }
  }
}

template <bool kQuads>
void run(const IntegerGemm& g, Range rows, const Range& columns) {
  constexpr size_t kMost = kQuads ? kQuadRows : kPairRows;
  // Tiles have equal heights, or one row more: the first ones. Divisions within the loops would take as long
  // as eight steps of a tile.
  const size_t tiles = (rows.size() + kMost - 1) / kMost;
  const size_t height = rows.size() / tiles, taller = rows.size() % tiles;
  const size_t panel = integer_weights_size(g.k, kPanelColumns);
  alignas(16) int32_t sums[2 * kPanelSums];
  // The tiles of pairs multiply what is not a multiple of eight.
  const bool is_deep = multiplies_eight(g.dot, g.k) && g.parts == 1 && rows.size() >= kLeastDeepRows;
  const size_t deep = is_deep ? g.k / kEight * kEight : 0;
  IntegerGemm rest = {};
  const IntegerGemm* shallow = &g;
  if (is_deep) {
    rest = g;
    rest.k -= deep;
    rest.a += 2 * deep;
    shallow = &rest;
  }
  for (size_t column = columns.begin; column < columns.end;) {
    const int8_t* const b = g.b + column / kPanelColumns * panel;
    TilePlace place = {shallow->a + rows.begin * g.a_stride, b + deep * kPanelColumns, panel,
                       g.epilogue.start + column, sums};
    const bool wide = kQuads && wide_registers() && column + kPanelColumns < columns.end;
    for (size_t t = 0; t < tiles; ++t) {
      const size_t count = height + (t < taller);
      if constexpr (kQuads && kMayBeWide) {
        if (wide) run_tile<kQuads, 2>(*shallow, count, place);
      }
      if (!wide) run_tile<kQuads, 1>(*shallow, count, place);
      place.a += count * g.a_stride;
      place.sums += count * kPanelColumns;
    }
    if constexpr (!kQuads && kHasDeep) {
      if (is_deep) add_deep(g, rows, b, deep, sums);
    }
    count_work(rows.size() * (wide ? 2 : 1) * std::max<size_t>(1, g.parts) * (g.k + kPanelColumns));
    for (size_t p = 0; p < (wide ? 2 : 1); ++p, column += kPanelColumns) {
      finish_rows(sums + p * kPanelSums, rows.size(), g.epilogue, g.c, rows.begin, column,
                  std::min(kPanelColumns, columns.end - column));
    }
  }
}

template <bool kQuads>
void run(const IntegerGemm& g, size_t rows, const Range& columns) {
  for (size_t first = 0; first < rows; first += kRowsAtOnce)
    run<kQuads>(g, Range{first, std::min(first + kRowsAtOnce, rows)}, columns);
}

// Returns what relaxed dot computes for four equal products in one lane.
int32_t probe(uint8_t a, int8_t b) {
  // Volatile, so that the compiler cannot evaluate it at build time by its own rules.
  volatile uint8_t byte_a = a;
  volatile int8_t byte_b = b;
  const VI bytes_a = hn::Set(I32x4(), static_cast<int32_t>(byte_a * 0x01010101u));
  const VI bytes_b = hn::Set(I32x4(), static_cast<int32_t>(static_cast<uint8_t>(byte_b) * 0x01010101u));
  return hn::GetLane(add_quads(bytes_a, bytes_b, hn::Zero(I32x4())));
}

}  // namespace

IntegerDot integer_dot() {
#if !defined(__wasm__)
  return native_integer_dot;
#endif
  if (!kHasRelaxedDot) return IntegerDot::kPairs;
  bool is_unsigned = true, is_signed = true;
  for (const int a : {0, 1, 127, 128, 129, 254, 255}) {
    for (const int b : {-128, -127, -1, 1, 126, 127}) {
      const int32_t got = probe(static_cast<uint8_t>(a), static_cast<int8_t>(b));
      is_unsigned = is_unsigned && got == 4 * a * b;
      is_signed = is_signed && got == 4 * (a < 128 ? a : a - 256) * b;
    }
  }
  return is_unsigned ? IntegerDot::kUnsigned : is_signed ? IntegerDot::kSigned : IntegerDot::kPairs;
}

bool has_relaxed_dot() { return kHasRelaxedDot; }

bool multiplies_eight(IntegerDot dot, size_t k) {
  return kHasDeep && dot == IntegerDot::kPairs && k >= kLeastDeep;
}

char* pack_integers(IntegerDot dot, const uint8_t* from, size_t count, char* to) {
  if (dot == IntegerDot::kUnsigned) {
    copy_bytes(from, count, reinterpret_cast<uint8_t*>(to));
    return to + count;
  }
  size_t i = 0;
  if (dot == IntegerDot::kSigned) {
    const U8x16 d;
    for (; i + 16 <= count; i += 16)
      hn::StoreU(hn::Xor(hn::LoadU(d, from + i), hn::Set(d, 128)), d, reinterpret_cast<uint8_t*>(to + i));
    for (; i < count; ++i) to[i] = static_cast<char>(from[i] ^ 128);
    return to + count;
  }
  for (; i + 8 <= count; i += 8, to += 16)
    hn::StoreU(hn::BitCast(U8x16(), load_unsigned(from + i)), U8x16(), reinterpret_cast<uint8_t*>(to));
  for (; i < count; ++i, to += 2) {
    to[0] = static_cast<char>(from[i]);
    to[1] = 0;
  }
  return to;
}

char* pack_repeated(IntegerDot dot, uint8_t value, size_t count, char* to) {
  if (dot != IntegerDot::kPairs) {
    const int stored = dot == IntegerDot::kSigned ? value ^ 128 : value;
    fill_bytes(static_cast<uint8_t>(stored), count, reinterpret_cast<uint8_t*>(to));
    return to + count;
  }
  for (size_t i = 0; i < count; ++i, to += 2) {
    to[0] = static_cast<char>(value);
    to[1] = 0;
  }
  return to;
}

void pack_integer_weights(IntegerDot dot, const int8_t* b, size_t k_stride, size_t n_stride, size_t k,
                          size_t n, int8_t* packed, int32_t* sums) {
  const size_t step = dot == IntegerDot::kPairs ? 2 : 4;
  const size_t depth = (k + kIntegerStep - 1) / kIntegerStep * kIntegerStep;
  for (size_t column = 0; column < n; column += kPanelColumns) {
    std::fill_n(sums + column, kPanelColumns, 0);
    count_work(depth * kPanelColumns);
    for (size_t p = 0; p < depth; p += step) {
      for (size_t j = column; j < column + kPanelColumns; ++j) {
        for (size_t i = p; i < p + step; ++i) {
          const int8_t value = i < k && j < n ? b[i * k_stride + j * n_stride] : int8_t{0};
          sums[j] += value;
          *packed++ = value;
        }
      }
    }
  }
}

void gemm(const IntegerGemm& g, size_t rows, Range columns) {
  if constexpr (kHasQuads) {
    if (g.dot != IntegerDot::kPairs) return run<true>(g, rows, columns);
  }
  run<false>(g, rows, columns);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
