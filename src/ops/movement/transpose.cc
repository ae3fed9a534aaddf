// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/transpose.h"

#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::transpose {

static bool is_identity(const Ints& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return !order.empty();
}

void Transpose::infer(InferContext& context) const {
  context.expect_inputs(2);
  const PartialShape& input = context.input_shape(0);
  const std::optional<size_t> length = length_of(context, 1);
  if (input.has_rank() && length && *length != 0 && *length != input.rank()) {
    throw Error(ErrorCode::kInvalidShape, cat("order has ", *length, " elements, but data has shape ", input))
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

std::optional<Source> Transpose::simplify(const Node& node, Model& model) const {
  const std::optional<Ints> order = constant_ints(node.inputs[1]);
  if (!order || order->empty()) return std::nullopt;
  if (is_identity(*order)) return node.inputs[0];
  // Output axis i is axis order[i] of the inner Transpose's output.
  const Node& inner = *node.inputs[0].node;
  if (op_cast<Transpose>(inner.op.get()) == nullptr) return std::nullopt;
  const std::optional<Ints> inner_order = constant_ints(inner.inputs[1]);
  if (!inner_order || inner_order->size() != order->size()) return std::nullopt;
  Ints both;
  for (const int64_t axis : *order) both.push_back((*inner_order)[static_cast<size_t>(axis)]);
  if (is_identity(both)) return inner.inputs[0];
  const Source constant = model.add_ints(node.name + "/order", both);
  return Source{model.add(remade(node, node.op, {inner.inputs[0], constant})), 0};
}

std::optional<ChannelsLastForm> Transpose::channels_last_form(const Node& node) const {
  const std::optional<Ints> order = constant_ints(node.inputs[1]);
  const PartialShape& data = shape_of(node.inputs[0]);
  if (!order || !has_spatial_axes(data) || order->size() != data.rank()) return std::nullopt;
  ChannelsLastForm form(2);
  form.take(0);
  form.replace(1, channels_last_axes(*order, data.rank()));
  form.outputs_channels_last = false;
  return form;
}

StridedCopy Transpose::plan(const CompileContext& context) const {
  const Shape shape = context.input_shape(0);
  const Shape output = context.output_shape(0);
  const Ints strides = row_major_strides(shape);
  Ints from_strides;
  for (const int64_t axis : normalized(*context.constant_ints(1), shape.size())) {
    from_strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  return StridedCopy(context.output_type(0), output, from_strides, row_major_strides(output));
}

Ints Transpose::normalized(const Ints& order, size_t rank) {
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

}  // namespace wasmvino::ops::transpose

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(transpose) {
  registry.add<transpose::Transpose>(
      {"Transpose", {1}, "movement/transpose-1", {{"data", kAllTypes}, {"order", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
