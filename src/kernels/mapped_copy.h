// SPDX-License-Identifier: Apache-2.0
// Copies whose places are sums of one entry for each axis: what BatchToSpace, SpaceToBatch, Pad and Roll do
// in one pass, without temporaries.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/element_type.h"
#include "core/parallel.h"

namespace wasmvino::kernels {

// Where the indices of one axis lie on the other side of a copy, in elements.
class AxisMap {
 public:
  // Says that nothing lies there.
  static constexpr ptrdiff_t kNowhere = std::numeric_limits<ptrdiff_t>::min();

  // Indices first, first + 1, ... lie at place, place + step, ...
  struct Span {
    size_t first, count;
    ptrdiff_t place, step;
  };

  // The next `count` indices.
  void add(size_t count, ptrdiff_t place, ptrdiff_t step);
  void add_nowhere(size_t count) { add(count, kNowhere, 0); }

  size_t size() const { return size_; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  size_t size_ = 0;
  std::vector<Span> spans_;
};

class MappedCopy {
 public:
  // One map an axis of the dense side, outermost first.
  MappedCopy(ElementType type, std::vector<AxisMap> maps);

  // dense[i, j, ...] = other[map0(i) + map1(j) + ...]; where one says kNowhere, *fill (nullptr: zero).
  void gather(const Parallel& parallel, const void* other, void* dense, const void* fill) const;
  // other[map0(i) + map1(j) + ...] = dense[i, j, ...]; where one says kNowhere, nothing. Places must differ.
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
  bool packed_;                       // sub-byte elements, moved one by one
  size_t rows_ = 1;                   // 0: nothing to copy
  size_t row_size_ = 1;               // blocks of a row
  size_t block_ = 1;                  // bytes (packed_: elements) that lie together on both sides
  ptrdiff_t offset_ = 0;              // of the whole; this and all places in bytes (packed_: elements)
  std::vector<Table> outer_;          // of all axes but the innermost
  std::vector<AxisMap::Span> spans_;  // of the innermost
  Table table_;                       // the same by index, where spans are too short
};

}  // namespace wasmvino::kernels
