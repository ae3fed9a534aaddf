// SPDX-License-Identifier: Apache-2.0
// A shape seen from operations that go along some of its axes (reductions, normalisations): axes that stay
// and axes that go.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/parallel.h"
#include "core/shape.h"

namespace wasmvino::ops {

// Neighbouring axes of one kind are merged, those of size 1 dropped. The innermost axes are a contiguous
// block of memory: either `run` elements that go or `inner` elements that stay; the other of the two is 1. In
// front of it lie kept_count x reduced_count such blocks.
struct AxisGroups {
  Shape kept, reduced;                 // sizes in front of the innermost block
  Ints kept_strides, reduced_strides;  // in elements
  size_t inner = 1, run = 1;
  size_t kept_count = 1, reduced_count = 1;  // products of `kept` and of `reduced`

  AxisGroups() = default;
  // `axes` go; they may be negative, in any order, and named twice.
  AxisGroups(const Shape& shape, const Ints& axes);

  // Results: one for each of what stays.
  size_t results() const { return kept_count * inner; }
  // Elements that go for each result.
  size_t taken() const { return reduced_count * run; }
  // Where the first block of kept index `i` begins.
  size_t offset(size_t i) const;

  // Calls body(offset, width, result) for parts of the results, on all threads: single ones where a run goes,
  // up to `columns` neighbouring ones where a block stays. `offset` is the first element of the first block,
  // `result` the number of the first result, `grain` the elements below which a second thread costs more than
  // it saves.
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

  // Calls body(offset) for the blocks that belong together, the first at `offset`.
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
