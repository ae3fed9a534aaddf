// SPDX-License-Identifier: Apache-2.0
// What operations share that add another tensor to what they compute: passes fuse sums whose shapes may still
// turn out to be broadcast when open sizes become known.
#pragma once

#include <memory>

#include "kernels/unary.h"
#include "model/op.h"

namespace wasmvino::ops {

// Sets output 0 to the broadcast of what `product`, the operation without its last input, gives and that
// input.
void infer_residual(InferContext& context, const Op& product);

// The kernel of `product`, of the sum with the last input and of a function of that, one behind the other;
// nullptr where all have the same shape, so that the operation adds while it stores.
std::unique_ptr<Kernel> compile_broadcast_residual(CompileContext& context, const Op& product,
                                                   const kernels::UnaryFunction& activation);

}  // namespace wasmvino::ops
