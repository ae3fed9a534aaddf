// SPDX-License-Identifier: Apache-2.0
// Matmuls of data that are quantised while they run with quantised weights: OpenVINO's dynamic quantisation.
#pragma once

#include <memory>

#include "ops/matrix/mat_mul_steps.h"

namespace wasmvino::ops {

// Whether rows of data can be quantised in groups of `group` elements for such weights, stored as `type`:
// where OpenVINO's CPU plugin does it.
bool can_quantise_rows(const CompressedForm& form, ElementType type, size_t group);

// compile_mat_mul() for such weights and data [..., k].
std::unique_ptr<Kernel> compile_dynamic_mat_mul(CompileContext& context, const CompressedForm& form,
                                                size_t group, const MatMulFusion& fusion);

}  // namespace wasmvino::ops
