// SPDX-License-Identifier: Apache-2.0
// Static shapes (Shape) and shapes with dynamic dimensions (Dimension, PartialShape).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/small_vector.h"

namespace wasmvino {

// Sizes per axis, outermost first; a scalar has none.
using Shape = SmallVector<int64_t, 6>;
// Lists of axes, indices, pads ... read from attributes and small tensors.
using Ints = SmallVector<int64_t, 6>;

// The product of all sizes. Throws Error(kInvalidShape) if the product of the nonzero sizes exceeds half the
// address space. The product of any axes of a tensor therefore fits size_t.
size_t element_count(const Shape& shape);
// The product of the sizes of axes first..last (last excluded).
size_t product(const Shape& shape, size_t first, size_t last);
// The strides in elements along each axis of a row-major tensor.
Ints row_major_strides(const Shape& shape);
// "[2,3]"; "[]" for a scalar.
std::string to_string(const Shape& shape);

// The size of one axis, known or bounded: min..max, both inclusive.
struct Dimension {
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

  int64_t min = 0;
  int64_t max = kUnbounded;

  constexpr Dimension() = default;
  constexpr Dimension(int64_t size) : min(size), max(size) {}  // NOLINT: a size is a dimension
  constexpr Dimension(int64_t low, int64_t high) : min(low), max(high) {}

  constexpr bool is_static() const { return min == max; }
  // The size. Requires is_static().
  constexpr int64_t size() const { return min; }
  constexpr bool contains(int64_t size) const { return size >= min && size <= max; }
  // Whether some size fits both.
  constexpr bool compatible(Dimension other) const { return min <= other.max && other.min <= max; }
  // The dimension that fits both; nullopt if no size does.
  std::optional<Dimension> merge(Dimension other) const;

  friend constexpr bool operator==(Dimension a, Dimension b) { return a.min == b.min && a.max == b.max; }
};

Dimension operator+(Dimension a, Dimension b);
Dimension operator-(Dimension a, int64_t b);
Dimension operator*(Dimension a, Dimension b);
// The size of two axes broadcast by numpy's rule; nullopt if they do not match.
std::optional<Dimension> broadcast(Dimension a, Dimension b);
// "3", "?", "2..", "..5", "1..5".
std::string to_string(Dimension dimension);

class PartialShape {
 public:
  // A shape of unknown rank.
  PartialShape() = default;
  PartialShape(std::initializer_list<Dimension> dimensions) : ranked_(true), dimensions_(dimensions) {}
  PartialShape(const Shape& shape) : ranked_(true), dimensions_(shape.begin(), shape.end()) {}  // NOLINT
  // A shape with `rank` dynamic dimensions.
  static PartialShape of_rank(size_t rank);

  bool has_rank() const { return ranked_; }
  // The number of axes. Requires has_rank().
  size_t rank() const { return dimensions_.size(); }
  bool is_static() const;
  Dimension& operator[](size_t axis) { return dimensions_[axis]; }
  const Dimension& operator[](size_t axis) const { return dimensions_[axis]; }
  const Dimension* begin() const { return dimensions_.begin(); }
  const Dimension* end() const { return dimensions_.end(); }
  void push_back(Dimension dimension) {
    ranked_ = true;
    dimensions_.push_back(dimension);
  }
  void insert(size_t axis, Dimension dimension) { dimensions_.insert(axis, dimension); }
  void erase(size_t axis) { dimensions_.erase(axis); }

  // The sizes. Requires is_static().
  Shape to_shape() const;
  // Whether a tensor of this shape fits.
  bool contains(const Shape& shape) const;
  bool compatible(const PartialShape& other) const;
  // The shape that fits both; nullopt if no shape does.
  std::optional<PartialShape> merge(const PartialShape& other) const;

  friend bool operator==(const PartialShape& a, const PartialShape& b) {
    return a.ranked_ == b.ranked_ && a.dimensions_ == b.dimensions_;
  }

 private:
  bool ranked_ = false;
  SmallVector<Dimension, 6> dimensions_;
};

// "[1,?,2..5]"; "[...]" for an unknown rank.
std::string to_string(const PartialShape& shape);
// Parses "1,?,2..5", "[1, -1]", "...", "" (a scalar); nullopt for any other text.
std::optional<PartialShape> parse_partial_shape(std::string_view text);

// Two shapes broadcast by numpy's rule; nullopt if they do not match.
std::optional<PartialShape> broadcast(const PartialShape& a, const PartialShape& b);

}  // namespace wasmvino
