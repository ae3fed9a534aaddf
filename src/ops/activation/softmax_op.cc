// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/softmax_op.h"

#include <algorithm>

#include "kernels/softmax.h"
#include "model/node.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"

namespace wasmvino::ops {
namespace {

// Adjacent columns processed together if the axis is not the last one.
constexpr size_t kColumns = 64;
// Grain: with fewer elements (one exponential each), a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 12;

struct Extent {
  size_t outer, length, inner;
};

class SoftmaxKernel final : public Kernel {
 public:
  SoftmaxKernel(Extent extent, bool logarithm) : extent_(extent), logarithm_(logarithm) {}

  void run(EvalContext& context) override {
    const float* from = context.input(0).data<float>();
    float* to = context.output(0).mutable_data<float>();
    const auto [outer, length, inner] = extent_;
    if (length == 0) return;
    if (inner == 1) {
      parallel_for(context.parallel(), outer, std::max<size_t>(1, kGrain / length),
                   [&](size_t begin, size_t end) {
                     kernels::softmax_rows(from + begin * length, to + begin * length, end - begin, length,
                                           logarithm_);
                   });
      return;
    }
    const size_t blocks = (inner + kColumns - 1) / kColumns;
    const size_t cost = length * std::min(inner, kColumns);
    parallel_for(context.parallel(), outer * blocks, std::max<size_t>(1, kGrain / std::max<size_t>(1, cost)),
                 [&](size_t begin, size_t end) {
                   for (size_t unit = begin; unit < end; ++unit) {
                     const size_t column = unit % blocks * kColumns;
                     const size_t first = unit / blocks * length * inner + column;
                     float scratch[2 * kColumns];
                     kernels::softmax_columns(from + first, to + first, length, inner,
                                              std::min(kColumns, inner - column), logarithm_, scratch);
                   }
                 });
  }

 private:
  Extent extent_;
  bool logarithm_;
};

// A scalar has one axis, as in numpy's functions.
size_t axis_of(int64_t axis, size_t rank) { return normalize_axis(axis, std::max<size_t>(1, rank)); }

}  // namespace

void SoftmaxOp::infer(InferContext& context) const {
  context.expect_inputs(1);
  const ElementType type = context.input_type(0);
  const PartialShape& shape = context.input_shape(0);
  if (shape.has_rank()) axis_of(attributes_.axis, shape.rank());
  context.set_output(0, type, shape);
}

std::unique_ptr<Kernel> SoftmaxOp::compile(CompileContext& context) const {
  return compile_in_f32(context,
                        [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
                          Shape shape = inner.input_shape(0);
                          if (shape.empty()) shape.push_back(1);
                          const size_t axis = axis_of(attributes_.axis, shape.size());
                          const Extent extent = {product(shape, 0, axis), static_cast<size_t>(shape[axis]),
                                                 product(shape, axis + 1, shape.size())};
                          return std::make_unique<SoftmaxKernel>(extent, logarithm_);
                        },
                        {.as_f32 = 1});
}

std::optional<ChannelsLastForm> SoftmaxOp::channels_last_form(const Node& node) const {
  const PartialShape& data = shape_of(node.inputs[0]);
  if (!has_spatial_axes(data)) return std::nullopt;
  ChannelsLastForm form(1);
  form.take(0);
  std::shared_ptr<SoftmaxOp> op = copy();
  op->set_attributes({.axis = channels_last_axis(attributes_.axis, data.rank())});
  form.op = std::move(op);
  return form;
}

}  // namespace wasmvino::ops
