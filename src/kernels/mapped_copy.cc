// SPDX-License-Identifier: Apache-2.0
#include "kernels/mapped_copy.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/packed_bits.h"
#include "kernels/fill.h"

namespace wasmvino::kernels {
namespace {

constexpr ptrdiff_t kNowhere = AxisMap::kNowhere;
constexpr size_t kMappedBytesPerThread = size_t{1} << 16;
// A span costs about as much as four table entries.
constexpr size_t kShortSpan = 4;

std::vector<ptrdiff_t> table_of(const std::vector<AxisMap::Span>& spans, ptrdiff_t width) {
  std::vector<ptrdiff_t> table;
  for (const AxisMap::Span& span : spans) {
    for (size_t i = 0; i < span.count; ++i) {
      table.push_back(span.place == kNowhere ? kNowhere
                                             : (span.place + static_cast<ptrdiff_t>(i) * span.step) * width);
    }
  }
  return table;
}

void copy_bytes(ElementType type, const char* from, char* to, size_t bytes) {
  if (type == ElementType::kString) {
    std::copy_n(reinterpret_cast<const std::string*>(from), bytes / sizeof(std::string),
                reinterpret_cast<std::string*>(to));
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

void AxisMap::add(size_t count, ptrdiff_t place, ptrdiff_t step) {
  if (count == 0) return;
  if (!spans_.empty()) {
    Span& last = spans_.back();
    bool follows = place == kNowhere && last.place == kNowhere;
    if (place != kNowhere && last.place != kNowhere) {
      const ptrdiff_t own_step = last.count == 1 ? place - last.place : last.step;
      follows = place == last.place + static_cast<ptrdiff_t>(last.count) * own_step &&
                (count == 1 || step == own_step);
      if (follows) last.step = own_step;
    }
    if (follows) {
      last.count += count;
      size_ += count;
      return;
    }
  }
  spans_.push_back({size_, count, place, step});
  size_ += count;
}

MappedCopy::MappedCopy(ElementType type, std::vector<AxisMap> maps)
    : type_(type), packed_(is_sub_byte(type)) {
  for (const AxisMap& map : maps) {
    if (map.size() == 0) rows_ = 0;
  }
  if (rows_ == 0) return;
  // Axes that are contiguous on both sides become part of the block.
  while (!maps.empty() && maps.back().spans().size() == 1) {
    const AxisMap::Span& span = maps.back().spans()[0];
    if (span.place == kNowhere || (span.count > 1 && span.step != static_cast<ptrdiff_t>(block_))) break;
    offset_ += span.place;
    block_ *= span.count;
    maps.pop_back();
  }
  const ptrdiff_t width = packed_ ? 1 : static_cast<ptrdiff_t>(bit_width(type) / 8);
  block_ *= static_cast<size_t>(width);
  offset_ *= width;
  if (maps.empty()) {
    spans_ = {{0, 1, 0, 0}};
    return;
  }
  spans_ = maps.back().spans();
  row_size_ = maps.back().size();
  if (packed_ || spans_.size() * kShortSpan > row_size_) {
    table_ = table_of(spans_, width);
  } else {
    for (AxisMap::Span& span : spans_) {
      if (span.place != kNowhere) span = {span.first, span.count, span.place * width, span.step * width};
    }
  }
  maps.pop_back();
  for (const AxisMap& map : maps) {
    outer_.push_back(table_of(map.spans(), width));
    rows_ *= map.size();
  }
}

// Calls move(row, place) for rows [first, last) of the dense side. place is kNowhere if the whole row has no
// place.
template <typename Move>
void MappedCopy::for_rows(size_t first, size_t last, const Move& move) const {
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

// Calls move(dense, other) for each element; other is kNowhere where there is no place. Used for sub-byte
// types: adjacent elements share bytes, so one thread does everything.
template <typename Move>
void MappedCopy::for_elements(const Move& move) const {
  for_rows(0, rows_, [&](size_t row, ptrdiff_t place) {
    for (size_t i = 0; i < row_size_; ++i) {
      const ptrdiff_t entry = table_.empty() ? 0 : table_[i];
      const size_t dense = (row * row_size_ + i) * block_;
      for (size_t k = 0; k < block_; ++k) {
        const bool nowhere = place == kNowhere || entry == kNowhere;
        move(dense + k, nowhere ? kNowhere : place + entry + static_cast<ptrdiff_t>(k));
      }
    }
  });
}

template <size_t kWidth, bool kGather>
void MappedCopy::move_cells(char* dense, char* other, const void* fill) const {
  const size_t width = kWidth == 0 ? block_ : kWidth;
  const auto move = [&](char* cell, ptrdiff_t place) {
    if (place == kNowhere) {
      if constexpr (kGather) fill_elements(type_, fill, cell, 0, width / (bit_width(type_) / 8));
    } else if constexpr (kWidth == 0) {
      kGather ? copy_bytes(type_, other + place, cell, width) : copy_bytes(type_, cell, other + place, width);
    } else {
      kGather ? std::memcpy(cell, other + place, kWidth) : std::memcpy(other + place, cell, kWidth);
    }
  };
  if (!table_.empty()) {
    for (const ptrdiff_t place : table_) {
      move(dense, place);
      dense += width;
    }
    return;
  }
  for (const AxisMap::Span& span : spans_) {
    char* cell = dense + span.first * width;
    if (span.place == kNowhere) {
      if constexpr (kGather) fill_elements(type_, fill, cell, 0, span.count * width / (bit_width(type_) / 8));
    } else if (span.count == 1 || span.step == static_cast<ptrdiff_t>(width)) {
      const size_t bytes = span.count * width;
      kGather ? copy_bytes(type_, other + span.place, cell, bytes)
              : copy_bytes(type_, cell, other + span.place, bytes);
    } else {
      ptrdiff_t place = span.place;
      for (size_t i = 0; i < span.count; ++i, place += span.step, cell += width) move(cell, place);
    }
  }
}

template <bool kGather>
void MappedCopy::move_row(char* dense, char* other, const void* fill) const {
  switch (type_ == ElementType::kString ? 0 : block_) {
    case 1:
      return move_cells<1, kGather>(dense, other, fill);
    case 2:
      return move_cells<2, kGather>(dense, other, fill);
    case 4:
      return move_cells<4, kGather>(dense, other, fill);
    case 8:
      return move_cells<8, kGather>(dense, other, fill);
    default:
      return move_cells<0, kGather>(dense, other, fill);
  }
}

void MappedCopy::gather(const Parallel& parallel, const void* other, void* dense, const void* fill) const {
  if (rows_ == 0) return;
  if (packed_) {
    for_elements([&](size_t to, ptrdiff_t from) {
      if (from == kNowhere) {
        fill_elements(type_, fill, dense, to, 1);
      } else {
        store_bits(type_, dense, to, load_bits(type_, other, static_cast<size_t>(from)));
      }
    });
    return;
  }
  const size_t row_bytes = row_size_ * block_;
  const size_t grain = std::max<size_t>(1, kMappedBytesPerThread / row_bytes);
  parallel_for(parallel, rows_, grain, [&](size_t first, size_t last) {
    for_rows(first, last, [&](size_t row, ptrdiff_t place) {
      char* to = static_cast<char*>(dense) + row * row_bytes;
      if (place == kNowhere) {
        fill_elements(type_, fill, to, 0, row_bytes / (bit_width(type_) / 8));
      } else {
        move_row<true>(to, const_cast<char*>(static_cast<const char*>(other)) + place, fill);
      }
    });
  });
}

void MappedCopy::scatter(const Parallel& parallel, const void* dense, void* other) const {
  if (rows_ == 0) return;
  if (packed_) {
    for_elements([&](size_t from, ptrdiff_t to) {
      if (to != kNowhere) store_bits(type_, other, static_cast<size_t>(to), load_bits(type_, dense, from));
    });
    return;
  }
  const size_t row_bytes = row_size_ * block_;
  const size_t grain = std::max<size_t>(1, kMappedBytesPerThread / row_bytes);
  parallel_for(parallel, rows_, grain, [&](size_t first, size_t last) {
    for_rows(first, last, [&](size_t row, ptrdiff_t place) {
      char* from = const_cast<char*>(static_cast<const char*>(dense)) + row * row_bytes;
      if (place != kNowhere) move_row<false>(from, static_cast<char*>(other) + place, nullptr);
    });
  });
}

}  // namespace wasmvino::kernels
