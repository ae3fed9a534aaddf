// SPDX-License-Identifier: Apache-2.0
// Sizes whose arithmetic cannot wrap. In WebAssembly, addresses and size_t have 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino {

// Throws Error(kOutOfMemory).
[[noreturn]] void fail_too_large();

// A number of bytes or elements in memory. Products and sums beyond half the address space throw
// Error(kOutOfMemory). The constructor is explicit, so a product of plain sizes cannot pass for a checked
// one.
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
  // Both sizes are below half the address space, so the sum does not wrap before it is checked.
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

// For amounts of work, which decide how work is split: the product, or the largest number on overflow.
template <typename... Sizes>
constexpr size_t saturating_product(Sizes... sizes) {
  size_t product = 1;
  bool fits = true, empty = false;
  ((fits = !__builtin_mul_overflow(product, static_cast<size_t>(sizes), &product) && fits,
    empty = empty || sizes == 0),
   ...);
  return empty ? 0 : fits ? product : ~size_t{0};
}

// Where part `i` of `parts` begins when `count` items are divided evenly: floor(count * i / parts), computed
// without that product. If i equals `parts`, this is the end.
constexpr size_t part_begin(size_t count, size_t i, size_t parts) {
  return count / parts * i + static_cast<size_t>(uint64_t{count % parts} * i / parts);
}

}  // namespace wasmvino
