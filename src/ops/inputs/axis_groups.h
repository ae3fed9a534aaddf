// SPDX-License-Identifier: Apache-2.0
// Divides the axes of a shape into kept and reduced ones, for operations along some axes (reductions,
// normalisations).
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/parallel.h"
#include "core/shape.h"

namespace wasmvino::ops {

// Adjacent axes of one kind are merged, axes of size 1 removed. The innermost axes are a contiguous block of
// memory: either `run` reduced elements or `inner` kept elements; the other of the two is 1. The axes before
// it form kept_count * reduced_count such blocks.
struct AxisGroups {
  Shape kept, reduced;                 // sizes before the innermost block
  Ints kept_strides, reduced_strides;  // in elements
  size_t inner = 1, run = 1;
  size_t kept_count = 1, reduced_count = 1;  // products of `kept` and of `reduced`

  AxisGroups() = default;
  // `axes` are the reduced ones. They may be negative, in any order, and repeated.
  AxisGroups(const Shape& shape, const Ints& axes);

  // The number of results: one per kept index.
  size_t results() const { return kept_count * inner; }
  // The number of elements reduced for each result.
  size_t taken() const { return reduced_count * run; }
  // Start of the first block of kept index `i`.
  size_t offset(size_t i) const;

  // Calls body(offset, width, result) for parts of the results, on all threads. A part is a single result if
  // the block is a run, otherwise up to `columns` adjacent results. `offset` is the first element of the
  // first block, `result` the index of the first result. For fewer than `grain` elements, a second thread
  // costs more than it saves.
  template <typename Body>
  void for_each_part(const Parallel& parallel, size_t columns, size_t grain, const Body& body) const {
    const size_t blocks = (inner + columns - 1) / columns;
    const size_t cost = std::max<size_t>(1, taken() * std::min(inner, columns));
    parallel_for(parallel, kept_count * blocks, std::max<size_t>(1, grain / cost),
                 [&](size_t begin, size_t end) {
                   for (size_t part = begin; part < end; ++part) {
                     const size_t column = part % blocks * columns;
                     const size_t result = part / blocks * inner + column;
                     body(offset(part / blocks) + column, std::min(columns, inner - column), result);
                   }
                 });
  }

  // Calls body(offset) for each of the blocks that are reduced together, the first of them at `offset`.
  template <typename Body>
  void for_each_block(size_t offset, const Body& body) const {
    Shape at(reduced.size(), 0);
    for (size_t i = 0; i < reduced_count; ++i) {
      body(offset);
      for (size_t axis = at.size(); axis-- > 0;) {
        offset += static_cast<size_t>(reduced_strides[axis]);
        if (++at[axis] < reduced[axis]) break;
        offset -= static_cast<size_t>(reduced_strides[axis] * reduced[axis]);
        at[axis] = 0;
      }
    }
  }
};

}  // namespace wasmvino::ops
