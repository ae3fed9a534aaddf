// SPDX-License-Identifier: Apache-2.0
// Arrays of any numeric type resized along some of their axes by weighted sums, in f32.
#pragma once

#include <vector>

#include "core/checked.h"
#include "core/element_type.h"
#include "core/parallel.h"
#include "core/shape.h"
#include "kernels/numbers.h"
#include "kernels/resize_windows.h"

namespace wasmvino::kernels {

// Elements of a type as f32 and back: integers are rounded, ties to even, and saturated.
class ElementsInF32 {
 public:
  explicit ElementsInF32(ElementType type);

  // Whether they are f32 already.
  bool direct() const { return type_ == ElementType::kF32; }
  // Elements first .. first + count, in place or in `buffer`.
  const float* load(const void* from, size_t first, size_t count, float* buffer) const;
  // Elements first .. first + count become `values`.
  void store(const float* values, size_t count, void* to, size_t first) const;
  // Values of an integer type as they are once stored.
  void round(float* values, size_t count) const;

 private:
  ElementType type_;
  LoadNumbers<float> load_real_ = nullptr;
  StoreNumbers<float> store_real_ = nullptr;
  LoadNumbers<int64_t> load_integer_ = nullptr;
  StoreNumbers<int64_t> store_integer_ = nullptr;
  float low_ = 0, high_ = 0;  // of an integer type
};

// Resizes axis after axis, the innermost first, but as few slices of it at a time as the next axis needs:
// each level keeps the slices that its windows share in a ring, so that nothing is computed twice and what
// lies between two axes stays in the cache.
class Resampler {
 public:
  // `axes` are the resized ones, rising; the others have the same size before and after.
  Resampler(const ResizeRule& rule, ElementType type, const Shape& input, const Shape& output,
            const Ints& axes, const std::vector<ResizeAxis>& resized, const Parallel& parallel);

  CheckedSize scratch_bytes() const { return CheckedSize(threads_) * thread_bytes_; }
  void run(const Parallel& parallel, const void* x, void* y, void* scratch) const;

 private:
  struct Level {
    ResizeWindows windows;
    size_t size, result;         // of the axis, before and after
    size_t gap;                  // blocks of the next level in a slice
    size_t slice_in, slice_out;  // elements of a slice, before and after the levels inside
    // Places in the scratch memory of a part: pointers to the slices of a window, which slices the ring
    // holds, and the ring.
    size_t pointers, kept, ring;
  };

  size_t reserve(CheckedSize bytes);
  void run_part(const void* x, void* y, size_t first, size_t last, char* scratch) const;
  void empty_ring(size_t l, char* scratch) const;
  // Slices begin .. end of the result of level `l`, from its whole input, which begins at element `place` of
  // x.
  void resize(size_t l, const void* x, size_t place, size_t begin, size_t end, float* y, char* scratch) const;
  void resize_last(const void* x, size_t place, size_t begin, size_t end, float* y, char* scratch) const;
  void resize_slice(size_t l, const void* x, size_t place, float* y, char* scratch) const;

  ElementsInF32 elements_;
  bool rounds_;  // after each axis
  std::vector<Level> levels_;
  size_t outer_ = 1, grain_ = 1, threads_ = 1, thread_bytes_ = 0;
  size_t loaded_ = 0, stored_ = 0;  // places of buffers for elements that are no f32
};

}  // namespace wasmvino::kernels
