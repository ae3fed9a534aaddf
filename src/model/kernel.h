// SPDX-License-Identifier: Apache-2.0
// A node compiled for known shapes.
#pragma once

#include "model/eval_context.h"

namespace wasmvino::model {

class Kernel {
 public:
  virtual ~Kernel() = default;
  // Allocates nothing.
  virtual void run(EvalContext& context) = 0;
};

}  // namespace wasmvino::model
