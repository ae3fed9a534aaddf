// SPDX-License-Identifier: Apache-2.0
#include "core/sort.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/work.h"

namespace wasmvino {
namespace {

// Ranges of at most this many records are sorted by insertion.
constexpr size_t kFew = 12;
// Records per range of a parallel sort: about 50 µs of work for one thread.
constexpr size_t kGrain = size_t{1} << 10;
// Pieces per thread. Each doubling takes another pass over all records.
constexpr size_t kPiecesPerThread = 4, kMostPieces = 64;

// Quicksort that skips ranges without any of the best records.
class Sorter {
 public:
  Sorter(void* records, size_t bytes, size_t best, ComesBefore before, const void* order)
      : records_(static_cast<char*>(records)), bytes_(bytes), best_(best), before_(before), order_(order) {}

  void sort(size_t first, size_t last) {
    while (last - first > kFew && first < best_) {
      const size_t middle = part(first, last);
      // The longer part is sorted last, by iteration, so the stack stays shallow.
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

  // Divides records first..last into at most `pieces` pieces (a power of two). No record comes before one of
  // an earlier piece. Writes the end of each piece to `ends`.
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

  // A pseudo-random position in first..last, so nobody can construct a worst case.
  size_t somewhere(size_t first, size_t last) {
    random_ = random_ * 1664525 + 1013904223;
    return first + (random_ >> 8) % (last - first);
  }

  // Partitions first..last. No record of first..middle comes after one of middle..last, and neither part is
  // empty. Both scans stop at records that they moved, so even an inconsistent `before` (of NaN, say) causes
  // no read outside the range.
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
      if (low >= high) break;
      swap(low++, high);
    }
    count_work(last - first);
    return high + 1;
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
