// SPDX-License-Identifier: Apache-2.0
// Matmuls with quantised weights whose data are quantised during the run: OpenVINO's dynamic quantisation.
#pragma once

#include <memory>

#include "ops/matrix/mat_mul_steps.h"
#include "ops/quantised_data/quantised_constant.h"

namespace wasmvino::ops {

// Whether rows of data can be quantised in groups of `group` elements for a matmul with such weights. True in
// the same cases as in OpenVINO's CPU plugin.
bool can_quantise_rows(const QuantisedConstant& weights, const MatMulSpec& spec, size_t group);

// Like compile_mat_mul(), for such weights.
std::unique_ptr<Kernel> compile_dynamic_mat_mul(CompileContext& context, const MatMulSpec& spec, size_t group,
                                                const MatMulFusion& fusion);

}  // namespace wasmvino::ops
