// SPDX-License-Identifier: Apache-2.0
// Copies whose places are sums of one table entry for each axis: what BatchToSpace, SpaceToBatch, Pad and
// Roll do in one pass, without temporaries.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/element_type.h"
#include "core/parallel.h"

namespace wasmvino::ops {

class TableCopy {
 public:
  using Table = std::vector<ptrdiff_t>;
  // Says that nothing lies there.
  static constexpr ptrdiff_t kNowhere = std::numeric_limits<ptrdiff_t>::min();

  // tables[a][i] is what index i of axis a of the dense side adds to the place on the other side, in
  // elements.
  TableCopy(ElementType type, std::vector<Table> tables);

  // dense[i, j, ...] = other[tables[0][i] + tables[1][j] + ...]; where an entry is kNowhere, *fill (nullptr:
  // zero).
  void gather(const Parallel& parallel, const void* other, void* dense, const void* fill) const;
  // other[tables[0][i] + tables[1][j] + ...] = dense[i, j, ...]; where an entry is kNowhere, nothing. Places
  // must differ.
  void scatter(const Parallel& parallel, const void* dense, void* other) const;

 private:
  // Blocks that lie one after the other on both sides, or nowhere on the other.
  struct Run {
    size_t first, count;  // entries of row_
    ptrdiff_t place;      // of the first, or kNowhere
  };

  template <typename Move>
  void for_rows(size_t first, size_t last, const Move& move) const;
  void gather_row(const char* other, char* dense, const void* fill) const;
  void scatter_row(const char* dense, char* other) const;

  ElementType type_;
  bool packed_ = false;   // sub-byte elements that are moved one by one
  size_t rows_ = 1;       // 0: nothing to copy
  size_t block_ = 1;      // bytes (packed_: elements) that lie together on both sides
  ptrdiff_t offset_ = 0;  // of the whole; this and all places in bytes (packed_: elements)
  std::vector<Table> outer_;
  Table row_;
  std::vector<Run> runs_;  // empty where row_ is better walked one entry at a time
};

}  // namespace wasmvino::ops
