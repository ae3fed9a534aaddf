// SPDX-License-Identifier: Apache-2.0
// SparseFillEmptyRows: adds an element with a default value to each empty row of a sparse matrix. The
// result's elements are in row-major order.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sparse/fill-empty-rows-16.html
#include <algorithm>
#include <numeric>

#include "core/dispatch.h"
#include "core/sort.h"
#include "kernels/element_runs.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops::sparse_fill_empty_rows {

enum Input { kValues, kDenseShape, kIndices, kDefaultValue };
enum Output { kOutputIndices, kOutputValues, kEmptyRows };

class Filling final : public Kernel {
 public:
  explicit Filling(const CompileContext& context) {
    for (size_t i = 0; i < 3; ++i) open_[i] = !context.has_output_shape(i);
  }

  static CheckedSize scratch_bytes(size_t elements) {
    return CheckedSize(elements) * (2 * sizeof(int64_t) + sizeof(uint32_t));
  }

  void run(EvalContext& context) override {
    const size_t count = context.input(kValues).size();
    const int64_t rows = load_integer(context.input(kDenseShape), 0);
    const int64_t columns = load_integer(context.input(kDenseShape), 1);
    int64_t* places = static_cast<int64_t*>(context.scratch());  // row and column of each element
    uint32_t* order = reinterpret_cast<uint32_t*>(places + 2 * count);
    load_integers(context.input(kIndices), 0, 2 * count, places);
    for (size_t i = 0; i < count; ++i) {
      check(i, "row", places[2 * i], rows);
      check(i, "column", places[2 * i + 1], columns);
    }
    std::iota(order, order + count, 0u);
    sort_all(context.parallel(), order, order + count, [places](uint32_t a, uint32_t b) {
      if (places[2 * a] != places[2 * b]) return places[2 * a] < places[2 * b];
      if (places[2 * a + 1] != places[2 * b + 1]) return places[2 * a + 1] < places[2 * b + 1];
      return a < b;
    });
    int64_t filled = rows;  // number of empty rows
    for (size_t i = 0; i < count; ++i) filled -= i == 0 || places[2 * order[i]] != places[2 * order[i - 1]];
    const int64_t total = static_cast<int64_t>(count) + filled;
    if (open_[kOutputIndices]) context.set_output_shape(kOutputIndices, {total, 2});
    if (open_[kOutputValues]) context.set_output_shape(kOutputValues, {total});
    if (open_[kEmptyRows]) context.set_output_shape(kEmptyRows, {rows});
    with_index(context.output(kOutputIndices).type, [&]<typename T>() {
      write(context, rows, places, order, context.output(kOutputIndices).mutable_data<T>());
    });
  }

 private:
  template <typename T>
  static void write(EvalContext& context, int64_t rows, const int64_t* places, const uint32_t* order,
                    T* indices) {
    const size_t count = context.input(kValues).size();
    const kernels::ElementRuns elements(context.input(kValues).type, 1);
    void* values = context.output(kOutputValues).memory;
    bool* empty = context.output(kEmptyRows).mutable_data<bool>();
    size_t from = 0;
    size_t to = 0;
    for (int64_t row = 0; row < rows; ++row) {
      empty[row] = from == count || places[2 * order[from]] != row;
      if (empty[row]) {
        elements.copy(context.input(kDefaultValue).memory, 0, values, to++);
        *indices++ = static_cast<T>(row);
        *indices++ = 0;
      }
      for (; from < count && places[2 * order[from]] == row; ++from) {
        elements.copy(context.input(kValues).memory, order[from], values, to++);
        *indices++ = static_cast<T>(row);
        *indices++ = static_cast<T>(places[2 * order[from] + 1]);
      }
    }
  }

  static void check(size_t i, const char* what, int64_t index, int64_t size) {
    if (index >= 0 && index < size) return;
    throw Error(ErrorCode::kInvalidValue,
                cat("pair ", i, " of indices is in ", what, " ", index, ", outside 0..", size - 1))
        .expected(cat("0..", size - 1))
        .actual(cat(index))
        .port("indices");
  }

  bool open_[3];
};

class SparseFillEmptyRows final : public Op {
 public:
  size_t least_outputs() const override { return 3; }
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    const ElementType type = context.common_type(kValues, kDefaultValue);
    const ElementType index_type = context.common_type(kDenseShape, kIndices);
    expect_rank(context, kValues, 1, 1, "values");
    expect_rank(context, kIndices, 2, 2, "indices");
    expect_rank(context, kDenseShape, 1, 1, "dense_shape");
    const PartialShape& values = context.input_shape(kValues);
    const PartialShape& indices = context.input_shape(kIndices);
    if (indices.has_rank() && !indices[1].contains(2)) {
      fail(ErrorCode::kInvalidShape, "indices have shape ", indices, ", expected pairs");
    }
    if (values.has_rank() && indices.has_rank() && !values[0].compatible(indices[0])) {
      fail(ErrorCode::kInvalidShape, "values have shape ", values, " and indices have shape ", indices,
           ": they differ on axis 0");
    }
    if (const std::optional<size_t> length = length_of(context, kDefaultValue); length && *length != 1) {
      fail(ErrorCode::kInvalidShape, "default_value has shape ", context.input_shape(kDefaultValue),
           ", expected a scalar");
    }
    if (const std::optional<size_t> length = length_of(context, kDenseShape); length && *length != 2) {
      fail(ErrorCode::kInvalidShape, "dense_shape has ", *length, " elements, expected 2");
    }
    Dimension rows;
    // The value is not requested: the shapes of the other outputs depend on all indices anyway.
    if (const TensorView* shape = context.known_value(kDenseShape)) {
      const int64_t size = load_integer(*shape, 0);
      if (size < 0) fail(ErrorCode::kInvalidValue, "dense_shape contains ", size, ", expected 0 or more");
      rows = size;
    }
    // Each empty row adds one element.
    const Dimension elements = values.has_rank() ? values[0] : Dimension();
    const Dimension total = {std::max(elements.min, rows.min), (elements + rows).max};
    context.set_output(kOutputIndices, index_type, {total, 2});
    context.set_output(kOutputValues, type, {total});
    context.set_output(kEmptyRows, ElementType::kBoolean, {rows});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    context.request_scratch(Filling::scratch_bytes(element_count(context.input_shape(kValues))));
    return std::make_unique<Filling>(context);
  }
};

}  // namespace wasmvino::ops::sparse_fill_empty_rows

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(sparse_fill_empty_rows) {
  registry.add<sparse_fill_empty_rows::SparseFillEmptyRows>({"SparseFillEmptyRows",
                                                             {16},
                                                             "sparse/fill-empty-rows-16",
                                                             {{"values", kAllTypes},
                                                              {"dense_shape", kIndices},
                                                              {"indices", kIndices, 1},
                                                              {"default_value", kAllTypes, 0}}});
}
}  // namespace wasmvino::ops
