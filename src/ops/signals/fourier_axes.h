// SPDX-License-Identifier: Apache-2.0
// Shared by DFT, IDFT, RDFT and IRDFT: transforms along several axes of an array.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/signals/dft-7.html
#pragma once

#include <memory>

#include "model/op.h"

namespace wasmvino::ops {

enum class FourierKind {
  kForward,   // complex numbers to complex numbers
  kInverse,   // the inverse of kForward
  kReal,      // real numbers to the first half of the spectrum of the last axis
  kRealBack,  // the inverse of kReal
};

// Inputs: data, axes and, optionally, signal_size. Complex numbers are pairs along the last axis of an array.
class FourierOp : public Op {
 public:
  void infer(InferContext& context) const final;
  std::unique_ptr<Kernel> compile(CompileContext& context) const final;

 protected:
  explicit FourierOp(FourierKind kind) : kind_(kind) {}

 private:
  bool complex_input() const { return kind_ != FourierKind::kReal; }
  bool complex_output() const { return kind_ != FourierKind::kRealBack; }

  FourierKind kind_;
};

}  // namespace wasmvino::ops
