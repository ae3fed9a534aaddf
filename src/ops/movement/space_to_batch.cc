// SPDX-License-Identifier: Apache-2.0
// SpaceToBatch: pads the axes after the batch with zeros, then moves blocks of them to the batch axis.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/space-to-batch-2.html
#include "kernels/fill.h"
#include "model/registry.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/batch_blocks.h"

namespace wasmvino::ops::space_to_batch {

class SpaceToBatch final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    const BlockInputs inputs = infer_block_inputs(context, "pads_begin", "pads_end");
    const PartialShape& data = context.input_shape(0);
    PartialShape output;
    if (data.has_rank()) {
      output = PartialShape::of_rank(data.rank());
      if (inputs.block_shape) {
        output[0] = data[0];
        for (const int64_t block : *inputs.block_shape) output[0] = output[0] * Dimension(block);
        if (inputs.begin && inputs.end) {
          for (size_t axis = 1; axis < data.rank(); ++axis) {
            output[axis] =
                blocks(data, axis, (*inputs.block_shape)[axis], (*inputs.begin)[axis], (*inputs.end)[axis]);
          }
        }
      }
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    struct Scattering final : Kernel {
      Scattering(kernels::MappedCopy copy, bool padded) : copy_(std::move(copy)), padded_(padded) {}
      void run(EvalContext& context) override {
        TensorView& output = context.output(0);
        if (padded_) kernels::fill_elements(output.type, nullptr, output.memory, 0, output.size());
        copy_.scatter(context.parallel(), context.input(0).memory, output.memory);
      }
      kernels::MappedCopy copy_;
      bool padded_;
    };
    const Shape data = context.input_shape(0);
    const Shape output = context.output_shape(0);
    return std::make_unique<Scattering>(block_copy(context.output_type(0), output, data,
                                                   *context.constant_ints(1), *context.constant_ints(2)),
                                        element_count(data) != element_count(output));
  }

 private:
  // The number of blocks along the padded axis.
  static Dimension blocks(const PartialShape& data, size_t axis, int64_t block, int64_t begin, int64_t end) {
    const Dimension padded = data[axis] + Dimension(begin) + Dimension(end);
    if (padded.is_static() && padded.size() % block != 0) {
      throw Error(ErrorCode::kInvalidShape, cat("data.shape[", axis, "] + pads_begin[", axis, "] + pads_end[",
                                                axis, "] is ", data[axis], " + ", begin, " + ", end,
                                                ", not a multiple of block_shape[", axis, "] = ", block))
          .expected(cat("a multiple of ", block))
          .actual(cat(padded))
          .port("data");
    }
    return {padded.min / block + (padded.min % block != 0),
            padded.max == Dimension::kUnbounded ? padded.max : padded.max / block};
  }
};

}  // namespace wasmvino::ops::space_to_batch

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(space_to_batch) {
  registry.add<space_to_batch::SpaceToBatch>({"SpaceToBatch",
                                              {2},
                                              "movement/space-to-batch-2",
                                              {{"data", kAllTypes},
                                               {"block_shape", kAnyIntegers},
                                               {"pads_begin", kAnyIntegers},
                                               {"pads_end", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
