// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/elementwise_chain.h"

#include <algorithm>

#include "kernels/binary.h"
#include "kernels/unary.h"
#include "model/node.h"

namespace wasmvino::ops {
namespace {

// Elements per block. With four operands, they take 20 KB. A step on a block costs 20 ns besides its
// arithmetic; 1024 additions take 80 ns.
constexpr size_t kChainBlock = 1024;

void run_step(const ChainStep& step, const float* x, const LoopOperand* in, size_t done, float* y, size_t n) {
  if (!step.is_binary) {
    kernels::apply_unary(step.unary, x, y, n);
    return;
  }
  const bool number = step.operand == ChainStep::kNumber;
  const size_t stride = number ? 0 : in[step.operand].step;
  const float* operand = number ? &step.number : in[step.operand].as<float>() + done * stride;
  if (step.operand_first) {
    kernels::apply_binary(step.binary, operand, stride, x, 1, y, n);
  } else {
    kernels::apply_binary(step.binary, x, 1, operand, stride, y, n);
  }
}

// Only the last step writes to `out`, which may be the memory of any operand.
void chain_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters) {
  const auto& steps = *static_cast<const std::vector<ChainStep>*>(parameters.steps);
  alignas(16) float block[kChainBlock];
  for (size_t done = 0; done < count; done += kChainBlock) {
    const size_t n = std::min(kChainBlock, count - done);
    const float* x = in[0].as<float>() + done * in[0].step;
    if (in[0].step == 0) {
      std::fill_n(block, n, *x);
      x = block;
    }
    for (size_t i = 0; i + 1 < steps.size(); ++i, x = block) run_step(steps[i], x, in, done, block, n);
    run_step(steps.back(), x, in, done, static_cast<float*>(out) + done, n);
  }
}

}  // namespace

void ElementwiseChain::infer(InferContext& context) const {
  PartialShape shape = context.input_shape(0);
  for (const ChainStep& step : steps_) {
    if (step.operand == ChainStep::kNumber) continue;
    try {
      shape = broadcast_shapes(AutoBroadcast::kNumpy, shape, context.input_shape(step.operand));
    } catch (Error& error) {
      error.at_layer(step.name, step.type, step.id, step.version, step.line);
      throw;
    }
  }
  context.set_output(0, ElementType::kF32, shape);
}

ElementwiseFunction ElementwiseChain::function(ElementType type) const {
  if (type != ElementType::kF32) return {};
  uint32_t cost = 0;
  for (const ChainStep& step : steps_) cost += step.cost;
  ElementwiseFunction function = elementwise_function(chain_loop, type, cost);
  function.parameters.steps = &steps_;
  return function;
}

}  // namespace wasmvino::ops
