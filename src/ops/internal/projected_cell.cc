// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/projected_cell.h"

#include "model/node.h"

namespace wasmvino::ops {

void ProjectedCell::infer(InferContext& context) const {
  try {
    const size_t r = 1 + attributes_.states();
    context.expect_inputs(r + 1, r + 2);
    infer_cell(context, attributes_, inputs_of(context.input_count()));
  } catch (Error& error) {
    const Node& node = context.node();
    error.at_layer(node.name, cell_type_, node.id, cell_version_, node.line);
    throw;
  }
}

}  // namespace wasmvino::ops
