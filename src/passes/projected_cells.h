// SPDX-License-Identifier: Apache-2.0
// Shared by the passes that take the matmul with W out of recurrent cells.
#pragma once

#include "model/node.h"

namespace wasmvino::passes {

// Puts a ProjectedCell in the place of the cell `node`: it reads `projected`, which is X W^T, and R from `r`.
void replace_by_projected_cell(model::Model& model, model::Node& node, model::Source projected,
                               model::Source r);

}  // namespace wasmvino::passes
