// SPDX-License-Identifier: Apache-2.0
// Sorting, compiled once for all records and orders: std::sort brings about 3 KB of wasm for each.
#pragma once

#include <cstddef>
#include <type_traits>

namespace wasmvino::ops {

// Whether the record at `a` comes before that at `b`.
using ComesBefore = bool (*)(const void* order, const void* a, const void* b);

// Brings the first `best` of `count` records to the front, in order; the others stand behind them in any. The
// order of records that are equal is not kept. A record has at most 64 bytes, a multiple of 4.
void sort_best(void* records, size_t count, size_t bytes, size_t best, ComesBefore before, const void* order);

// before(a, b) tells whether record a comes before b.
template <typename T, typename Before>
void sort_best(T* first, T* last, size_t best, Before before) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0 && sizeof(T) <= 64);
  sort_best(
      static_cast<void*>(first), static_cast<size_t>(last - first), sizeof(T), best,
      [](const void* order, const void* a, const void* b) {
        return static_cast<bool>(
            (*static_cast<const Before*>(order))(*static_cast<const T*>(a), *static_cast<const T*>(b)));
      },
      &before);
}

// All of them.
template <typename T, typename Before>
void sort_all(T* first, T* last, Before before) {
  sort_best(first, last, static_cast<size_t>(last - first), before);
}

}  // namespace wasmvino::ops
