// SPDX-License-Identifier: Apache-2.0
// Convolutions of integers that are not quantised.
#pragma once

#include <memory>

#include "ops/convolution/convolution_problem.h"

namespace wasmvino::ops {

std::unique_ptr<Kernel> compile_wide_convolution(CompileContext& context, const ConvolutionProblem& problem);

}  // namespace wasmvino::ops
