// SPDX-License-Identifier: Apache-2.0
// BatchToSpace: moves blocks from the batch axis into the other axes, then crops these.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/batch-to-space-2.html
#include "model/registry.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/batch_blocks.h"

namespace wasmvino::ops::batch_to_space {

class BatchToSpace final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    // As in OpenVINO, the contract requires crops of the same type as block_shape, whereas the pads of
    // SpaceToBatch may have another type than its blocks.
    const BlockInputs inputs = infer_block_inputs(context, "crops_begin", "crops_end");
    const PartialShape& data = context.input_shape(0);
    PartialShape output;
    if (data.has_rank() && inputs.block_shape) {
      output = PartialShape::of_rank(data.rank());
      output[0] = batch(data, *inputs.block_shape);
      for (size_t axis = 1; axis < data.rank(); ++axis) {
        const Dimension whole = data[axis] * Dimension((*inputs.block_shape)[axis]);
        const int64_t begin = inputs.begin ? (*inputs.begin)[axis] : 0;
        const int64_t end = inputs.end ? (*inputs.end)[axis] : 0;
        if (begin > whole.max || end > whole.max - begin) {
          throw Error(ErrorCode::kInvalidValue,
                      cat("crops_begin[", axis, "] + crops_end[", axis, "] is ", begin, " + ", end,
                          ", more than block_shape[", axis, "] * data.shape[", axis, "] = ", whole))
              .expected(cat("at most ", whole))
              .actual(cat(begin, " + ", end))
              .port("crops_end");
        }
        const Dimension cropped = whole - (begin + end);
        output[axis] = inputs.begin && inputs.end ? cropped : Dimension(0, cropped.max);
      }
    } else if (data.has_rank()) {
      output = PartialShape::of_rank(data.rank());
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    struct Gathering final : Kernel {
      explicit Gathering(kernels::MappedCopy copy) : copy_(std::move(copy)) {}
      void run(EvalContext& context) override {
        copy_.gather(context.parallel(), context.input(0).memory, context.output(0).memory, nullptr);
      }
      kernels::MappedCopy copy_;
    };
    return std::make_unique<Gathering>(block_copy(context.output_type(0), context.input_shape(0),
                                                  context.output_shape(0), *context.constant_ints(1),
                                                  *context.constant_ints(2)));
  }

 private:
  static Dimension batch(const PartialShape& data, const Ints& block_shape) {
    Dimension blocks = 1;
    for (const int64_t block : block_shape) blocks = blocks * Dimension(block);
    const int64_t count = blocks.size();
    if (data[0].is_static() && (count == Dimension::kUnbounded || data[0].size() % count != 0)) {
      throw Error(ErrorCode::kInvalidShape, cat("the batch of data ", data, " is not a multiple of ", blocks,
                                                ", the product of block_shape ", to_string(block_shape)))
          .expected(cat("a multiple of ", blocks))
          .actual(cat(data[0]))
          .port("data");
    }
    return {data[0].min / count + (data[0].min % count != 0),
            data[0].max == Dimension::kUnbounded ? data[0].max : data[0].max / count};
  }
};

}  // namespace wasmvino::ops::batch_to_space

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(batch_to_space) {
  registry.add<batch_to_space::BatchToSpace>({"BatchToSpace",
                                              {2},
                                              "movement/batch-to-space-2",
                                              {{"data", kAllTypes},
                                               {"block_shape", kAnyIntegers},
                                               {"crops_begin", kAnyIntegers, 1},
                                               {"crops_end", kAnyIntegers, 1}}});
}
}  // namespace wasmvino::ops
