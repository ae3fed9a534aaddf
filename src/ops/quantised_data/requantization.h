// SPDX-License-Identifier: Apache-2.0
// Expresses activations as bounds of a quantised result.
#pragma once

#include <optional>

#include "kernels/epilogue.h"
#include "model/op.h"
#include "model/quantization.h"

namespace wasmvino::ops {

// Returns the bounds, of a value before rounding or of an f32 result, that `activation`, followed by the
// range of `output` (null: f32), imposes on a value that has been scaled to that range. Returns nothing if
// the activation is not a clamp or if the bounds would differ between channels.
std::optional<kernels::Bounds> requantized_bounds(const kernels::UnaryFunction& activation,
                                                  const Quantization* output);

}  // namespace wasmvino::ops
