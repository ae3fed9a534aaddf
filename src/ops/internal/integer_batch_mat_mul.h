// SPDX-License-Identifier: Apache-2.0
// MatMul of two quantised tensors, as in attention; the result is f32 or quantised again. Sums are exact.
#pragma once

#include <memory>

#include "ops/internal/integer_op.h"
#include "ops/matrix/mat_mul_steps.h"

namespace wasmvino::ops {

struct IntegerBatchMatMulParts {
  MatMulSpec spec;                      // A is not transposed
  SharedQuantization output = nullptr;  // the same for all channels; if absent, the result is f32
};

class IntegerBatchMatMul final : public IntegerOpWithParts<IntegerBatchMatMul, IntegerBatchMatMulParts> {
 public:
  using IntegerOpWithParts::IntegerOpWithParts;
  static constexpr std::string_view kType = "IntegerBatchMatMul";

  // Whether such tensors, whose ranks are known, can be multiplied in integers.
  static bool takes(const MatMulSpec& spec, const PartialShape& a, const PartialShape& b,
                    const Quantization& of_b);

  static bool can_store(const Node&, const Quantization& levels) { return levels.channels() == 1; }

  // Inputs: two u8 tensors for which takes() is true, not quantised by channel. Errors name the original
  // MatMul.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
};

}  // namespace wasmvino::ops
