// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding in one pass over memory. Passes make it from its decomposed form.
// https://arxiv.org/abs/2104.09864
#pragma once

#include <memory>

#include "model/op.h"

namespace wasmvino::ops {

// x * cos + concat(-second half of x, first half of x) * sin, where halves are of the last axis.
class RotaryEmbedding final : public Op {
 public:
  static constexpr std::string_view kType = "RotaryEmbedding";

  // Inputs: x [.., n] with an even n, cos and sin, all of f32 and broadcast by numpy's rule.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext&, size_t input, size_t) const override { return input == 0; }
};

}  // namespace wasmvino::ops
