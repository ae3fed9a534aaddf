// SPDX-License-Identifier: Apache-2.0
// How activations become part of a quantised store.
#pragma once

#include <optional>

#include "kernels/unary.h"
#include "ops/quantised_data/quantization.h"

namespace wasmvino::ops {

// Bounds of a value before it is rounded, or of an f32 result.
struct Clamping {
  float low, high;
};

// What `activation` and then the range of `output` (null: f32) leave of a value that has been scaled to that
// range; nothing for functions that are no clamps, and where bounds would differ from channel to channel.
std::optional<Clamping> clamping_of(const kernels::UnaryFunction& activation, const Quantization* output);

}  // namespace wasmvino::ops
