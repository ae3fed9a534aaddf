// SPDX-License-Identifier: Apache-2.0
// The sum of two quantised tensors and an activation; the result is f32 or quantised again.
#pragma once

#include "kernels/functions.h"
#include "model/node.h"

namespace wasmvino::ops {

class IntegerSum final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "IntegerSum";

  struct Parts {
    kernels::UnaryFunction activation = {};
    SharedQuantization output = nullptr;  // the same for all channels; if absent, the sum is f32
  };
  explicit IntegerSum(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  // Inputs: two u8 tensors, not quantised by channel, broadcast to each other by numpy's rule. Errors name
  // the original Add of the model.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  Parts parts_;
};

}  // namespace wasmvino::ops
