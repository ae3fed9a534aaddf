// SPDX-License-Identifier: Apache-2.0
// MatMul of two quantised tensors, as in attention; the result is f32 or quantised again. Sums are exact.
#pragma once

#include <memory>

#include "model/node.h"
#include "ops/matrix/mat_mul_steps.h"

namespace wasmvino::ops {

class IntegerBatchMatMul final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "IntegerBatchMatMul";

  struct Parts {
    MatMulSpec spec;                      // A is not transposed
    SharedQuantization output = nullptr;  // the same for all channels; if absent, the result is f32
  };
  explicit IntegerBatchMatMul(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  // Whether such tensors, whose ranks are known, can be multiplied in integers.
  static bool takes(const MatMulSpec& spec, const PartialShape& a, const PartialShape& b,
                    const Quantization& of_b);

  // Inputs: two u8 tensors for which takes() is true, not quantised by channel. Errors name the original
  // MatMul.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  Parts parts_;
};

}  // namespace wasmvino::ops
