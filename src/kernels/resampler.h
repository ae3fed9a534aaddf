// SPDX-License-Identifier: Apache-2.0
// Resizes arrays of any numeric type along some of their axes by weighted sums, in f32.
#pragma once

#include <vector>

#include "core/checked.h"
#include "core/element_type.h"
#include "core/parallel.h"
#include "core/shape.h"
#include "kernels/numbers.h"
#include "kernels/resize_windows.h"

namespace wasmvino::kernels {

// Converts elements of a type to f32 and back. Integers are rounded, ties to even, and saturated.
class ElementsInF32 {
 public:
  explicit ElementsInF32(ElementType type);

  // Whether the elements are f32 already.
  bool direct() const { return type_ == ElementType::kF32; }
  // Returns elements [first, first + count), either in place or converted in `buffer`.
  const float* load(const void* from, size_t first, size_t count, float* buffer) const;
  // Stores `values` as elements [first, first + count).
  void store(const float* values, size_t count, void* to, size_t first) const;
  // For an integer type, rounds `values` to what store() and load() would give.
  void round(float* values, size_t count) const;

 private:
  ElementType type_;
  LoadNumbers<float> load_real_ = nullptr;
  StoreNumbers<float> store_real_ = nullptr;
  LoadNumbers<int64_t> load_integer_ = nullptr;
  StoreNumbers<int64_t> store_integer_ = nullptr;
  float low_ = 0, high_ = 0;  // limits of an integer type
};

// Resizes one axis after the other, the innermost first. It processes only as many slices at a time as the
// next axis needs. Each level keeps the slices that its windows share in a ring buffer, so that nothing is
// computed twice and intermediate results stay in the cache.
class Resampler {
 public:
  // `axes` are the resized axes in ascending order. The other axes must have the same size before and after.
  Resampler(const ResizeRule& rule, ElementType type, const Shape& input, const Shape& output,
            const Ints& axes, const std::vector<ResizeAxis>& resized, const Parallel& parallel);

  CheckedSize scratch_bytes() const { return CheckedSize(threads_) * thread_bytes_; }
  void run(const Parallel& parallel, const void* x, void* y, void* scratch) const;

 private:
  // One resized axis.
  struct Level {
    ResizeWindows windows;
    size_t size, result;         // of the axis, before and after
    size_t gap;                  // blocks of the next level per slice
    size_t slice_in, slice_out;  // elements per slice, before and after the inner levels
    // Offsets into a part's scratch memory: pointers to the slices of a window, the indices of the slices in
    // the ring, and the ring.
    size_t pointers, kept, ring;
  };

  size_t reserve(CheckedSize bytes);
  void run_part(const void* x, void* y, size_t first, size_t last, char* scratch) const;
  void empty_ring(size_t l, char* scratch) const;
  // Computes slices [begin, end) of level `l`'s result. The level's whole input begins at element `place` of
  // x.
  void resize(size_t l, const void* x, size_t place, size_t begin, size_t end, float* y, char* scratch) const;
  void resize_last(const void* x, size_t place, size_t begin, size_t end, float* y, char* scratch) const;
  void resize_slice(size_t l, const void* x, size_t place, float* y, char* scratch) const;

  ElementsInF32 elements_;
  bool rounds_;  // after each axis
  std::vector<Level> levels_;
  size_t outer_ = 1, grain_ = 1, threads_ = 1, thread_bytes_ = 0;
  size_t loaded_ = 0, stored_ = 0;  // offsets of the conversion buffers for other types than f32
};

}  // namespace wasmvino::kernels
