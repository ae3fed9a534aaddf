// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/concat.h"

#include <limits>
#include <vector>

#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::concat {

namespace {

struct Copies final : Kernel {
  std::vector<StridedCopy> copies;
  std::vector<size_t> places;

  void run(EvalContext& context) override {
    char* output = context.output(0).mutable_data<char>();
    for (size_t i = 0; i < copies.size(); ++i) {
      const void* input = context.input(i).memory;
      if (!places.empty() && input == output + places[i]) continue;  // the input was produced in place
      copies[i].run(context.parallel(), input, output);
    }
  }
};

}  // namespace

void Concat::infer(InferContext& context) const {
  context.expect_inputs(1, std::numeric_limits<size_t>::max());
  ElementType type = context.input_type(0);
  PartialShape output;
  Dimension along = 0;
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (type == ElementType::kDynamic) type = context.input_type(i);
    PartialShape shape = context.input_shape(i);
    if (!shape.has_rank()) {
      along = along + Dimension();
      continue;
    }
    const size_t axis = normalize_axis(attributes_.axis, shape.rank(), "attribute 'axis'");
    along = along + shape[axis];
    shape[axis] = Dimension();
    const auto merged = output.merge(shape);
    if (!merged) {
      throw Error(ErrorCode::kInvalidShape, cat("input ", i, " has shape ", context.input_shape(i),
                                                ", expected ", output, " like the inputs before it"))
          .expected(cat(output))
          .actual(cat(context.input_shape(i)))
          .port(cat("input ", i));
    }
    output = *merged;
  }
  if (output.has_rank()) output[normalize_axis(attributes_.axis, output.rank())] = along;
  context.set_output(0, type, output);
  // Of inputs that are quantised, a pass has combined the quantisations.
  context.set_quantization(0, context.node().outputs[0].quantization);
}

std::unique_ptr<Kernel> Concat::compile(CompileContext& context) const {
  auto kernel = std::make_unique<Copies>();
  const Shape output = context.output_shape(0);
  const size_t axis = normalize_axis(attributes_.axis, output.size());
  const Ints to_strides = row_major_strides(output);
  int64_t begin = 0;
  for (size_t i = 0; i < context.input_count(); ++i) {
    const Shape shape = context.input_shape(i);
    kernel->copies.emplace_back(context.output_type(0), shape, row_major_strides(shape), to_strides, 0,
                                begin * to_strides[axis]);
    begin += shape[axis];
  }
  kernel->places = places_of_inputs(context);
  return kernel;
}

std::optional<ChannelsLastForm> Concat::channels_last_form(const Node& node) const {
  const PartialShape& output = node.outputs[0].shape;
  if (!has_spatial_axes(output)) return std::nullopt;
  ChannelsLastForm form(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) form.take(i);
  auto op = std::make_shared<Concat>(*this);
  op->attributes_.axis = channels_last_axis(attributes_.axis, output.rank());
  form.op = std::move(op);
  return form;
}

std::vector<size_t> Concat::places_of_inputs(const CompileContext& context) const {
  const Shape output = context.output_shape(0);
  const size_t axis = normalize_axis(attributes_.axis, output.size());
  const ElementType type = context.output_type(0);
  // Sub-byte elements of two inputs may share a byte.
  if (product(output, 0, axis) != 1 || is_sub_byte(type)) return {};
  const size_t inner = product(output, axis + 1, output.size());
  std::vector<size_t> places;
  size_t begin = 0;
  for (size_t i = 0; i < context.input_count(); ++i) {
    places.push_back(storage_bytes(type, begin * inner));
    begin += static_cast<size_t>(context.input_shape(i)[axis]);
  }
  return places;
}

}  // namespace wasmvino::ops::concat

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(concat) {
  registry.add<concat::Concat>({"Concat", {1}, "movement/concat-1", {{"input", kAllTypes, 0, true}}});
}
}  // namespace wasmvino::ops
