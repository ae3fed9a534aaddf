// SPDX-License-Identifier: Apache-2.0
// Base class of Softmax and LogSoftmax, which differ in the last step only.
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

// Input: data of any floating point type and rank. A scalar counts as one element along the axis. Computed in
// f32.
struct SoftmaxAttributes {
  int64_t axis = 1;
};

class SoftmaxOp : public OpWithAttributes<SoftmaxOp, SoftmaxAttributes> {
 public:
  void infer(InferContext& context) const final;
  std::unique_ptr<Kernel> compile(CompileContext& context) const final;
  bool can_overwrite(const CompileContext&, size_t, size_t) const final { return true; }
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const final;

 protected:
  explicit SoftmaxOp(bool logarithm) : logarithm_(logarithm) {}

 private:
  virtual std::shared_ptr<SoftmaxOp> copy() const = 0;

  bool logarithm_;
};

}  // namespace wasmvino::ops
