// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "core/checked.h"
#include "core/packed_bits.h"
#include "core/work.h"
#include "kernels/fill.h"
#include "kernels/transpose.h"

namespace wasmvino::ops {
namespace {

// Grain: bytes in about 5 µs of copying blocks of 64 bytes. To share them, two threads need 2 µs.
constexpr size_t kCopyBytesPerThread = size_t{1} << 15;

// Bytes between two calls of count_work(), and in one of its steps.
constexpr size_t kCopyBytesAtOnce = size_t{1} << 22, kCopyBytesPerStep = 16;

// Rows with fewer cells cost more in loop overhead than in copies, so the loops are swapped: rows become the
// inner loop.
constexpr size_t kShortCopyRow = 8;

// Rows and cells per tile if source and destination step differently. 32 x 32 elements of 8 bytes are 8 KB on
// each side, so every cache line is used completely before it is evicted.
constexpr size_t kCopyTile = 32;

bool is_multiple(int64_t value, size_t of) { return value % static_cast<int64_t>(of) == 0; }

template <size_t kWidth, typename Axis>
void copy_cells(const char* from, char* to, size_t rows, const Axis& row, const Axis& cell) {
  for (size_t row_begin = 0; row_begin < rows; row_begin += kCopyTile) {
    const size_t row_count = std::min(kCopyTile, rows - row_begin);
    for (size_t cell_begin = 0; cell_begin < cell.size; cell_begin += kCopyTile) {
      const size_t cell_count = std::min(kCopyTile, cell.size - cell_begin);
      const char* tile_from = from + static_cast<ptrdiff_t>(row_begin) * row.from +
                              static_cast<ptrdiff_t>(cell_begin) * cell.from;
      char* tile_to =
          to + static_cast<ptrdiff_t>(row_begin) * row.to + static_cast<ptrdiff_t>(cell_begin) * cell.to;
      for (size_t r = 0; r < row_count; ++r, tile_from += row.from, tile_to += row.to) {
        const char* f = tile_from;
        char* t = tile_to;
        for (size_t c = 0; c < cell_count; ++c, f += cell.from, t += cell.to) std::memcpy(t, f, kWidth);
      }
    }
  }
}

template <typename Axis>
void copy_blocks(const char* from, char* to, size_t rows, const Axis& row, const Axis& cell, size_t block) {
  if (block > kCopyBytesAtOnce) {
    const size_t rest = block - kCopyBytesAtOnce;
    copy_blocks(from, to, rows, row, cell, kCopyBytesAtOnce);
    count_work(rows * cell.size * (kCopyBytesAtOnce / kCopyBytesPerStep));
    return copy_blocks(from + kCopyBytesAtOnce, to + kCopyBytesAtOnce, rows, row, cell, rest);
  }
  for (size_t r = 0; r < rows; ++r, from += row.from, to += row.to)
    kernels::copy_blocks(from, cell.from, to, cell.to, block, cell.size);
}

template <typename Axis>
void copy_strings(const char* from, char* to, size_t rows, const Axis& row, const Axis& cell, size_t block) {
  for (size_t r = 0; r < rows; ++r, from += row.from, to += row.to) {
    const char* f = from;
    char* t = to;
    for (size_t c = 0; c < cell.size; ++c, f += cell.from, t += cell.to) {
      std::copy_n(reinterpret_cast<const std::string*>(f), block / sizeof(std::string),
                  reinterpret_cast<std::string*>(t));
    }
  }
}

}  // namespace

StridedCopy::StridedCopy(ElementType type, const Shape& shape, const Ints& from_strides,
                         const Ints& to_strides, int64_t from_offset, int64_t to_offset)
    : type_(type),
      from_offset_(static_cast<ptrdiff_t>(from_offset)),
      to_offset_(static_cast<ptrdiff_t>(to_offset)) {
  Axes axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return;
    if (shape[i] == 1) continue;
    const Axis axis{static_cast<size_t>(shape[i]), static_cast<ptrdiff_t>(from_strides[i]),
                    static_cast<ptrdiff_t>(to_strides[i])};
    // The destination is written from start to end.
    size_t place = axes.size();
    while (place > 0 && std::abs(axes[place - 1].to) < std::abs(axis.to)) --place;
    axes.insert(place, axis);
  }
  Axes merged;
  for (const Axis& axis : axes) {
    const ptrdiff_t size = static_cast<ptrdiff_t>(axis.size);
    if (!merged.empty() && merged.back().from == axis.from * size && merged.back().to == axis.to * size) {
      merged.back() = {merged.back().size * axis.size, axis.from, axis.to};
    } else {
      merged.push_back(axis);
    }
  }

  block_ = 1;
  if (!merged.empty() && merged.back().from == 1 && merged.back().to == 1) {
    block_ = merged.back().size;
    merged.pop_back();
  }
  // Converts elements to bytes, if all places are whole bytes.
  const size_t group = kernels::packed_group(type);
  // Groups of u3 and u6 take more than one byte: their strides in bytes are not their strides in elements
  // times a width.
  const bool wide_groups = type == ElementType::kU3 || type == ElementType::kU6;
  packed_ = is_sub_byte(type) && (wide_groups || block_ % group != 0 || !is_multiple(from_offset, group) ||
                                  !is_multiple(to_offset, group));
  for (const Axis& axis : merged) {
    packed_ |= is_sub_byte(type) && (!is_multiple(axis.from, group) || !is_multiple(axis.to, group));
  }
  if (!packed_) {
    const auto to_bytes = [type](ptrdiff_t elements) {
      return elements * static_cast<ptrdiff_t>(bit_width(type)) / 8;
    };
    block_ = storage_bytes(type, block_);
    from_offset_ = to_bytes(from_offset_);
    to_offset_ = to_bytes(to_offset_);
    for (Axis& axis : merged) axis = {axis.size, to_bytes(axis.from), to_bytes(axis.to)};
  }

  if (!merged.empty()) {
    cell_ = merged.back();
    merged.pop_back();
  }
  if (!merged.empty()) {
    // Prefers the axis whose elements are adjacent in the source, if there is one: a tile of both axes then
    // reads whole cache lines. Otherwise takes the next outer axis.
    const auto neighbours = std::find_if(merged.begin(), merged.end(), [this](const Axis& axis) {
      return axis.from == static_cast<ptrdiff_t>(block_);
    });
    const size_t position =
        neighbours != merged.end() ? static_cast<size_t>(neighbours - merged.begin()) : merged.size() - 1;
    row_ = merged[position];
    merged.erase(position);
  }
  outer_ = merged;
  if (packed_) return;
  const auto blocks = [this](ptrdiff_t bytes) { return bytes > 0 && is_multiple(bytes, block_); };
  if (type == ElementType::kString) {
    form_ = Form::kStrings;
  } else if (block_ == bit_width(type) / 8 && row_.size > 1 && cell_.to == static_cast<ptrdiff_t>(block_) &&
             row_.from == static_cast<ptrdiff_t>(block_) && blocks(cell_.from) && blocks(row_.to)) {
    form_ = Form::kTranspose;
  } else if (cell_.from == 0 && cell_.to == static_cast<ptrdiff_t>(block_) && cell_.size >= kShortCopyRow) {
    form_ = Form::kRepeat;
  } else {
    form_ = block_ == 1 || block_ == 2 || block_ == 4 || block_ == 8 || block_ == 16 ? Form::kCells
                                                                                     : Form::kBlocks;
    if (cell_.size < kShortCopyRow && row_.size > cell_.size) std::swap(row_, cell_);
  }
}

std::optional<size_t> StridedCopy::view_offset() const {
  if (block_ == 0) return 0;
  if (!outer_.empty() || row_.size != 1 || cell_.size != 1 || to_offset_ != 0) return std::nullopt;
  if (!packed_) return static_cast<size_t>(from_offset_);
  if (!is_multiple(from_offset_, kernels::packed_group(type_))) return std::nullopt;
  return storage_bytes(type_, static_cast<size_t>(from_offset_));
}

void StridedCopy::run(const Parallel& parallel, const void* from, void* to) const {
  if (block_ == 0) return;
  const char* source = static_cast<const char*>(from);
  char* destination = static_cast<char*>(to);
  if (packed_) return run_packed(source, destination);  // adjacent elements share bytes: one thread
  source += from_offset_;
  destination += to_offset_;
  size_t rows = row_.size;
  for (const Axis& axis : outer_) rows *= axis.size;
  if (rows == 1 && (form_ == Form::kBlocks || form_ == Form::kCells)) {
    return parallel_for(parallel, cell_.size, std::max<size_t>(1, kCopyBytesPerThread / block_),
                        [&](size_t first, size_t last) {
                          const auto begin = static_cast<ptrdiff_t>(first);
                          copy_tile(1, {last - first, cell_.from, cell_.to}, source + begin * cell_.from,
                                    destination + begin * cell_.to);
                        });
  }
  const size_t row_bytes = cell_.size * block_;
  parallel_for(parallel, rows, std::max<size_t>(1, kCopyBytesPerThread / row_bytes),
               [&](size_t first, size_t last) { run_rows(first, last, source, destination); });
}

// Copies a tile in parts of about kCopyBytesAtOnce, or of one cell, and counts their work.
void StridedCopy::copy_tile(size_t rows, const Axis& cell, const char* from, char* to) const {
  const size_t across = saturating_product(rows, block_);
  const size_t most = std::max<size_t>(kCopyTile, kCopyBytesAtOnce / across / kCopyTile * kCopyTile);
  for (size_t first = 0; first < cell.size; first += most) {
    const size_t count = std::min(most, cell.size - first);
    const auto skipped = static_cast<ptrdiff_t>(first);
    copy_part(rows, {count, cell.from, cell.to}, from + skipped * cell.from, to + skipped * cell.to);
    count_work(count * rows * (1 + block_ / kCopyBytesPerStep));
  }
}

// Copies rows [first, last) of all rows, counted through the outer axes.
void StridedCopy::run_rows(size_t first, size_t last, const char* from, char* to) const {
  Ints position(outer_.size());
  size_t outer_index = first / row_.size;
  for (size_t i = outer_.size(); i-- > 0;) {
    position[i] = static_cast<int64_t>(outer_index % outer_[i].size);
    outer_index /= outer_[i].size;
    from += static_cast<ptrdiff_t>(position[i]) * outer_[i].from;
    to += static_cast<ptrdiff_t>(position[i]) * outer_[i].to;
  }
  size_t skip = first % row_.size;
  for (size_t done = first; done < last;) {
    const size_t rows = std::min(row_.size - skip, last - done);
    const char* f = from + static_cast<ptrdiff_t>(skip) * row_.from;
    char* t = to + static_cast<ptrdiff_t>(skip) * row_.to;
    copy_tile(rows, cell_, f, t);
    done += rows;
    skip = 0;
    for (size_t i = outer_.size(); i-- > 0;) {
      from += outer_[i].from;
      to += outer_[i].to;
      if (++position[i] < static_cast<int64_t>(outer_[i].size)) break;
      position[i] = 0;
      from -= static_cast<ptrdiff_t>(outer_[i].size) * outer_[i].from;
      to -= static_cast<ptrdiff_t>(outer_[i].size) * outer_[i].to;
    }
  }
}

void StridedCopy::copy_part(size_t rows, const Axis& cell, const char* from, char* to) const {
  switch (form_) {
    case Form::kStrings:
      return copy_strings(from, to, rows, row_, cell, block_);
    case Form::kTranspose:
      return kernels::transpose(from, static_cast<size_t>(cell.from) / block_, to,
                                static_cast<size_t>(row_.to) / block_, cell.size, rows, block_);
    case Form::kRepeat:
      for (size_t r = 0; r < rows; ++r, from += row_.from, to += row_.to) {
        kernels::repeat_block(from, to, block_, cell.size);
      }
      return;
    case Form::kBlocks:
      return copy_blocks(from, to, rows, row_, cell, block_);
    case Form::kCells:
      break;
  }
  switch (block_) {
    case 1:
      return copy_cells<1>(from, to, rows, row_, cell);
    case 2:
      return copy_cells<2>(from, to, rows, row_, cell);
    case 4:
      return copy_cells<4>(from, to, rows, row_, cell);
    case 8:
      return copy_cells<8>(from, to, rows, row_, cell);
    default:
      return copy_cells<16>(from, to, rows, row_, cell);
  }
}

void StridedCopy::run_packed(const char* from, char* to) const {
  Axes axes = outer_;
  axes.push_back(row_);
  axes.push_back(cell_);
  size_t count = 1;
  for (const Axis& axis : axes) count *= axis.size;
  for (size_t i = 0; i < count; ++i) {
    count_work(8 + block_ * 4);
    ptrdiff_t source = from_offset_;
    ptrdiff_t destination = to_offset_;
    size_t rest = i;
    for (size_t a = axes.size(); a-- > 0; rest /= axes[a].size) {
      const ptrdiff_t step = static_cast<ptrdiff_t>(rest % axes[a].size);
      source += step * axes[a].from;
      destination += step * axes[a].to;
    }
    for (size_t k = 0; k < block_; ++k) {
      store_bits(type_, to, static_cast<size_t>(destination) + k,
                 load_bits(type_, from, static_cast<size_t>(source) + k));
    }
  }
}

namespace {

class CopyKernel final : public Kernel {
 public:
  explicit CopyKernel(StridedCopy copy) : copy_(std::move(copy)) {}
  void run(EvalContext& context) override {
    copy_.run(context.parallel(), context.input(0).memory, context.output(0).memory);
  }

 private:
  StridedCopy copy_;
};

}  // namespace

std::unique_ptr<Kernel> copy_kernel(StridedCopy copy) {
  return std::make_unique<CopyKernel>(std::move(copy));
}

}  // namespace wasmvino::ops
