// SPDX-License-Identifier: Apache-2.0
// Activations: functions of one element that kernels apply to their results. Passes do not include kernels,
// so they select activations by these names.
#pragma once

#include "kernels/functions.h"

namespace wasmvino::ops {

using kernels::Unary;
using kernels::UnaryFunction;

}  // namespace wasmvino::ops
