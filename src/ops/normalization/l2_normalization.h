// SPDX-License-Identifier: Apache-2.0
// Divides x by the root of its sum of squares along axes. Shared by NormalizeL2 and GRN.
#pragma once

#include <memory>

#include "model/op.h"

namespace wasmvino::ops {

// y = x / sqrt(s + eps), or with `greatest` y = x / sqrt(max(s, eps)), where s is the sum of squares along
// `axes`. Computed in f32, also for other floating point types.
std::unique_ptr<Kernel> compile_l2_normalization(CompileContext& context, const Ints& axes, float eps,
                                                 bool greatest);

}  // namespace wasmvino::ops
