// SPDX-License-Identifier: Apache-2.0
// x over the root of the sum of squares along axes: NormalizeL2 and GRN.
#pragma once

#include <memory>

#include "model/op.h"

namespace wasmvino::ops {

// y = x / sqrt(s + eps), or with `greatest` y = x / sqrt(max(s, eps)), s the sum of squares along `axes`. In
// f32, other floating point types through it.
std::unique_ptr<Kernel> compile_l2_normalization(CompileContext& context, const Ints& axes, float eps,
                                                 bool greatest);

}  // namespace wasmvino::ops
