// SPDX-License-Identifier: Apache-2.0
// Sorting that is compiled once for all records and orders. Each instance of std::sort adds about 3 KB of
// wasm.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "core/parallel.h"

namespace wasmvino {

// Whether the record at `a` comes before the record at `b`.
using ComesBefore = bool (*)(const void* order, const void* a, const void* b);

// Moves the first `best` of `count` records to the front, in order. The others follow in any order. Not
// stable. A record has at most 64 bytes, a multiple of 4.
void sort_best(void* records, size_t count, size_t bytes, size_t best, ComesBefore before, const void* order);

// Sorts all records, on several threads if there are many.
void sort_all(const Parallel& parallel, void* records, size_t count, size_t bytes, ComesBefore before,
              const void* order);

template <typename T, typename Before>
bool comes_before(const void* order, const void* a, const void* b) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0 && sizeof(T) <= 64);
  return (*static_cast<const Before*>(order))(*static_cast<const T*>(a), *static_cast<const T*>(b));
}

// before(a, b) returns whether record a comes before b.
template <typename T, typename Before>
void sort_best(T* first, T* last, size_t best, Before before) {
  sort_best(static_cast<void*>(first), static_cast<size_t>(last - first), sizeof(T), best,
            &comes_before<T, Before>, &before);
}

// Sorts all records.
template <typename T, typename Before>
void sort_all(T* first, T* last, Before before) {
  sort_best(first, last, static_cast<size_t>(last - first), before);
}
template <typename T, typename Before>
void sort_all(const Parallel& parallel, T* first, T* last, Before before) {
  sort_all(parallel, static_cast<void*>(first), static_cast<size_t>(last - first), sizeof(T),
           &comes_before<T, Before>, &before);
}

// Sorts a few records of any type by insertion. Stable.
template <typename T, typename Before = std::less<T>>
void sort_few(T* first, T* last, Before before = Before()) {
  for (T* end = first; end != last; ++end) {
    for (T* at = end; at != first && before(*at, *(at - 1)); --at) std::swap(*at, *(at - 1));
  }
}

}  // namespace wasmvino
