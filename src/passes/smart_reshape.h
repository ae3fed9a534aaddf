// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/registry.h"

namespace wasmvino::passes {

// Lets values that repeat the shapes of the example input follow inputs whose shapes are about to change:
// targets of Reshape (follow_batch), initial states of recurrent networks, image sizes of Proposal, and
// position numbers. Results for the shapes that the model has been inferred with stay the same. OpenVINO
// calls this SmartReshape.
void smart_reshape(model::Model& model, const model::Registry& registry);

}  // namespace wasmvino::passes
