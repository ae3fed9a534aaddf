// SPDX-License-Identifier: Apache-2.0
// Slice: start:stop:step of the given axes, or of the first ones.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/slice-8.html
#include "model/registry.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/slice_axes.h"
#include "ops/movement/slices.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::slice {

class Slice final : public CopyOp {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(4, 5);
    context.set_output(0, context.input_type(0), infer_slice_axes(context, 1));
  }

  std::optional<Source> simplify(const Node& node, Model&) const override { return whole_input(node, 3); }

 protected:
  StridedCopy plan(const CompileContext& context) const override {
    const SliceAxes slices = slice_axes(context, 1);
    const Shape output = context.output_shape(0);
    return StridedCopy(context.output_type(0), output, slices.strides, row_major_strides(output),
                       slices.offset);
  }
};

}  // namespace wasmvino::ops::slice

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(slice) {
  registry.add<slice::Slice>({"Slice",
                              {8},
                              "movement/slice-8",
                              {{"data", kAllTypes},
                               {"start", kAnyIntegers},
                               {"stop", kAnyIntegers},
                               {"step", kAnyIntegers},
                               {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
