// SPDX-License-Identifier: Apache-2.0
#include "ops/common/table_copy.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/packed_bits.h"
#include "core/shape.h"
#include "ops/common/fill.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kTableBytesPerThread = size_t{1} << 16;

template <size_t kWidth>
void gather_cells(const TableCopy::Table& places, const char* other, char* dense) {
  for (size_t i = 0; i < places.size(); ++i) std::memcpy(dense + i * kWidth, other + places[i], kWidth);
}

template <size_t kWidth>
void scatter_cells(const TableCopy::Table& places, const char* dense, char* other) {
  for (size_t i = 0; i < places.size(); ++i) std::memcpy(other + places[i], dense + i * kWidth, kWidth);
}

void copy_block(ElementType type, const char* from, char* to, size_t bytes) {
  if (type == ElementType::kString) {
    std::copy_n(reinterpret_cast<const std::string*>(from), bytes / sizeof(std::string),
                reinterpret_cast<std::string*>(to));
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

TableCopy::TableCopy(ElementType type, std::vector<Table> tables) : type_(type), packed_(is_sub_byte(type)) {
  // Axes that run through neighbours on both sides become part of the block.
  while (!tables.empty()) {
    const Table& table = tables.back();
    if (table.empty()) {
      rows_ = 0;
      return;
    }
    bool neighbours = table[0] != kNowhere;
    for (size_t i = 1; i < table.size() && neighbours; ++i) {
      neighbours = table[i] != kNowhere && table[i] - table[i - 1] == static_cast<ptrdiff_t>(block_);
    }
    if (!neighbours) break;
    offset_ += table[0];
    block_ *= table.size();
    tables.pop_back();
  }
  if (tables.empty()) tables.push_back({0});
  if (!packed_) {
    const size_t width = bit_width(type) / 8;
    block_ *= width;
    offset_ *= static_cast<ptrdiff_t>(width);
    for (Table& table : tables) {
      for (ptrdiff_t& place : table) {
        if (place != kNowhere) place *= static_cast<ptrdiff_t>(width);
      }
    }
  }
  row_ = std::move(tables.back());
  tables.pop_back();
  outer_ = std::move(tables);
  for (const Table& table : outer_) rows_ *= table.size();

  bool complete = true;
  for (size_t i = 0; i < row_.size(); ++i) {
    const bool nowhere = row_[i] == kNowhere;
    complete &= !nowhere;
    if (!runs_.empty()) {
      Run& run = runs_.back();
      const bool follows = nowhere ? run.place == kNowhere
                                   : run.place != kNowhere &&
                                         row_[i] == run.place + static_cast<ptrdiff_t>(run.count * block_);
      if (follows) {
        ++run.count;
        continue;
      }
    }
    runs_.push_back({i, 1, row_[i]});
  }
  // A run costs about as much as four entries of a table.
  const bool small = block_ == 1 || block_ == 2 || block_ == 4 || block_ == 8;
  if (complete && small && !packed_ && runs_.size() * 4 > row_.size()) runs_.clear();
}

// Calls move(row, place) for rows first..last of the dense side; place is kNowhere where the whole row is.
template <typename Move>
void TableCopy::for_rows(size_t first, size_t last, const Move& move) const {
  for (size_t row = first; row < last; ++row) {
    ptrdiff_t place = offset_;
    size_t rest = row;
    for (size_t a = outer_.size(); a-- > 0; rest /= outer_[a].size()) {
      const ptrdiff_t entry = outer_[a][rest % outer_[a].size()];
      if (entry == kNowhere) {
        place = kNowhere;
        break;
      }
      place += entry;
    }
    move(row, place);
  }
}

void TableCopy::gather_row(const char* other, char* dense, const void* fill) const {
  if (runs_.empty()) {
    switch (block_) {
      case 1:
        return gather_cells<1>(row_, other, dense);
      case 2:
        return gather_cells<2>(row_, other, dense);
      case 4:
        return gather_cells<4>(row_, other, dense);
      default:
        return gather_cells<8>(row_, other, dense);
    }
  }
  const size_t width = bit_width(type_) / 8;
  for (const Run& run : runs_) {
    char* to = dense + run.first * block_;
    if (run.place == kNowhere) {
      fill_elements(type_, fill, to, 0, run.count * block_ / width);
    } else {
      copy_block(type_, other + run.place, to, run.count * block_);
    }
  }
}

void TableCopy::scatter_row(const char* dense, char* other) const {
  if (runs_.empty()) {
    switch (block_) {
      case 1:
        return scatter_cells<1>(row_, dense, other);
      case 2:
        return scatter_cells<2>(row_, dense, other);
      case 4:
        return scatter_cells<4>(row_, dense, other);
      default:
        return scatter_cells<8>(row_, dense, other);
    }
  }
  for (const Run& run : runs_) {
    if (run.place != kNowhere) {
      copy_block(type_, dense + run.first * block_, other + run.place, run.count * block_);
    }
  }
}

void TableCopy::gather(const Parallel& parallel, const void* other, void* dense, const void* fill) const {
  if (rows_ == 0) return;
  if (packed_) {  // neighbours share bytes: one thread
    for_rows(0, rows_, [&](size_t row, ptrdiff_t place) {
      for (const Run& run : runs_) {
        const size_t first = (row * row_.size() + run.first) * block_;
        const size_t count = run.count * block_;
        if (place == kNowhere || run.place == kNowhere) {
          fill_elements(type_, fill, dense, first, count);
          continue;
        }
        for (size_t i = 0; i < count; ++i) {
          store_bits(type_, dense, first + i,
                     load_bits(type_, other, static_cast<size_t>(place + run.place) + i));
        }
      }
    });
    return;
  }
  const size_t row_bytes = row_.size() * block_;
  const size_t row_elements = row_bytes / (bit_width(type_) / 8);
  parallel_for(parallel, rows_, std::max<size_t>(1, kTableBytesPerThread / row_bytes),
               [&](size_t first, size_t last) {
                 for_rows(first, last, [&](size_t row, ptrdiff_t place) {
                   char* to = static_cast<char*>(dense) + row * row_bytes;
                   if (place == kNowhere) {
                     fill_elements(type_, fill, to, 0, row_elements);
                   } else {
                     gather_row(static_cast<const char*>(other) + place, to, fill);
                   }
                 });
               });
}

void TableCopy::scatter(const Parallel& parallel, const void* dense, void* other) const {
  if (rows_ == 0) return;
  if (packed_) {
    for_rows(0, rows_, [&](size_t row, ptrdiff_t place) {
      if (place == kNowhere) return;
      for (const Run& run : runs_) {
        if (run.place == kNowhere) continue;
        const size_t first = (row * row_.size() + run.first) * block_;
        for (size_t i = 0; i < run.count * block_; ++i) {
          store_bits(type_, other, static_cast<size_t>(place + run.place) + i,
                     load_bits(type_, dense, first + i));
        }
      }
    });
    return;
  }
  const size_t row_bytes = row_.size() * block_;
  parallel_for(
      parallel, rows_, std::max<size_t>(1, kTableBytesPerThread / row_bytes), [&](size_t first, size_t last) {
        for_rows(first, last, [&](size_t row, ptrdiff_t place) {
          if (place == kNowhere) return;
          scatter_row(static_cast<const char*>(dense) + row * row_bytes, static_cast<char*>(other) + place);
        });
      });
}

}  // namespace wasmvino::ops
