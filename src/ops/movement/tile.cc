// SPDX-License-Identifier: Apache-2.0
// Tile: repeats the whole tensor along each axis.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/tile-1.html
#include <algorithm>

#include "model/registry.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::tile {

class Tile final : public CopyOp {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 1, 1, 1, "repeats");
    const PartialShape& input = context.input_shape(0);
    const std::optional<Ints> repeats = known_ints(context, 1, "repeats");
    const std::optional<size_t> length = length_of(context, 1);
    PartialShape output;
    if (input.has_rank() && repeats) {
      output = aligned(input, std::max(input.rank(), repeats->size()));
      const size_t skip = output.rank() - repeats->size();
      // Negative repeats count as 0, as in OpenVINO.
      for (size_t i = 0; i < repeats->size(); ++i) {
        output[skip + i] = output[skip + i] * Dimension(std::max<int64_t>(0, (*repeats)[i]));
      }
    } else if (input.has_rank() && length) {
      output = PartialShape::of_rank(std::max(input.rank(), *length));
    }
    context.set_output(0, context.input_type(0), output);
  }

 protected:
  StridedCopy plan(const CompileContext& context) const override {
    // Each axis of the output becomes two: the repetitions, and the input's own axis.
    const Shape input = context.input_shape(0);
    const Shape output = context.output_shape(0);
    const Ints strides = row_major_strides(input);
    const Ints output_strides = row_major_strides(output);
    const size_t skip = output.size() - input.size();
    Shape shape;
    Ints from_strides, to_strides;
    for (size_t axis = 0; axis < output.size(); ++axis) {
      const int64_t size = axis < skip ? 1 : input[axis - skip];
      shape.push_back(size == 0 ? 0 : output[axis] / size);
      from_strides.push_back(0);
      to_strides.push_back(output_strides[axis] * size);
      shape.push_back(size);
      from_strides.push_back(axis < skip ? 0 : strides[axis - skip]);
      to_strides.push_back(output_strides[axis]);
    }
    return StridedCopy(context.output_type(0), shape, from_strides, to_strides);
  }

 private:
  // The shape with leading axes of size 1, up to the rank.
  static PartialShape aligned(const PartialShape& shape, size_t rank) {
    PartialShape result = PartialShape::of_rank(rank);
    const size_t skip = rank - shape.rank();
    for (size_t axis = 0; axis < rank; ++axis) result[axis] = axis < skip ? Dimension(1) : shape[axis - skip];
    return result;
  }
};

}  // namespace wasmvino::ops::tile

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(tile) {
  registry.add<tile::Tile>(
      {"Tile", {1}, "movement/tile-1", {{"data", kAllTypes}, {"repeats", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
