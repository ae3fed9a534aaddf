// SPDX-License-Identifier: Apache-2.0
// Transpose: axes in another order; an empty order reverses them.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/transpose-1.html
#include "model/registry.h"
#include "ops/common/axes.h"
#include "ops/common/inputs.h"
#include "ops/common/strided_copy.h"

namespace wasmvino::ops::transpose {

class Transpose final : public CopyOp {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const PartialShape& input = context.input_shape(0);
    const std::optional<size_t> length = length_of(context, 1);
    if (input.has_rank() && length && *length != 0 && *length != input.rank()) {
      throw Error(ErrorCode::kInvalidShape, cat("order has ", *length, " elements, data shape ", input))
          .expected(cat(input.rank(), " elements"))
          .actual(cat(*length, " elements"))
          .port("order");
    }
    const std::optional<Ints> order = known_ints(context, 1, "order");
    if (!order) {
      const bool ranked = input.has_rank() || (length && *length != 0);
      context.set_output(
          0, context.input_type(0),
          ranked ? PartialShape::of_rank(input.has_rank() ? input.rank() : *length) : PartialShape());
      return;
    }
    if (!input.has_rank()) {
      context.set_output(0, context.input_type(0),
                         order->empty() ? PartialShape() : PartialShape::of_rank(order->size()));
      return;
    }
    PartialShape output = PartialShape::of_rank(0);
    for (const int64_t axis : normalized(*order, input.rank()))
      output.push_back(input[static_cast<size_t>(axis)]);
    context.set_output(0, context.input_type(0), output);
  }

 protected:
  StridedCopy plan(const CompileContext& context) const override {
    const Shape shape = context.input_shape(0);
    const Shape output = context.output_shape(0);
    const Ints strides = row_major_strides(shape);
    Ints from_strides;
    for (const int64_t axis : normalized(*context.constant_ints(1), shape.size())) {
      from_strides.push_back(strides[static_cast<size_t>(axis)]);
    }
    return StridedCopy(context.output_type(0), output, from_strides, row_major_strides(output));
  }

 private:
  // The order as axes 0..rank-1, each once.
  static Ints normalized(const Ints& order, size_t rank) {
    Ints axes;
    if (order.empty()) {
      for (size_t axis = rank; axis-- > 0;) axes.push_back(static_cast<int64_t>(axis));
      return axes;
    }
    axes = order;
    Ints seen(rank);
    for (const int64_t axis : axes) {
      if (axis < 0 || axis >= static_cast<int64_t>(rank) || seen[static_cast<size_t>(axis)]++ != 0) {
        throw Error(ErrorCode::kInvalidValue,
                    cat("order ", to_string(order), " is not a permutation of ", rank, " axes"))
            .expected(cat("each of 0..", static_cast<int64_t>(rank) - 1, " once"))
            .actual(to_string(order))
            .port("order");
      }
    }
    return axes;
  }
};

}  // namespace wasmvino::ops::transpose

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(transpose) {
  registry.add<transpose::Transpose>(
      {"Transpose", {1}, "movement/transpose-1", {{"data", kAllTypes}, {"order", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
