// SPDX-License-Identifier: Apache-2.0
// Unique: the distinct elements, or slices along an axis; their first indices, the inverse mapping, and their
// counts.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/unique-10.html
#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "core/dispatch.h"
#include "core/nan.h"
#include "core/packed_bits.h"
#include "core/sort.h"
#include "kernels/element_runs.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::unique {

// Keys are unsigned integers in the order of the elements, so that one comparison serves all types.
constexpr uint64_t kSign = uint64_t{1} << 63;
constexpr uint64_t kNan = ~uint64_t{0};  // after all others, and equal to none

// Grain: elements in about 10 µs of work.
constexpr size_t kGrain = size_t{1} << 13;

uint64_t key_of(double value) {
  if (is_nan(value)) return kNan;
  uint64_t bits;
  value += 0.0;  // -0 becomes 0
  std::memcpy(&bits, &value, sizeof(bits));
  return bits & kSign ? ~bits : bits | kSign;
}

// The key of a string is its rank.
void load_string_keys(const Parallel& parallel, const std::string* strings, size_t count, uint64_t* keys,
                      uint32_t* order) {
  std::iota(order, order + count, 0u);
  sort_all(parallel, order, order + count,
           [strings](uint32_t a, uint32_t b) { return strings[a] < strings[b]; });
  uint64_t rank = 0;
  for (size_t i = 0; i < count; ++i) {
    rank += i > 0 && strings[order[i - 1]] != strings[order[i]];
    keys[order[i]] = rank;
  }
}

// Loads the keys of elements [first, first + count).
void load_number_keys(const TensorView& data, size_t first, size_t count, uint64_t* keys) {
  const ElementType type = data.type;
  if (is_sub_byte(type) || (is_real(type) && bit_width(type) == 8)) {
    for (size_t i = 0; i < count; ++i) {
      keys[i] = key_of(decode_bits(type, load_bits(type, data.memory, first + i)));
    }
  } else if (is_real(type)) {
    double* numbers = reinterpret_cast<double*>(keys);
    kernels::number_loader<double>(type)(data.memory, first, 1, count, numbers);
    for (size_t i = 0; i < count; ++i) keys[i] = key_of(numbers[i]);
  } else if (type == ElementType::kU64) {
    kernels::number_loader<uint64_t>(type)(data.memory, first, 1, count, keys);
  } else {
    kernels::number_loader<int64_t>(type)(data.memory, first, 1, count, reinterpret_cast<int64_t*>(keys));
    for (size_t i = 0; i < count; ++i) keys[i] ^= kSign;
  }
}

void load_keys(const Parallel& parallel, const TensorView& data, uint64_t* keys, uint32_t* order) {
  if (data.type == ElementType::kString) {
    load_string_keys(parallel, data.data<std::string>(), data.size(), keys, order);
  } else {
    parallel_for(parallel, data.size(), kGrain,
                 [&](size_t begin, size_t end) { load_number_keys(data, begin, end - begin, keys + begin); });
  }
}

// data is [outer, items, inner]; an item is a slice of the middle axis.
struct Sizes {
  size_t outer, items, inner;
};

class Finding final : public Kernel {
 public:
  Finding(const Sizes& sizes, bool sorted, std::optional<size_t> axis, const CompileContext& context)
      : sizes_(sizes), sorted_(sorted), axis_(axis) {
    for (size_t i = 0; i < 4; ++i) open_[i] = !context.has_output_shape(i);
  }

  static CheckedSize scratch_bytes(const Sizes& sizes) {
    const CheckedSize elements = CheckedSize(sizes.outer) * sizes.items * sizes.inner;
    return elements * (sizeof(uint64_t) + sizeof(uint32_t)) +
           CheckedSize(sizes.items) * (4 * sizeof(uint32_t));
  }

  void run(EvalContext& context) override {
    const TensorView& data = context.input(0);
    const size_t elements = data.size();
    uint64_t* keys = static_cast<uint64_t*>(context.scratch());
    uint32_t* element_order = reinterpret_cast<uint32_t*>(keys + elements);
    uint32_t* order = element_order + elements;    // items in the order of their keys
    uint32_t* group_of = order + sizes_.items;     // by item
    uint32_t* first_of = group_of + sizes_.items;  // by group: its first item
    uint32_t* rank_of = first_of + sizes_.items;   // by group: its index in the output
    const Parallel& parallel = context.parallel();
    load_keys(parallel, data, keys, element_order);
    const size_t groups = group(parallel, keys, order, group_of, first_of);
    rank(parallel, groups, order, first_of, rank_of);
    write(context, groups, group_of, first_of, rank_of);
  }

 private:
  // -1, 0 or 1 if item a comes before b, equals it or comes after it. If NaN meets NaN, the items' indices
  // decide.
  int compare(const uint64_t* keys, uint32_t a, uint32_t b) const {
    for (size_t outer = 0; outer < sizes_.outer; ++outer) {
      const uint64_t* row = keys + outer * sizes_.items * sizes_.inner;
      for (size_t inner = 0; inner < sizes_.inner; ++inner) {
        const uint64_t x = row[a * sizes_.inner + inner];
        const uint64_t y = row[b * sizes_.inner + inner];
        if (x != y) return x < y ? -1 : 1;
        if (x == kNan) return a < b ? -1 : a > b;
      }
    }
    return 0;
  }

  // Numbers the groups of equal items in the order of their keys.
  size_t group(const Parallel& parallel, const uint64_t* keys, uint32_t* order, uint32_t* group_of,
               uint32_t* first_of) const {
    std::iota(order, order + sizes_.items, 0u);
    sort_all(parallel, order, order + sizes_.items, [&](uint32_t a, uint32_t b) {
      const int compared = compare(keys, a, b);
      return compared != 0 ? compared < 0 : a < b;
    });
    size_t groups = 0;
    for (size_t i = 0; i < sizes_.items; ++i) {
      if (i == 0 || compare(keys, order[i - 1], order[i]) != 0) first_of[groups++] = order[i];
      group_of[order[i]] = static_cast<uint32_t>(groups - 1);
    }
    return groups;
  }

  // Ranks the groups in the order of their keys, or of their first items.
  void rank(const Parallel& parallel, size_t groups, uint32_t* order, const uint32_t* first_of,
            uint32_t* rank_of) const {
    std::iota(order, order + groups, 0u);
    if (!sorted_) {
      sort_all(parallel, order, order + groups,
               [first_of](uint32_t a, uint32_t b) { return first_of[a] < first_of[b]; });
    }
    for (size_t i = 0; i < groups; ++i) rank_of[order[i]] = static_cast<uint32_t>(i);
  }

  void write(EvalContext& context, size_t groups, const uint32_t* group_of, const uint32_t* first_of,
             const uint32_t* rank_of) const {
    const int64_t count = static_cast<int64_t>(groups);
    Shape shape = {count};
    if (axis_) {
      shape = context.input(0).shape;
      shape[*axis_] = count;
    }
    for (size_t i = 0; i < 4; ++i) {
      if (open_[i]) context.set_output_shape(i, i == 0 ? shape : Shape{count});
    }
    const kernels::ElementRuns runs(context.input(0).type, sizes_.inner);
    for (size_t outer = 0; outer < sizes_.outer; ++outer) {
      for (size_t g = 0; g < groups; ++g) {
        runs.copy(context.input(0).memory, outer * sizes_.items + first_of[g], context.output(0).memory,
                  outer * groups + rank_of[g]);
      }
    }
    with_index(context.output(1).type, [&]<typename T>() {
      T* first = context.output(1).mutable_data<T>();
      for (size_t g = 0; g < groups; ++g) first[rank_of[g]] = static_cast<T>(first_of[g]);
      T* inverse = context.output(2).mutable_data<T>();
      for (size_t i = 0; i < sizes_.items; ++i) inverse[i] = static_cast<T>(rank_of[group_of[i]]);
    });
    with_index(context.output(3).type, [&]<typename T>() {
      T* counts = context.output(3).mutable_data<T>();
      std::fill_n(counts, groups, T(0));
      for (size_t i = 0; i < sizes_.items; ++i) ++counts[rank_of[group_of[i]]];
    });
  }

  Sizes sizes_;
  bool sorted_;
  std::optional<size_t> axis_;
  bool open_[4];  // outputs whose shapes do not follow from the input's shape
};

class Unique final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("sorted", sorted_);
    visitor.on("index_element_type", index_type_);
    visitor.on("count_element_type", count_type_);
  }

  size_t least_outputs() const override { return 4; }
  void infer(InferContext& context) const override {
    context.expect_inputs(1, 2);
    for (const auto& [name, type] :
         {std::pair("index_element_type", index_type_), {"count_element_type", count_type_}}) {
      if (type != ElementType::kI64 && type != ElementType::kI32) {
        fail(ErrorCode::kInvalidModel, "attribute '", name, "' is ", type, ", expected i32 or i64");
      }
    }
    const PartialShape& data = context.input_shape(0);
    const bool flat = context.input_count() == 1;
    const std::optional<int64_t> given = flat ? std::nullopt : known_int(context, 1, "axis");
    Dimension items;
    PartialShape values = flat ? PartialShape::of_rank(1) : PartialShape();
    if (data.has_rank() && flat) {
      items = 1;
      for (const Dimension size : data) items = items * size;
      values = {some(items)};
    } else if (data.has_rank() && given) {
      const size_t axis = normalize_axis(*given, data.rank());
      items = data[axis];
      values = data;
      values[axis] = some(items);
    } else if (data.has_rank()) {
      values = PartialShape::of_rank(data.rank());
    }
    context.set_output(0, context.input_type(0), values);
    context.set_output(1, index_type_, {some(items)});
    context.set_output(2, index_type_, {items});
    context.set_output(3, count_type_, {some(items)});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape data = context.input_shape(0);
    Sizes sizes{1, element_count(data), 1};
    std::optional<size_t> axis;
    if (context.input_count() == 2) {
      axis = normalize_axis(context.constant_ints(1)->front(), data.size());
      sizes = {product(data, 0, *axis), static_cast<size_t>(data[*axis]),
               product(data, *axis + 1, data.size())};
    }
    if (sizes.items > std::numeric_limits<uint32_t>::max()) {
      fail(ErrorCode::kUnsupported, "data ", data, " has more than 2^32 items");
    }
    context.request_scratch(Finding::scratch_bytes(sizes));
    return std::make_unique<Finding>(sizes, sorted_, axis, context);
  }

 private:
  // At most `items`, but at least one if there are any.
  static Dimension some(Dimension items) { return {items.min > 0 ? 1 : 0, items.max}; }

  bool sorted_ = true;
  ElementType index_type_ = ElementType::kI64;
  ElementType count_type_ = ElementType::kI64;
};

}  // namespace wasmvino::ops::unique

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(unique) {
  registry.add<unique::Unique>(
      {"Unique", {10}, "movement/unique-10", {{"data", kAllTypes}, {"axis", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
