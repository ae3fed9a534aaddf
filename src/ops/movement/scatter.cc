// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/scatter.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/dispatch.h"
#include "kernels/element_runs.h"
#include "kernels/numbers.h"

namespace wasmvino::ops {
namespace {

// Grain: updates, and bytes to copy, in about 10 µs of work.
constexpr size_t kGrain = size_t{1} << 12;
constexpr size_t kCopyGrain = size_t{1} << 16;
// Bytes of a cache line, which threads should not share.
constexpr size_t kLine = 64;

// The work of one thread: of runs [first, last), those whose index modulo `inner` is in [begin, end), and of
// these columns [from, to).
struct Part {
  size_t first, last, inner, begin, end, from, to;

  // Calls body(run, place) in order.
  template <typename Body>
  void for_runs(const size_t* places, const Body& body) const {
    for (size_t row = first; row < last; row += inner) {
      for (size_t run = row + begin; run < row + end; ++run) body(run, places[run]);
    }
  }
};

// Calls body(part) for parts of the work that may run in parallel. A run has `columns` of `bytes` each.
template <typename Body>
void for_parts(const Parallel& parallel, const ScatterPlaces& p, size_t columns, size_t bytes,
               const Body& body) {
  if (p.runs == 0) return;
  const size_t groups = p.runs / p.group, work = p.runs * p.length, run_bytes = columns * bytes;
  // What is divided among threads, and the smallest amount that two threads should not share.
  enum { kGroups, kColumns, kInner, kNothing } what = kNothing;
  size_t count = 1, least = 1;
  if (groups > 1) {
    what = kGroups, count = groups;
  } else if (run_bytes >= 2 * kLine) {
    what = kColumns, count = columns, least = kLine / bytes;
  } else if (p.inner * run_bytes >= 2 * kLine) {
    what = kInner, count = p.inner, least = kLine / run_bytes;
  }
  const size_t grain = std::max(least, kGrain / std::max<size_t>(1, work / count));
  parallel_for(parallel, count, grain, [&](size_t begin, size_t end) {
    Part part = {0, p.runs, p.inner, 0, p.inner, 0, columns};
    if (what == kGroups) part.first = begin * p.group, part.last = end * p.group;
    if (what == kColumns) part.from = begin, part.to = end;
    if (what == kInner) part.begin = begin, part.end = end;
    body(part);
  });
}

// f16 and bf16 would lose small updates, and a mean needs the sum and the count. Therefore these are reduced
// in a wide type.
bool is_scattered_wide(ElementType type, ScatterReduction reduction) {
  return reduction == ScatterReduction::kMean ||
         (reduction != ScatterReduction::kNone && (type == ElementType::kF16 || type == ElementType::kBf16));
}

template <typename T>
T reduce_pair(ScatterReduction reduction, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    // Unsigned, so that overflow wraps.
    using Wrapping = std::make_unsigned_t<std::common_type_t<T, int>>;
    const Wrapping x = static_cast<Wrapping>(a);
    const Wrapping y = static_cast<Wrapping>(b);
    switch (reduction) {
      case ScatterReduction::kSum:
      case ScatterReduction::kMean:
        return static_cast<T>(x + y);
      case ScatterReduction::kSub:
        return static_cast<T>(x - y);
      case ScatterReduction::kProd:
        return static_cast<T>(x * y);
      default:
        break;
    }
  } else {
    switch (reduction) {
      case ScatterReduction::kSum:
      case ScatterReduction::kMean:
        return a + b;
      case ScatterReduction::kSub:
        return a - b;
      case ScatterReduction::kProd:
        return a * b;
      default:
        break;
    }
  }
  if (reduction == ScatterReduction::kMin) return b < a ? b : a;
  if (reduction == ScatterReduction::kMax) return a < b ? b : a;
  return b;
}

// For booleans, sum is OR, prod is AND, sub is XOR.
uint8_t reduce_boolean(ScatterReduction reduction, uint8_t a, uint8_t b) {
  switch (reduction) {
    case ScatterReduction::kSub:
      return a ^ b;
    case ScatterReduction::kProd:
    case ScatterReduction::kMin:
      return a & b;
    default:
      return a | b;
  }
}

template <typename T, typename Reduce>
void scatter_narrow(const Parallel& parallel, const Reduce& reduce, bool from_data, const ScatterPlaces& p,
                    const TensorView& updates, TensorView& output, uint8_t* met) {
  T* to = output.mutable_data<T>();
  for_parts(parallel, p, p.length, sizeof(T), [&](const Part& part) {
    part.for_runs(p.places, [&](size_t run, size_t at) {
      const T* from = updates.data<T>() + run * p.length;
      for (size_t k = part.from; k < part.to; ++k) {
        const size_t place = at * p.length + k;
        if (from_data || met[place]) {
          to[place] = reduce(to[place], from[k]);
        } else {
          met[place] = 1;
          to[place] = from[k];
        }
      }
    });
  });
}

// Scatters in Wide numbers. `counts` holds the number of updates of each element.
template <typename Wide>
void scatter_wide(const Parallel& parallel, ScatterReduction reduction, bool from_data,
                  const ScatterPlaces& p, const TensorView& updates, TensorView& output, Wide* sums,
                  uint32_t* counts) {
  const kernels::LoadNumbers<Wide> load = kernels::number_loader<Wide>(output.type);
  const kernels::StoreNumbers<Wide> store = kernels::number_storer<Wide>(output.type);
  const size_t elements = output.size();
  std::fill_n(counts, elements, 0);
  for_parts(parallel, p, p.length, storage_bytes(output.type, 1), [&](const Part& part) {
    part.for_runs(p.places, [&](size_t run, size_t at) {
      for (size_t k = part.from; k < part.to; ++k) {
        const size_t place = at * p.length + k;
        Wide update;
        load(updates.memory, run * p.length + k, 1, 1, &update);
        if (counts[place]++ > 0) {
          sums[place] = reduce_pair(reduction, sums[place], update);
        } else if (from_data) {
          Wide own;
          load(output.memory, place, 1, 1, &own);
          sums[place] = reduce_pair(reduction, own, update);
        } else {
          sums[place] = update;
        }
      }
    });
  });
  parallel_for(parallel, elements, kGrain, [&](size_t begin, size_t end) {
    for (size_t place = begin; place < end; ++place) {
      if (counts[place] == 0) continue;
      Wide result = sums[place];
      if (reduction == ScatterReduction::kMean) {
        const Wide count = static_cast<Wide>(counts[place] + (from_data ? 1 : 0));
        if constexpr (std::is_integral_v<Wide>) {
          // Rounds towards negative infinity.
          const bool below = result < 0 && result % count != 0;
          result = result / count - (below ? 1 : 0);
        } else {
          result /= count;
        }
      }
      store(&result, 1, output.memory, place, 1);
    }
  });
}

}  // namespace

CheckedSize scatter_scratch_bytes(ElementType type, ScatterReduction reduction, size_t elements,
                                  size_t runs) {
  const size_t each = is_scattered_wide(type, reduction)     ? sizeof(int64_t) + sizeof(uint32_t)
                      : reduction == ScatterReduction::kNone ? 0
                                                             : sizeof(uint8_t);
  return (CheckedSize(runs) + 1) * sizeof(int64_t) + CheckedSize(elements) * each;
}

void copy_to_output(const Parallel& parallel, const TensorView& data, TensorView& output) {
  if (data.memory == output.memory) return;
  if (data.type == ElementType::kString) return copy_elements(data, output);
  parallel_for(parallel, data.byte_size(), kCopyGrain, [&](size_t begin, size_t end) {
    std::memcpy(output.mutable_data<char>() + begin, data.data<char>() + begin, end - begin);
  });
}

void scatter(const Parallel& parallel, ScatterReduction reduction, bool from_data, const ScatterPlaces& p,
             const TensorView& updates, TensorView& output, void* scratch) {
  const ElementType type = output.type;
  if (reduction == ScatterReduction::kNone) {
    const kernels::ElementRuns moves(type, p.length);
    const size_t bytes = moves.bytes();
    if (type == ElementType::kString || bytes == 0) {
      for (size_t i = 0; i < p.runs; ++i) moves.copy(updates.memory, i, output.memory, p.places[i]);
      return;
    }
    for_parts(parallel, p, bytes, 1, [&](const Part& part) {
      const char* from = updates.data<char>() + part.from;
      char* to = output.mutable_data<char>() + part.from;
      const size_t size = part.to - part.from;
      part.for_runs(p.places, [&](size_t run, size_t place) {
        if (size == 4) {
          std::memcpy(to + place * bytes, from + run * bytes, 4);
        } else {
          std::memcpy(to + place * bytes, from + run * bytes, size);
        }
      });
    });
    return;
  }
  const size_t elements = output.size();
  if (is_scattered_wide(type, reduction)) {
    uint32_t* counts = reinterpret_cast<uint32_t*>(static_cast<char*>(scratch) + elements * sizeof(int64_t));
    if (is_real(type)) {
      scatter_wide(parallel, reduction, from_data, p, updates, output, static_cast<double*>(scratch), counts);
    } else if (type == ElementType::kU64) {
      scatter_wide(parallel, reduction, from_data, p, updates, output, static_cast<uint64_t*>(scratch),
                   counts);
    } else {
      scatter_wide(parallel, reduction, from_data, p, updates, output, static_cast<int64_t*>(scratch),
                   counts);
    }
    return;
  }
  uint8_t* met = static_cast<uint8_t*>(scratch);
  if (!from_data) std::fill_n(met, elements, 0);
  if (type == ElementType::kBoolean) {
    const auto reduce = [reduction](uint8_t a, uint8_t b) { return reduce_boolean(reduction, a, b); };
    return scatter_narrow<uint8_t>(parallel, reduce, from_data, p, updates, output, met);
  }
  with_numeric(type, [&]<typename T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto reduce = [reduction](T a, T b) { return reduce_pair<T>(reduction, a, b); };
      scatter_narrow<T>(parallel, reduce, from_data, p, updates, output, met);
    }
  });
}

}  // namespace wasmvino::ops
