// SPDX-License-Identifier: Apache-2.0
// Softmax and LogSoftmax: the same passes over an axis, another last step.
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

// Input: data of any floating point type and rank; a scalar counts as one element along the axis. Computed in
// f32.
class SoftmaxOp : public Op {
 public:
  void infer(InferContext& context) const final;
  std::unique_ptr<Kernel> compile(CompileContext& context) const final;
  bool can_overwrite(const CompileContext&, size_t, size_t) const final { return true; }

 protected:
  SoftmaxOp(bool logarithm, int64_t axis) : axis_(axis), logarithm_(logarithm) {}

  int64_t axis_;

 private:
  bool logarithm_;
};

}  // namespace wasmvino::ops
