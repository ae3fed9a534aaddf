// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/node.h"

namespace wasmvino::passes {

// Lets Reshapes with a constant target follow inputs whose shapes are about to change, above all their batch.
// Exporters write the shapes of the example input into these targets. Results for the shapes that the model
// has been inferred with stay the same.
//
// What OpenVINO accepts when a model is reshaped (SmartReshape) gives the same here. A target that repeats
// the first size of its input follows that size too, which OpenVINO refuses.
void follow_batch(model::Model& model);

}  // namespace wasmvino::passes
