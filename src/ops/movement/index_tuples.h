// SPDX-License-Identifier: Apache-2.0
// Tuples of indices, as in GatherND and ScatterNDUpdate: each row along the innermost axis of the index
// tensor addresses an element, or a run of elements, by its leading axes.
#pragma once

#include "core/error.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops {

class IndexTuples {
 public:
  // For tuples that index axes of these sizes. `first_axis` is the data's axis that corresponds to the first
  // of them, for messages.
  IndexTuples(Shape sizes, size_t first_axis) : sizes_(std::move(sizes)), first_axis_(first_axis) {}

  // The number of places that tuples can address.
  size_t places() const { return element_count(sizes_); }

  // Calls body(i, place) for tuples [first, last) of the tensor. `place` is the row-major place that tuple i
  // addresses. Negative indices count from the end. Throws Error(kInvalidValue) for an index outside its
  // axis.
  template <typename Body>
  void for_places(const TensorView& tuples, size_t first, size_t last, const Body& body) const {
    const size_t axes = sizes_.size();
    size_t tuple = first, axis = 0;
    int64_t place = 0;
    for_indices(tuples, first * axes, last * axes, [&](size_t, int64_t index) {
      const int64_t size = sizes_[axis];
      if (index < -size || index >= size) refuse(tuple, axis, index);
      place = place * size + (index < 0 ? index + size : index);
      if (++axis < axes) return;
      body(tuple++, static_cast<size_t>(place));
      axis = 0, place = 0;
    });
  }

 private:
  [[noreturn]] void refuse(size_t i, size_t axis, int64_t index) const {
    const std::string range = cat(-sizes_[axis], "..", sizes_[axis] - 1);
    throw Error(ErrorCode::kInvalidValue, cat("tuple ", i, " of indices has ", index, " for axis ",
                                              first_axis_ + axis, " of data, outside ", range))
        .expected(range)
        .actual(cat(index))
        .port("indices");
  }

  Shape sizes_;
  size_t first_axis_;
};

}  // namespace wasmvino::ops
