// SPDX-License-Identifier: Apache-2.0
// Traces f32 values back to quantised constants. It knows the patterns that OpenVINO, NNCF and optimum write
// for quantised weights.
#pragma once

#include <optional>
#include <vector>

#include "ops/quantised_data/quantised_constant.h"
#include "passes/edit.h"

namespace wasmvino::passes {

struct QuantisedChain {
  std::vector<const model::Node*> nodes;  // the constant and the nodes from it to the value
  ops::QuantisedConstant::Parts parts;
};

// Returns nullopt for other values and for empty ones. Unquantised constants are accepted only as zero points
// and scales.
std::optional<QuantisedChain> trace_quantised(model::Source source);

}  // namespace wasmvino::passes
