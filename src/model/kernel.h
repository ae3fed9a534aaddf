// SPDX-License-Identifier: Apache-2.0
// A node compiled for known shapes.
#pragma once

#include <string>

#include "model/eval_context.h"

namespace wasmvino::model {

class Kernel {
 public:
  virtual ~Kernel() = default;
  // Computes the outputs. Must not allocate.
  virtual void run(EvalContext& context) = 0;
  // How the kernel computes, for explain(), if there are several ways: "indirect", "u8 x i8, dot products of
  // i16". Empty if there is only one way.
  virtual std::string method() const { return {}; }
};

}  // namespace wasmvino::model
