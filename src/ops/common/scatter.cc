// SPDX-License-Identifier: Apache-2.0
#include "ops/common/scatter.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ops/common/dispatch.h"
#include "ops/common/element_runs.h"
#include "ops/common/numbers.h"

namespace wasmvino::ops {
namespace {

// f16 and bf16 would lose small updates, and a mean needs the sum and the count: these are reduced in wide
// numbers.
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
void scatter_narrow(const Reduce& reduce, bool from_data, const size_t* places, size_t runs, size_t length,
                    const TensorView& updates, TensorView& output, uint8_t* met) {
  T* to = output.mutable_data<T>();
  const T* from = updates.data<T>();
  for (size_t i = 0; i < runs; ++i) {
    for (size_t k = 0; k < length; ++k, ++from) {
      const size_t place = places[i] * length + k;
      if (from_data || met[place]) {
        to[place] = reduce(to[place], *from);
      } else {
        met[place] = 1;
        to[place] = *from;
      }
    }
  }
}

// In Wide numbers; `counts` are the updates of each element.
template <typename Wide>
void scatter_wide(ScatterReduction reduction, bool from_data, const size_t* places, size_t runs,
                  size_t length, const TensorView& updates, TensorView& output, Wide* sums,
                  uint32_t* counts) {
  const LoadNumbers<Wide> load = number_loader<Wide>(output.type);
  const StoreNumbers<Wide> store = number_storer<Wide>(output.type);
  const size_t elements = output.size();
  std::fill_n(counts, elements, 0);
  for (size_t i = 0; i < runs; ++i) {
    for (size_t k = 0; k < length; ++k) {
      const size_t place = places[i] * length + k;
      Wide update;
      load(updates.memory, i * length + k, 1, 1, &update);
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
  }
  for (size_t place = 0; place < elements; ++place) {
    if (counts[place] == 0) continue;
    Wide result = sums[place];
    if (reduction == ScatterReduction::kMean) {
      const Wide count = static_cast<Wide>(counts[place] + (from_data ? 1 : 0));
      if constexpr (std::is_integral_v<Wide>) {
        // Rounded towards negative infinity.
        const bool below = result < 0 && result % count != 0;
        result = result / count - (below ? 1 : 0);
      } else {
        result /= count;
      }
    }
    store(&result, 1, output.memory, place, 1);
  }
}

}  // namespace

size_t scatter_scratch_bytes(ElementType type, ScatterReduction reduction, size_t elements, size_t runs) {
  const size_t each = is_scattered_wide(type, reduction)     ? sizeof(int64_t) + sizeof(uint32_t)
                      : reduction == ScatterReduction::kNone ? 0
                                                             : sizeof(uint8_t);
  return (runs + 1) * sizeof(int64_t) + elements * each;
}

void copy_to_output(const TensorView& data, TensorView& output) {
  if (data.memory != output.memory) copy_elements(data, output);
}

void scatter(ScatterReduction reduction, bool from_data, const size_t* places, size_t runs, size_t length,
             const TensorView& updates, TensorView& output, void* scratch) {
  const ElementType type = output.type;
  if (reduction == ScatterReduction::kNone) {
    const ElementRuns moves(type, length);
    for (size_t i = 0; i < runs; ++i) moves.copy(updates.memory, i, output.memory, places[i]);
    return;
  }
  const size_t elements = output.size();
  if (is_scattered_wide(type, reduction)) {
    uint32_t* counts = reinterpret_cast<uint32_t*>(static_cast<char*>(scratch) + elements * sizeof(int64_t));
    if (is_real(type)) {
      scatter_wide(reduction, from_data, places, runs, length, updates, output, static_cast<double*>(scratch),
                   counts);
    } else if (type == ElementType::kU64) {
      scatter_wide(reduction, from_data, places, runs, length, updates, output,
                   static_cast<uint64_t*>(scratch), counts);
    } else {
      scatter_wide(reduction, from_data, places, runs, length, updates, output,
                   static_cast<int64_t*>(scratch), counts);
    }
    return;
  }
  uint8_t* met = static_cast<uint8_t*>(scratch);
  if (!from_data) std::fill_n(met, elements, 0);
  if (type == ElementType::kBoolean) {
    const auto reduce = [reduction](uint8_t a, uint8_t b) { return reduce_boolean(reduction, a, b); };
    return scatter_narrow<uint8_t>(reduce, from_data, places, runs, length, updates, output, met);
  }
  with_numeric(type, [&]<typename T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto reduce = [reduction](T a, T b) { return reduce_pair<T>(reduction, a, b); };
      scatter_narrow<T>(reduce, from_data, places, runs, length, updates, output, met);
    }
  });
}

}  // namespace wasmvino::ops
