// SPDX-License-Identifier: Apache-2.0
// Shared by the passes that move the matmul with W out of recurrent cells.
#pragma once

#include "model/node.h"

namespace wasmvino::passes {

// Replaces the cell `node` by a ProjectedCell, which reads X W^T from `projected` and R from `r`.
void replace_by_projected_cell(model::Model& model, model::Node& node, model::Source projected,
                               model::Source r);

}  // namespace wasmvino::passes
