// SPDX-License-Identifier: Apache-2.0
// SliceScatter: updates replace a slice start:stop:step of data.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/slice-scatter-15.html
#include "model/registry.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/scatter.h"
#include "ops/movement/slice_axes.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::slice_scatter {

class Updating final : public Kernel {
 public:
  explicit Updating(StridedCopy copy) : copy_(std::move(copy)) {}
  void run(EvalContext& context) override {
    copy_to_output(context.parallel(), context.input(0), context.output(0));
    copy_.run(context.parallel(), context.input(1).memory, context.output(0).memory);
  }

 private:
  StridedCopy copy_;
};

class SliceScatter final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(5, 6);
    const ElementType type = context.common_type(0, 1);
    const PartialShape slice = infer_slice_axes(context, 2);
    if (!slice.compatible(context.input_shape(1))) {
      throw Error(ErrorCode::kInvalidShape,
                  cat("updates have shape ", context.input_shape(1), ", but the slice has shape ", slice))
          .expected(cat(slice))
          .actual(cat(context.input_shape(1)))
          .port("updates");
    }
    context.set_output(0, type, context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape updates = context.input_shape(1);
    const SliceAxes slices = slice_axes(context, 2);
    return std::make_unique<Updating>(StridedCopy(context.output_type(0), updates, row_major_strides(updates),
                                                  slices.strides, 0, slices.offset));
  }

  bool can_overwrite(const CompileContext&, size_t input, size_t) const override { return input == 0; }
};

}  // namespace wasmvino::ops::slice_scatter

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(slice_scatter) {
  registry.add<slice_scatter::SliceScatter>({"SliceScatter",
                                             {15},
                                             "movement/slice-scatter-15",
                                             {{"data", kAllTypes},
                                              {"updates", kAllTypes, 0},
                                              {"start", kAnyIntegers},
                                              {"stop", kAnyIntegers},
                                              {"step", kAnyIntegers},
                                              {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
