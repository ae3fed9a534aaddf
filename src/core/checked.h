// SPDX-License-Identifier: Apache-2.0
// Sizes whose arithmetic cannot wrap: WebAssembly has 32 bits of address space, and so of size_t.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino {

// Throws Error(kOutOfMemory).
[[noreturn]] void fail_too_large();

// A number of bytes or elements in memory. Products and sums beyond half the address space throw
// Error(kOutOfMemory). The constructor is explicit, so that a product of plain sizes is not taken for a
// checked one.
class CheckedSize {
 public:
  constexpr CheckedSize() = default;
  constexpr explicit CheckedSize(uint64_t size) : size_(static_cast<size_t>(size)) {
    if (size > PTRDIFF_MAX) fail_too_large();
  }
  constexpr size_t value() const { return size_; }

  friend constexpr CheckedSize operator*(CheckedSize a, CheckedSize b) {
    size_t product = 0;
    if (__builtin_mul_overflow(a.size_, b.size_, &product)) fail_too_large();
    return CheckedSize(product);
  }
  friend constexpr CheckedSize operator*(CheckedSize a, size_t b) { return a * CheckedSize(b); }
  friend constexpr CheckedSize operator*(size_t a, CheckedSize b) { return CheckedSize(a) * b; }
  // Two sizes, each below half the address space, have a sum that fits it.
  friend constexpr CheckedSize operator+(CheckedSize a, CheckedSize b) {
    return CheckedSize(a.size_ + b.size_);
  }
  friend constexpr CheckedSize operator+(CheckedSize a, size_t b) { return a + CheckedSize(b); }
  friend constexpr CheckedSize operator+(size_t a, CheckedSize b) { return CheckedSize(a) + b; }
  CheckedSize& operator+=(CheckedSize b) { return *this = *this + b; }

  // The next multiple of `unit`.
  constexpr CheckedSize rounded_up(size_t unit) const {
    return CheckedSize((uint64_t{size_} + unit - 1) / unit * unit);
  }
  friend constexpr bool operator<(CheckedSize a, CheckedSize b) { return a.size_ < b.size_; }

 private:
  size_t size_ = 0;
};

// For amounts of work, which decide how work is split: the product, or the largest number if it overflows.
template <typename... Sizes>
constexpr size_t saturating_product(Sizes... sizes) {
  size_t product = 1;
  bool fits = true, empty = false;
  ((fits = !__builtin_mul_overflow(product, static_cast<size_t>(sizes), &product) && fits,
    empty = empty || sizes == 0),
   ...);
  return empty ? 0 : fits ? product : ~size_t{0};
}

// Where part `i` of `parts` begins when `count` items are cut evenly: floor(count * i / parts), without that
// product. i may be `parts`: the end.
constexpr size_t part_begin(size_t count, size_t i, size_t parts) {
  return count / parts * i + static_cast<size_t>(uint64_t{count % parts} * i / parts);
}

}  // namespace wasmvino
