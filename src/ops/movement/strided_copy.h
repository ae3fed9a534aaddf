// SPDX-License-Identifier: Apache-2.0
// Copies between arrays with different strides, for Transpose, Slice, Broadcast, Tile, Concat and similar
// operations. The loops are planned once: axes are merged, and runs of adjacent elements move as blocks.
#pragma once

#include <memory>
#include <optional>

#include "model/op.h"

namespace wasmvino::ops {

class StridedCopy {
 public:
  // Copies shape[0] * shape[1] * ... elements. Strides and offsets are in elements. They may be negative;
  // `from_strides` may also be 0 (a repeated element).
  StridedCopy(ElementType type, const Shape& shape, const Ints& from_strides, const Ints& to_strides,
              int64_t from_offset = 0, int64_t to_offset = 0);

  void run(const Parallel& parallel, const void* from, void* to) const;

  // If the copy moves one block of memory to the start of its destination, the block's offset in bytes. The
  // destination can then be a view of the source.
  std::optional<size_t> view_offset() const;

 private:
  struct Axis {
    size_t size;
    ptrdiff_t from, to;  // bytes; elements for sub-byte types
  };
  using Axes = SmallVector<Axis, 6>;

  // How the cells of rows are copied.
  enum class Form : uint8_t { kCells, kBlocks, kRepeat, kTranspose, kStrings };

  void copy_tile(size_t rows, const Axis& cell, const char* from, char* to) const;
  void copy_part(size_t rows, const Axis& cell, const char* from, char* to) const;
  void run_rows(size_t first, size_t last, const char* from, char* to) const;
  void run_packed(const char* from, char* to) const;

  ElementType type_;
  Form form_ = Form::kCells;
  bool packed_ = false;  // sub-byte elements that are copied one by one
  // Bytes (packed_: elements) that are contiguous on both sides; 0: nothing to copy.
  size_t block_ = 0;
  ptrdiff_t from_offset_ = 0;
  ptrdiff_t to_offset_ = 0;
  Axes outer_;         // outermost first
  Axis row_{1, 0, 0};  // the innermost two axes: rows of cells, each cell a block
  Axis cell_{1, 0, 0};
};

// Runs a StridedCopy from input 0 to output 0.
std::unique_ptr<Kernel> copy_kernel(StridedCopy copy);

// Base class of operations whose output 0 is input 0 rearranged. A subclass provides the copy. It runs as one
// copy, or not at all if the output is a view.
class CopyOp : public Op {
 public:
  std::unique_ptr<Kernel> compile(CompileContext& context) const final { return copy_kernel(plan(context)); }
  bool copies_elements() const final { return true; }
  std::optional<ViewOf> view_of(const CompileContext& context, size_t) const final {
    // Empty outputs have no plan: their attributes may be larger than any tensor.
    if (context.has_output_shape(0) && element_count(context.output_shape(0)) == 0) return std::nullopt;
    const std::optional<size_t> offset = plan(context).view_offset();
    return offset ? std::optional(ViewOf{0, *offset}) : std::nullopt;
  }

 protected:
  virtual StridedCopy plan(const CompileContext& context) const = 0;
};

}  // namespace wasmvino::ops
