// SPDX-License-Identifier: Apache-2.0
// Eye: ones on a diagonal, zeros elsewhere.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/generation/eye-9.html
#include <algorithm>

#include "core/packed_bits.h"
#include "kernels/element_runs.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::eye {

class Eye final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("output_type");
    visitor.on("output_type", output_type_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3, 4);
    if (output_type_ == ElementType::kString || output_type_ == ElementType::kDynamic) {
      fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", output_type_,
           ", expected a numeric type");
    }
    const std::optional<int64_t> rows = known_int(context, 0, "num_rows");
    const std::optional<int64_t> columns = known_int(context, 1, "num_columns");
    expect_single(context, 2, "diagonal_index");
    std::optional<Ints> batch = Ints();
    if (context.input_count() == 4) batch = known_ints(context, 3, "batch_shape");
    PartialShape output = PartialShape::of_rank(0);
    if (batch) {
      for (const int64_t size : *batch) output.push_back(checked(size, "batch_shape"));
    } else if (const std::optional<size_t> length = length_of(context, 3)) {
      output = PartialShape::of_rank(*length);
    } else {
      output = PartialShape();
    }
    if (output.has_rank()) {
      output.push_back(rows ? Dimension(checked(*rows, "num_rows")) : Dimension());
      output.push_back(columns ? Dimension(checked(*columns, "num_columns")) : Dimension());
    }
    context.set_output(0, output_type_, output);
  }

  void evaluate(EvalContext& context) const override {
    TensorView& output = context.output(0);
    const size_t elements = output.size();
    kernels::fill_elements(output.type, nullptr, output.memory, 0, elements);
    if (elements == 0) return;
    const int64_t rows = output.shape[output.shape.size() - 2];
    const int64_t columns = output.shape.back();
    // Diagonals outside the matrix are all the same: they have no elements.
    const int64_t diagonal = std::clamp(load_integer(context.input(2), 0), -rows, columns);
    alignas(8) char one[8] = {};
    write_one(output.type, one);
    const kernels::ElementRuns runs(output.type, 1);
    const size_t matrix = static_cast<size_t>(rows * columns);
    for (size_t first = 0; first < elements; first += matrix) {
      for (int64_t row = std::max<int64_t>(0, -diagonal); row < rows && row + diagonal < columns; ++row) {
        runs.copy(one, 0, output.memory, first + static_cast<size_t>(row * columns + row + diagonal));
      }
    }
  }

  std::shared_ptr<Op> with_f32_results() const override {
    if (!is_half_precision(output_type_)) return nullptr;
    auto op = std::make_shared<Eye>(*this);
    op->output_type_ = ElementType::kF32;
    return op;
  }

 private:
  static int64_t checked(int64_t size, const char* what) {
    if (size >= 0) return size;
    throw Error(ErrorCode::kInvalidValue, cat(what, " has value ", size, ", expected 0 or more"))
        .expected("0 or more")
        .actual(cat(size))
        .port(what);
  }

  static void write_one(ElementType type, void* memory) {
    if (is_sub_byte(type) || (is_real(type) && bit_width(type) == 8)) {
      store_bits(type, memory, 0, encode_bits(type, 1.0f));
    } else if (is_real(type)) {
      const double one = 1;
      kernels::number_storer<double>(type)(&one, 1, memory, 0, 1);
    } else if (type == ElementType::kU64) {
      const uint64_t one = 1;
      kernels::number_storer<uint64_t>(type)(&one, 1, memory, 0, 1);
    } else {
      const int64_t one = 1;
      kernels::number_storer<int64_t>(type)(&one, 1, memory, 0, 1);
    }
  }

  ElementType output_type_ = ElementType::kDynamic;
};

}  // namespace wasmvino::ops::eye

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(eye) {
  registry.add<eye::Eye>({"Eye",
                          {9},
                          "generation/eye-9",
                          {{"num_rows", kAnyIntegers},
                           {"num_columns", kAnyIntegers},
                           {"diagonal_index", kAnyIntegers},
                           {"batch_shape", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
