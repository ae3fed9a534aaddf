// SPDX-License-Identifier: Apache-2.0
// The sum of two quantised tensors and an activation, as f32 or quantised again.
#pragma once

#include <optional>

#include "kernels/unary.h"
#include "model/node.h"
#include "ops/quantised_data/quantization.h"

namespace wasmvino::ops {

class IntegerSum final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "IntegerSum";

  // No quantisation by channel. Without `output` the sum is f32.
  struct Parts {
    Quantization a, b;
    kernels::UnaryFunction activation = {};
    std::optional<Quantization> output = {};
  };
  explicit IntegerSum(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  // Inputs: two tensors of u8, which numpy's rule broadcasts to each other. Errors name the Add of the model
  // that this was made from.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  Parts parts_;
};

}  // namespace wasmvino::ops
