// SPDX-License-Identifier: Apache-2.0
// Shared by operations that add another tensor to their result. Passes fuse sums with dynamic dimensions, so
// one side may turn out to be broadcast when a plan is made.
#pragma once

#include <memory>

#include "kernels/functions.h"
#include "model/node.h"

namespace wasmvino::ops {

// Whether a plan may still broadcast the residual of a fused operation, because dimensions are dynamic.
// Residual and result must be f32 then.
template <typename Fusion>
bool may_broadcast(const Node& node, const Fusion& fusion) {
  return fusion.residual && !node.outputs[0].shape.is_static();
}

// Sets output 0 to the broadcast of the result of `product`, the operation without its last input, and that
// input.
void infer_residual(InferContext& context, const Op& product);

// A kernel that runs `product`, the sum with the last input and the activation one after the other. nullptr
// if all have the same shape, in which case the operation adds the residual when it stores its result.
std::unique_ptr<Kernel> compile_broadcast_residual(CompileContext& context, const Op& product,
                                                   const kernels::UnaryFunction& activation);

// Op::can_overwrite() of an operation whose last input may be a residual. Each element of the residual is
// read just before the same element of the output is written.
inline bool can_overwrite_residual(const CompileContext& context, bool has_residual, size_t input) {
  return has_residual && input + 1 == context.input_count() &&
         context.input_type(input) == context.output_type(0);
}

}  // namespace wasmvino::ops
