// SPDX-License-Identifier: Apache-2.0
// A chain of elementwise f32 operations, computed block by block in the first-level cache. Made by passes.
#pragma once

#include <string>
#include <vector>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops {

// One operation of a chain. It applies to the chain's value and, if binary, to an operand.
struct ChainStep {
  static constexpr size_t kNumber = static_cast<size_t>(-1);

  bool is_binary = false;
  bool operand_first = false;
  kernels::UnaryFunction unary;
  kernels::Binary binary = kernels::Binary::kAdd;
  size_t operand = kNumber;  // index of an input of the chain, or kNumber for `number`
  float number = 0.0f;
  uint32_t cost = 1;  // like ElementwiseFunction::cost
  // The layer of the model, for errors.
  std::string name, type;
  int64_t id = -1;
  int version = 0, line = 0;
};

class ElementwiseChain final : public ElementwiseOp {
 public:
  static constexpr std::string_view kType = "ElementwiseChain";

  explicit ElementwiseChain(std::vector<ChainStep> steps) : steps_(std::move(steps)) {}

  // Inputs: the chain's first value, then the operands of its steps, all of f32 and broadcast by numpy's
  // rule. Errors name the step's layer.
  void infer(InferContext& context) const override;
  ElementwiseFunction function(ElementType type) const override;

 private:
  std::vector<ChainStep> steps_;
};

}  // namespace wasmvino::ops
