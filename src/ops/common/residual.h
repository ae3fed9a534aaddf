// SPDX-License-Identifier: Apache-2.0
// Residuals: what a fused operation adds to its result.
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

// Op::can_overwrite() of an operation whose last input is the residual, if there is one. It is read where the
// output is written, before it is written.
inline bool can_overwrite_residual(const CompileContext& context, bool has_residual, size_t input) {
  return has_residual && input + 1 == context.input_count() &&
         context.input_type(input) == context.output_type(0);
}

}  // namespace wasmvino::ops
