// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/rotary_embedding.h"

#include <algorithm>
#include <array>

#include "kernels/rotary.h"
#include "ops/elementwise/broadcast.h"

namespace wasmvino::ops {
namespace {

// Grain: with fewer elements, a second thread costs more than it saves.
constexpr size_t kRotaryGrain = size_t{1} << 14;

// x, cos and sin.
constexpr size_t kOperands = 3;

class RotaryKernel final : public Kernel {
 public:
  // `rows`: the loops over all axes but the last. `widths`: the size of each operand's last axis.
  RotaryKernel(LoopNest rows, const std::array<size_t, kOperands>& widths)
      : rows_(std::move(rows)), widths_(widths) {}

  void run(EvalContext& context) override {
    const size_t width = widths_[0];
    float* const y = context.output(0).mutable_data<float>();
    parallel_for(context.parallel(), static_cast<size_t>(element_count(rows_.sizes)),
                 std::max<size_t>(1, kRotaryGrain / std::max<size_t>(1, width)),
                 [&](size_t begin, size_t end) {
                   for (size_t row = begin; row < end; ++row) {
                     const auto [x, cos, sin] = rows_of(context, row);
                     kernels::rotate_row(x, {cos, widths_[1] != width}, {sin, widths_[2] != width},
                                         y + row * width, width);
                   }
                 });
  }

 private:
  // What a row of the result needs of each operand.
  std::array<const float*, kOperands> rows_of(const EvalContext& context, size_t row) const {
    std::array<size_t, kOperands> at = {};
    for (size_t axis = rows_.sizes.size(); axis-- > 0;) {
      const size_t size = static_cast<size_t>(rows_.sizes[axis]);
      for (size_t i = 0; i < kOperands; ++i)
        at[i] += row % size * static_cast<size_t>(rows_.strides[i][axis]);
      row /= size;
    }
    std::array<const float*, kOperands> rows;
    for (size_t i = 0; i < kOperands; ++i) rows[i] = context.input(i).data<float>() + at[i] * widths_[i];
    return rows;
  }

  LoopNest rows_;
  std::array<size_t, kOperands> widths_;
};

}  // namespace

void RotaryEmbedding::infer(InferContext& context) const {
  context.expect_inputs(3);
  PartialShape shape = context.input_shape(0);
  for (const size_t i : {1, 2})
    shape = broadcast_shapes(AutoBroadcast::kNumpy, shape, context.input_shape(i));
  context.set_output(0, context.input_type(0), shape);
}

std::unique_ptr<Kernel> RotaryEmbedding::compile(CompileContext& context) const {
  Shape result = context.output_shape(0);
  std::array<Shape, kOperands> operands;
  std::array<size_t, kOperands> widths;
  for (size_t i = 0; i < kOperands; ++i) {
    operands[i] = align_shape(AutoBroadcast::kNumpy, context.input_shape(i), result.size());
    widths[i] = static_cast<size_t>(operands[i].back());
    operands[i].pop_back();
  }
  result.pop_back();
  return std::make_unique<RotaryKernel>(make_loop_nest(result, operands), widths);
}

}  // namespace wasmvino::ops
