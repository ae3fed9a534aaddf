// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/sorted_search.h"

#include <algorithm>
#include <type_traits>

#include "core/dispatch.h"
#include "core/nan.h"
#include "kernels/numbers.h"

namespace wasmvino::ops {
namespace {

// Values that are read and searched at a time.
constexpr size_t kBlock = 64;
constexpr size_t kGrain = size_t{1} << 12;

// The order of numpy.sort.
template <typename T>
bool less(T a, T b) {
  return a < b || (is_nan(b) && !is_nan(a));
}

// Reads numbers of any type as T.
template <typename T>
class Reader {
 public:
  explicit Reader(ElementType type) {
    if constexpr (std::is_floating_point_v<T>) {
      if (is_real(type)) {
        direct_ = kernels::number_loader<T>(type);
      } else if (type == ElementType::kU64) {
        unsigned_ = kernels::number_loader<uint64_t>(type);
      } else {
        signed_ = kernels::number_loader<int64_t>(type);
      }
    } else {
      direct_ = kernels::number_loader<T>(type);
    }
  }

  void read(const void* memory, size_t first, size_t count, T* to) const {
    if (direct_ != nullptr) return direct_(memory, first, 1, count, to);
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t size = std::min(kBlock, count - begin);
      if (signed_ != nullptr) {
        convert(signed_, memory, first + begin, size, to + begin);
      } else {
        convert(unsigned_, memory, first + begin, size, to + begin);
      }
    }
  }

 private:
  template <typename From>
  static void convert(kernels::LoadNumbers<From> load, const void* memory, size_t first, size_t count,
                      T* to) {
    From numbers[kBlock];
    load(memory, first, 1, count, numbers);
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<T>(numbers[i]);
  }

  kernels::LoadNumbers<T> direct_ = nullptr;
  kernels::LoadNumbers<int64_t> signed_ = nullptr;
  kernels::LoadNumbers<uint64_t> unsigned_ = nullptr;
};

template <typename T>
class SearchKernel final : public Kernel {
 public:
  SearchKernel(CompileContext& context, size_t rows, size_t values, bool after)
      : rows_input_(rows),
        values_input_(values),
        after_(after),
        rows_(context.input_type(rows)),
        values_(context.input_type(values)) {
    const Shape shape = context.input_shape(rows);
    elements_ = element_count(shape);
    length_ = static_cast<size_t>(shape.back());
    count_ = element_count(context.input_shape(values));
    const size_t row_count = length_ == 0 || shape.size() == 1 ? 1 : elements_ / length_;
    values_per_row_ = std::max<size_t>(1, count_ / row_count);
    context.request_scratch(CheckedSize(elements_) * sizeof(T));
  }

  void run(EvalContext& context) override {
    T* const rows = static_cast<T*>(context.scratch());
    rows_.read(context.input(rows_input_).memory, 0, elements_, rows);
    TensorView& result = context.output(0);
    parallel_for(context.parallel(), count_, kGrain, [&](size_t begin, size_t end) {
      T values[kBlock];
      for (size_t first = begin; first < end; first += kBlock) {
        const size_t size = std::min(kBlock, end - first);
        values_.read(context.input(values_input_).memory, first, size, values);
        with_index(result.type, [&]<typename Index>() {
          for (size_t i = 0; i < size; ++i) {
            result.mutable_data<Index>()[first + i] =
                static_cast<Index>(place(rows + (first + i) / values_per_row_ * length_, values[i]));
          }
        });
      }
    });
  }

 private:
  size_t place(const T* row, T value) const {
    const T* const found = after_ ? std::upper_bound(row, row + length_, value, less<T>)
                                  : std::lower_bound(row, row + length_, value, less<T>);
    return static_cast<size_t>(found - row);
  }

  size_t rows_input_, values_input_;
  bool after_;
  Reader<T> rows_, values_;
  size_t elements_, length_, count_, values_per_row_;
};

}  // namespace

std::unique_ptr<Kernel> compile_sorted_search(CompileContext& context, size_t rows, size_t values,
                                              bool after) {
  const ElementType a = context.input_type(rows), b = context.input_type(values);
  const bool a_unsigned = a == ElementType::kU64, b_unsigned = b == ElementType::kU64;
  if (is_real(a) || is_real(b) || a_unsigned != b_unsigned) {
    return std::make_unique<SearchKernel<double>>(context, rows, values, after);
  }
  if (a_unsigned) return std::make_unique<SearchKernel<uint64_t>>(context, rows, values, after);
  return std::make_unique<SearchKernel<int64_t>>(context, rows, values, after);
}

}  // namespace wasmvino::ops
