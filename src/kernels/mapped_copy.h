// SPDX-License-Identifier: Apache-2.0
// Copies between a dense array and places that are sums of one table entry per axis. BatchToSpace,
// SpaceToBatch, Pad and Roll use it to copy in one pass, without temporaries.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/element_type.h"
#include "core/parallel.h"

namespace wasmvino::kernels {

// Maps the indices of one dense axis to places in the other array, in elements.
class AxisMap {
 public:
  // Marks indices that have no place.
  static constexpr ptrdiff_t kNowhere = std::numeric_limits<ptrdiff_t>::min();

  // Indices first, first + 1, ... have the places place, place + step, ...
  struct Span {
    size_t first, count;
    ptrdiff_t place, step;
  };

  // Adds the next `count` indices.
  void add(size_t count, ptrdiff_t place, ptrdiff_t step);
  void add_nowhere(size_t count) { add(count, kNowhere, 0); }

  size_t size() const { return size_; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  size_t size_ = 0;
  std::vector<Span> spans_;
};

// A copy between a dense array and the places that one map per axis gives.
class MappedCopy {
 public:
  // `maps` has one map per axis of the dense array, outermost first.
  MappedCopy(ElementType type, std::vector<AxisMap> maps);

  // dense[i, j, ...] = other[map0(i) + map1(j) + ...]. Where a map gives kNowhere, the element becomes *fill
  // (zero if `fill` is nullptr).
  void gather(const Parallel& parallel, const void* other, void* dense, const void* fill) const;
  // other[map0(i) + map1(j) + ...] = dense[i, j, ...]. Elements for which a map gives kNowhere are skipped.
  // Places must be distinct.
  void scatter(const Parallel& parallel, const void* dense, void* other) const;

 private:
  using Table = std::vector<ptrdiff_t>;

  template <typename Move>
  void for_rows(size_t first, size_t last, const Move& move) const;
  template <typename Move>
  void for_elements(const Move& move) const;
  template <bool kGather>
  void move_row(char* dense, char* other, const void* fill) const;
  template <size_t kWidth, bool kGather>
  void move_cells(char* dense, char* other, const void* fill) const;

  ElementType type_;
  bool packed_;          // sub-byte elements, copied one by one
  size_t rows_ = 1;      // 0: nothing to copy
  size_t row_size_ = 1;  // blocks per row
  size_t block_ = 1;     // bytes (packed_: elements) that are contiguous on both sides
  // Constant part of all places. This and all places are in bytes (packed_: elements).
  ptrdiff_t offset_ = 0;
  std::vector<Table> outer_;          // of all axes but the innermost
  std::vector<AxisMap::Span> spans_;  // of the innermost axis
  Table table_;                       // places of the innermost axis by index, where spans are too short
};

}  // namespace wasmvino::kernels
