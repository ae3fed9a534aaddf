// SPDX-License-Identifier: Apache-2.0
#include "core/sort.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace wasmvino {
namespace {

// Fewer records are sorted by insertion.
constexpr size_t kFew = 12;
// Records that are worth a thread: some 50 µs of one.
constexpr size_t kGrain = size_t{1} << 10;
// Pieces for each thread; all records are looked at again for each doubling.
constexpr size_t kPiecesPerThread = 4, kMostPieces = 64;

// Quicksort of what may belong to the best.
class Sorter {
 public:
  Sorter(void* records, size_t bytes, size_t best, ComesBefore before, const void* order)
      : records_(static_cast<char*>(records)), bytes_(bytes), best_(best), before_(before), order_(order) {}

  void sort(size_t first, size_t last) {
    while (last - first > kFew && first < best_) {
      const size_t middle = part(first, last);
      // The longer part comes last, without a call: the stack stays short.
      if (middle - first < last - middle) {
        sort(first, middle);
        first = middle;
      } else {
        sort(middle, last);
        last = middle;
      }
    }
    if (first < best_) insert(first, last);
  }

  // Cuts records first..last into at most `pieces` pieces (a power of two), of which none comes before one in
  // front of it. Writes where each ends.
  size_t* cut(size_t first, size_t last, size_t pieces, size_t* ends) {
    if (pieces == 1 || last - first <= kFew) {
      *ends++ = last;
      return ends;
    }
    const size_t middle = part(first, last);
    return cut(middle, last, pieces / 2, cut(first, middle, pieces / 2, ends));
  }

 private:
  char* at(size_t i) const { return records_ + i * bytes_; }
  bool comes_before(const void* a, const void* b) const { return before_(order_, a, b); }

  void swap(size_t i, size_t j) const {
    char* a = at(i);
    char* b = at(j);
    for (size_t k = 0; k < bytes_; k += 4) {
      uint32_t x, y;
      std::memcpy(&x, a + k, 4);
      std::memcpy(&y, b + k, 4);
      std::memcpy(a + k, &y, 4);
      std::memcpy(b + k, &x, 4);
    }
  }

  void insert(size_t first, size_t last) const {
    for (size_t i = first + 1; i < last; ++i) {
      for (size_t k = i; k > first && comes_before(at(k), at(k - 1)); --k) swap(k, k - 1);
    }
  }

  // A place in first..last, not the same for sequences that somebody might make up.
  size_t somewhere(size_t first, size_t last) {
    random_ = random_ * 1664525 + 1013904223;
    return first + (random_ >> 8) % (last - first);
  }

  // No record of first..middle comes behind one of middle..last; neither part is empty. Whatever `before`
  // says (of NaN, say), nothing outside is read: both scans stop at records that they moved.
  size_t part(size_t first, size_t last) {
    size_t a = somewhere(first, last), b = somewhere(first, last);
    const size_t c = somewhere(first, last);
    if (comes_before(at(b), at(a))) std::swap(a, b);
    const size_t median = comes_before(at(c), at(a)) ? a : comes_before(at(c), at(b)) ? c : b;
    swap(first, median);
    alignas(16) char pivot[64];
    std::memcpy(pivot, at(first), bytes_);
    size_t low = first, high = last;
    while (true) {
      while (comes_before(at(low), pivot)) ++low;
      do {
        --high;
      } while (comes_before(pivot, at(high)));
      if (low >= high) return high + 1;
      swap(low++, high);
    }
  }

  char* records_;
  size_t bytes_, best_;
  ComesBefore before_;
  const void* order_;
  uint32_t random_ = 1;
};

}  // namespace

void sort_best(void* records, size_t count, size_t bytes, size_t best, ComesBefore before,
               const void* order) {
  Sorter(records, bytes, best, before, order).sort(0, count);
}

void sort_all(const Parallel& parallel, void* records, size_t count, size_t bytes, ComesBefore before,
              const void* order) {
  const size_t threads = std::min(parallel.threads(), parallel.ranges(count, kGrain));
  const size_t most = threads == 1 ? 1 : std::min(std::bit_ceil(kPiecesPerThread * threads), kMostPieces);
  size_t ends[kMostPieces + 1] = {};
  const auto pieces = static_cast<size_t>(
      Sorter(records, bytes, count, before, order).cut(0, count, most, ends + 1) - ends - 1);
  parallel_for(parallel, pieces, 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Sorter(records, bytes, count, before, order).sort(ends[i], ends[i + 1]);
    }
  });
}

}  // namespace wasmvino
