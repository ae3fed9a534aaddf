// SPDX-License-Identifier: Apache-2.0
// A function of two quantised tensors, such as their sum. An activation or a PRelu may follow. The result is
// f32 or quantised again.
#pragma once

#include <memory>
#include <vector>

#include "kernels/functions.h"
#include "model/node.h"

namespace wasmvino::ops {

class IntegerBinary final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "IntegerBinary";

  struct Parts {
    kernels::Binary function = kernels::Binary::kAdd;
    kernels::UnaryFunction activation = {};
    // If present, a PRelu with one slope per index of the last axis is applied after the activation.
    std::shared_ptr<const std::vector<float>> slopes = nullptr;
    SharedQuantization output = nullptr;  // the same for all channels; if absent, the result is f32
  };
  explicit IntegerBinary(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  // Whether the function is finite for all finite operands.
  static bool takes(kernels::Binary function);

  // Inputs: two u8 tensors, not quantised by channel, broadcast to each other by numpy's rule. Errors name
  // the original operation of the model.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  Parts parts_;
};

}  // namespace wasmvino::ops
