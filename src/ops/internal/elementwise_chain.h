// SPDX-License-Identifier: Apache-2.0
// Several elementwise operations of f32, one behind the other, computed block by block in the first-level
// cache: what passes make of chains of them.
#pragma once

#include <string>
#include <vector>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops {

// One operation of a chain, on the chain's value and, where it is one of two values, on an operand.
struct ChainStep {
  static constexpr size_t kNumber = static_cast<size_t>(-1);

  bool is_binary = false;
  bool operand_first = false;
  kernels::UnaryFunction unary;
  kernels::Binary binary = kernels::Binary::kAdd;
  size_t operand = kNumber;  // an input of the chain, or `number`
  float number = 0.0f;
  uint32_t cost = 1;  // as ElementwiseFunction::cost
  // The layer of the model, for errors.
  std::string name, type;
  int64_t id = -1;
  int version = 0, line = 0;
};

class ElementwiseChain final : public ElementwiseOp {
 public:
  static constexpr std::string_view kType = "ElementwiseChain";

  explicit ElementwiseChain(std::vector<ChainStep> steps) : steps_(std::move(steps)) {}

  // Inputs: the value that the chain begins with, then the operands of its steps, all of f32 and broadcast by
  // numpy's rule. Errors name the layer of the step.
  void infer(InferContext& context) const override;
  ElementwiseFunction function(ElementType type) const override;

 private:
  std::vector<ChainStep> steps_;
};

}  // namespace wasmvino::ops
