// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/split_outputs.h"

#include <utility>
#include <vector>

#include "model/node.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops {
namespace {

// Calls `with` for the copy of each output.
template <typename With>
void for_each_copy(const CompileContext& context, size_t axis, const With& with) {
  const Ints strides = row_major_strides(context.input_shape(0));
  int64_t begin = 0;
  for (size_t i = 0; i < context.output_count(); ++i) {
    const Shape shape = context.output_shape(i);
    with(i, StridedCopy(context.output_type(i), shape, strides, row_major_strides(shape),
                        begin * strides[axis]));
    begin += shape[axis];
  }
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
  for_each_copy(context, axis, [&](size_t i, StridedCopy copy) {
    if (!copy.view_offset()) copies.emplace_back(i, std::move(copy));
  });
  return std::make_unique<SplitKernel>(std::move(copies));
}

std::vector<std::optional<ViewOf>> split_views(const CompileContext& context, size_t axis) {
  std::vector<std::optional<ViewOf>> views;
  for_each_copy(context, axis, [&](size_t, const StridedCopy& copy) {
    const std::optional<size_t> offset = copy.view_offset();
    views.push_back(offset ? std::optional(ViewOf{0, *offset}) : std::nullopt);
  });
  return views;
}

std::optional<ChannelsLastForm> channels_last_split(const Node& node) {
  const PartialShape& data = shape_of(node.inputs[0]);
  const std::optional<Ints> axis = constant_ints(node.inputs[1]);
  if (!has_spatial_axes(data) || !axis) return std::nullopt;
  ChannelsLastForm form(node.inputs.size());
  form.take(0);
  form.replace(1, Tensor::scalar<int64_t>(channels_last_axis(axis->front(), data.rank())));
  return form;
}

}  // namespace wasmvino::ops
