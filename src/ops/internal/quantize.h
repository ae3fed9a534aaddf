// SPDX-License-Identifier: Apache-2.0
// Quantises f32 to u8 and back. The pass compute_in_integers makes these operations from FakeQuantize.
#pragma once

#include "model/node.h"

namespace wasmvino::ops {

// f32 to u8. With one scale per channel, channels are the last axis.
class Quantize final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "Quantize";

  explicit Quantize(SharedQuantization quantization) : quantization_(std::move(quantization)) {}
  const SharedQuantization& quantization() const { return quantization_; }
  void infer(InferContext& context) const override;
  void evaluate(EvalContext& context) const override;

 private:
  SharedQuantization quantization_;
};

// Quantised u8 to f32.
class Dequantize final : public Op {
 public:
  static constexpr std::string_view kType = "Dequantize";

  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
};

}  // namespace wasmvino::ops
