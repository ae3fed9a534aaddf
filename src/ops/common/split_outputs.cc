// SPDX-License-Identifier: Apache-2.0
#include "ops/common/split_outputs.h"

#include <utility>
#include <vector>

#include "model/node.h"
#include "ops/common/strided_copy.h"

namespace wasmvino::ops {
namespace {

StridedCopy split_copy(const CompileContext& context, size_t axis, size_t output) {
  const Ints strides = row_major_strides(context.input_shape(0));
  int64_t begin = 0;
  for (size_t i = 0; i < output; ++i) begin += context.output_shape(i)[axis];
  const Shape shape = context.output_shape(output);
  return StridedCopy(context.output_type(output), shape, strides, row_major_strides(shape),
                     begin * strides[axis]);
}

class SplitKernel final : public Kernel {
 public:
  explicit SplitKernel(std::vector<std::pair<size_t, StridedCopy>> copies) : copies_(std::move(copies)) {}
  void run(EvalContext& context) override {
    for (const auto& [output, copy] : copies_) {
      copy.run(context.parallel(), context.input(0).memory, context.output(output).memory);
    }
  }

 private:
  std::vector<std::pair<size_t, StridedCopy>> copies_;
};

}  // namespace

std::unique_ptr<Kernel> split_kernel(const CompileContext& context, size_t axis) {
  std::vector<std::pair<size_t, StridedCopy>> copies;
  for (size_t i = 0; i < context.node().outputs.size(); ++i) {
    StridedCopy copy = split_copy(context, axis, i);
    if (!copy.view_offset()) copies.emplace_back(i, std::move(copy));
  }
  return std::make_unique<SplitKernel>(std::move(copies));
}

std::optional<ViewOf> split_view(const CompileContext& context, size_t axis, size_t output) {
  const std::optional<size_t> offset = split_copy(context, axis, output).view_offset();
  return offset ? std::optional(ViewOf{0, *offset}) : std::nullopt;
}

}  // namespace wasmvino::ops
