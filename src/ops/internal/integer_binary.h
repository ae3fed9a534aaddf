// SPDX-License-Identifier: Apache-2.0
// A function of two quantised tensors, such as their sum. An activation or a PRelu may follow. The result is
// f32 or quantised again.
#pragma once

#include <memory>
#include <vector>

#include "kernels/functions.h"
#include "ops/internal/integer_op.h"

namespace wasmvino::ops {

struct IntegerBinaryParts {
  kernels::Binary function = kernels::Binary::kAdd;
  kernels::UnaryFunction activation = {};
  // If present, a PRelu with one slope per index of the last axis is applied after the activation.
  std::shared_ptr<const std::vector<float>> slopes = nullptr;
  SharedQuantization output = nullptr;  // the same for all channels; if absent, the result is f32
};

class IntegerBinary final : public IntegerOpWithParts<IntegerBinary, IntegerBinaryParts> {
 public:
  using IntegerOpWithParts::IntegerOpWithParts;
  static constexpr std::string_view kType = "IntegerBinary";

  // Whether the function is finite for all finite operands.
  static bool takes(kernels::Binary function);

  static bool can_store(const Node&, const Quantization& levels) { return levels.channels() == 1; }

  // Inputs: two u8 tensors, not quantised by channel, broadcast to each other by numpy's rule. Errors name
  // the original operation of the model.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
};

}  // namespace wasmvino::ops
