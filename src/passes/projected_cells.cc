// SPDX-License-Identifier: Apache-2.0
#include "passes/projected_cells.h"

#include "ops/internal/projected_cell.h"
#include "passes/edit.h"

namespace wasmvino::passes {

using ops::CellInputs;
using ops::CellOp;
using ops::ProjectedCell;

void replace_by_projected_cell(model::Model& model, model::Node& node, model::Source projected,
                               model::Source r) {
  const auto& op = *model::op_cast<CellOp>(node.op.get());
  const model::Source last = node.inputs.back();
  const CellInputs inputs = op.inputs_of(node.inputs.size(), last.node->outputs[last.port].shape);
  const size_t states = op.attributes().states();
  std::vector<model::Source> made_inputs = {projected};
  for (size_t i = 0; i < states; ++i) made_inputs.push_back(node.inputs[1 + i]);
  made_inputs.push_back(r);
  if (inputs.b != CellInputs::kNone) made_inputs.push_back(node.inputs[inputs.b]);
  auto cell = std::make_shared<ProjectedCell>(op.attributes(), node.type, node.version);
  auto made = remade(node, std::move(cell), std::move(made_inputs));
  made->type = ProjectedCell::kType;
  model::Node* const added = model.add(std::move(made));
  for (size_t i = 0; i < states; ++i) model.replace_uses({&node, i}, {added, i});
}

}  // namespace wasmvino::passes
