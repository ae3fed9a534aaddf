// SPDX-License-Identifier: Apache-2.0
// A node compiled for known shapes.
#pragma once

#include <string>

#include "model/eval_context.h"

namespace wasmvino::model {

class Kernel {
 public:
  virtual ~Kernel() = default;
  // Allocates nothing.
  virtual void run(EvalContext& context) = 0;
  // How it computes, for explain(), where there are several ways: "indirect", "u8 x i8, dot products of i16".
  // Empty if there is one.
  virtual std::string method() const { return {}; }
};

}  // namespace wasmvino::model
