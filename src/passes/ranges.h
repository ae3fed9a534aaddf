// SPDX-License-Identifier: Apache-2.0
// The levels that a FakeQuantize's ranges describe, and what may be folded into them.
#pragma once

#include <vector>

#include "model/node.h"
#include "model/quantization.h"

namespace wasmvino::passes {

// The maximum distance of a zero point from an integer, in levels: 1/16 for 256 of them. Ranges in f16 give
// distances up to 1/5,000 of the range. The rounding affects only padding.
constexpr double zero_tolerance(double levels) { return levels / 4096; }

// The quantisation that a FakeQuantize describes, if u8 can represent its levels; else nullptr.
model::SharedQuantization quantization_of(const model::Node& node);

// The quantisation of x, if `quantization` is that of x * factors[c]; nullptr if a factor cannot be folded.
model::SharedQuantization scaled(const model::Quantization& quantization, const std::vector<float>& factors);
// The same if `quantization` is that of x + addends[c].
model::SharedQuantization shifted(const model::Quantization& quantization, const std::vector<float>& addends);

}  // namespace wasmvino::passes
