// SPDX-License-Identifier: Apache-2.0
#include "core/shape.h"

#include <charconv>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace wasmvino {
namespace {

// Far beyond any model. It prevents a rank in a damaged file from allocating too much memory.
constexpr size_t kMostAxes = 4096;

constexpr int64_t kUnbounded = Dimension::kUnbounded;

int64_t saturating_add(int64_t a, int64_t b) {
  if (a == kUnbounded || b == kUnbounded || a > kUnbounded - b) return kUnbounded;
  return a + b;
}

int64_t saturating_multiply(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a == kUnbounded || b == kUnbounded || a > kUnbounded / b) return kUnbounded;
  return a * b;
}

std::optional<int64_t> parse_size(std::string_view text) {
  text = trim(text);
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Dimension> parse_dimension(std::string_view text) {
  text = trim(text);
  if (text == "?" || text == "-1") return Dimension();
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto size = parse_size(text);
    if (!size || *size < 0) return std::nullopt;
    return Dimension(*size);
  }
  Dimension result;
  const std::string_view low = trim(text.substr(0, dots));
  const std::string_view high = trim(text.substr(dots + 2));
  if (!low.empty()) {
    const auto size = parse_size(low);
    if (!size || *size < 0) return std::nullopt;
    result.min = *size;
  }
  if (!high.empty()) {
    const auto size = parse_size(high);
    if (!size || *size < 0) return std::nullopt;
    result.max = *size;
  }
  if ((low.empty() && high.empty()) || result.max < result.min) return std::nullopt;
  return result;
}

}  // namespace

size_t element_count(const Shape& shape) {
  // Half the address space, so byte counts of 8-byte elements and pointer differences stay exact.
  constexpr uint64_t kLimit = std::numeric_limits<size_t>::max() / 2;
  uint64_t count = 1;
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0)
      throw Error(ErrorCode::kInvalidShape, cat("shape ", to_string(shape), " has a negative size"));
    empty = empty || size == 0;
  }
  for (const int64_t size : shape) {
    if (size == 0) continue;
    if (static_cast<uint64_t>(size) > kLimit / count) {
      throw Error(ErrorCode::kInvalidShape,
                  cat("shape ", to_string(shape), " has more elements than the address space can hold"));
    }
    count *= static_cast<uint64_t>(size);
  }
  return empty ? 0 : static_cast<size_t>(count);
}

size_t product(const Shape& shape, size_t first, size_t last) {
  return element_count(Shape(shape.begin() + first, shape.begin() + last));
}

Ints row_major_strides(const Shape& shape) {
  Ints strides(shape.size());
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + ']';
}

std::optional<Dimension> Dimension::merge(Dimension other) const {
  if (!compatible(other)) return std::nullopt;
  return Dimension(std::max(min, other.min), std::min(max, other.max));
}

Dimension operator+(Dimension a, Dimension b) {
  return {saturating_add(a.min, b.min), saturating_add(a.max, b.max)};
}

Dimension operator-(Dimension a, int64_t b) {
  return {std::max<int64_t>(0, a.min - b),
          a.max == kUnbounded ? kUnbounded : std::max<int64_t>(0, a.max - b)};
}

Dimension operator*(Dimension a, Dimension b) {
  return {saturating_multiply(a.min, b.min), saturating_multiply(a.max, b.max)};
}

std::optional<Dimension> broadcast(Dimension a, Dimension b) {
  if (a.is_static() && a.size() == 1) return b;
  if (b.is_static() && b.size() == 1) return a;
  // Neither is known to be 1. A size that cannot be 1 decides.
  const bool a_fixed = a.min > 1 || a.max == 0;
  const bool b_fixed = b.min > 1 || b.max == 0;
  if (a_fixed && b_fixed) return a.merge(b);
  if (a_fixed) return b.max < a.min && b.max != 1 && !b.contains(1) ? std::nullopt : std::optional(a);
  if (b_fixed) return a.max < b.min && a.max != 1 && !a.contains(1) ? std::nullopt : std::optional(b);
  return Dimension(std::min(a.min, b.min), std::max(a.max, b.max));
}

std::string to_string(Dimension dimension) {
  if (dimension.is_static()) return std::to_string(dimension.size());
  if (dimension.max == kUnbounded) return dimension.min == 0 ? "?" : std::to_string(dimension.min) + "..";
  if (dimension.min == 0) return ".." + std::to_string(dimension.max);
  return std::to_string(dimension.min) + ".." + std::to_string(dimension.max);
}

PartialShape PartialShape::of_rank(size_t rank) {
  if (rank > kMostAxes) {
    fail(ErrorCode::kInvalidShape, "a shape has ", rank, " axes, at most ", kMostAxes, " are supported");
  }
  PartialShape shape;
  shape.ranked_ = true;
  shape.dimensions_.resize(rank);
  return shape;
}

bool PartialShape::is_static() const {
  if (!ranked_) return false;
  for (const Dimension dimension : dimensions_) {
    if (!dimension.is_static()) return false;
  }
  return true;
}

Shape PartialShape::to_shape() const {
  Shape shape;
  for (const Dimension dimension : dimensions_) shape.push_back(dimension.size());
  return shape;
}

bool PartialShape::contains(const Shape& shape) const {
  if (!ranked_) return true;
  if (shape.size() != rank()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!dimensions_[i].contains(shape[i])) return false;
  }
  return true;
}

bool PartialShape::compatible(const PartialShape& other) const { return merge(other).has_value(); }

std::optional<PartialShape> PartialShape::merge(const PartialShape& other) const {
  if (!ranked_) return other;
  if (!other.ranked_) return *this;
  if (rank() != other.rank()) return std::nullopt;
  PartialShape result = *this;
  for (size_t i = 0; i < rank(); ++i) {
    const auto merged = dimensions_[i].merge(other[i]);
    if (!merged) return std::nullopt;
    result[i] = *merged;
  }
  return result;
}

std::string to_string(const PartialShape& shape) {
  if (!shape.has_rank()) return "[...]";
  std::string text = "[";
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ',';
    text += to_string(shape[i]);
  }
  return text + ']';
}

std::optional<PartialShape> parse_partial_shape(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 &&
      ((text.front() == '[' && text.back() == ']') || (text.front() == '{' && text.back() == '}'))) {
    text = trim(text.substr(1, text.size() - 2));
  }
  if (text == "...") return PartialShape();
  PartialShape shape = PartialShape::of_rank(0);
  if (text.empty()) return shape;
  while (true) {
    const size_t comma = text.find(',');
    const auto dimension = parse_dimension(text.substr(0, comma));
    if (!dimension) return std::nullopt;
    shape.push_back(*dimension);
    if (comma == std::string_view::npos) return shape;
    text.remove_prefix(comma + 1);
  }
}

std::optional<PartialShape> broadcast(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape();
  const size_t rank = std::max(a.rank(), b.rank());
  PartialShape result = PartialShape::of_rank(rank);
  for (size_t i = 0; i < rank; ++i) {
    const Dimension left = i + a.rank() < rank ? Dimension(1) : a[i + a.rank() - rank];
    const Dimension right = i + b.rank() < rank ? Dimension(1) : b[i + b.rank() - rank];
    const auto size = broadcast(left, right);
    if (!size) return std::nullopt;
    result[i] = *size;
  }
  return result;
}

}  // namespace wasmvino
