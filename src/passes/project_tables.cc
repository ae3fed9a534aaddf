// SPDX-License-Identifier: Apache-2.0
// Multiplies tables by the weights W of recurrent cells. The input of a cell may be gathered from rows of a
// table, as in a decoder with a small vocabulary. The cell then gathers rows of the table times W instead,
// and the run does not read W.
#include "ops/matrix/mat_mul.h"
#include "ops/movement/gather.h"
#include "ops/quantised_data/quantised_constant.h"
#include "ops/sequence/recurrent.h"
#include "passes/edit.h"
#include "passes/passes.h"
#include "passes/projected_cells.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;

// The shape of a constant f32 matrix; nullptr for other values.
const Shape* matrix_of(Source source) {
  if (source.node->kind != model::NodeKind::kConstant) return nullptr;
  const model::ConstantData& value = *source.node->constant;
  return value.type() == ElementType::kF32 && value.shape().size() == 2 ? &value.shape() : nullptr;
}

// Bits per element of a constant in memory.
int64_t bits_of(Source source) {
  const auto* quantised = ops::quantised_of(*source.node);
  return static_cast<int64_t>(bit_width(quantised != nullptr ? quantised->stored_type() : ElementType::kF32));
}

bool gathers_rows(const Node& node) {
  const auto* op = op_of<ops::gather::Gather>(node);
  if (op == nullptr) return false;
  const auto axis = constant_ints(node.inputs[2]);
  return op->attributes().batch_dims == 0 && axis && axis->size() == 1 && (*axis)[0] == 0;
}

}  // namespace

bool project_tables(Model& model, const model::Registry& registry) {
  bool changed = false;
  const size_t count = model.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    Node& node = *model.nodes[i];
    const auto* op = op_of<ops::CellOp>(node);
    if (op == nullptr || !gathers_rows(*node.inputs[0].node)) continue;
    const Source last = node.inputs.back();
    const ops::CellInputs inputs = op->inputs_of(node.inputs.size(), last.node->outputs[last.port].shape);
    const Node& gather = *node.inputs[0].node;
    const Source w = node.inputs[inputs.w];
    const Shape *table = matrix_of(gather.inputs[0]), *weights = matrix_of(w);
    // The result, in f32, must not be larger than the weights that it replaces.
    if (inputs.fused() || table == nullptr || weights == nullptr || (*table)[1] != (*weights)[1] ||
        (*table)[0] * 32 > (*weights)[1] * bits_of(w)) {
      continue;
    }
    const int64_t gates = (*weights)[0];
    auto product = registry.make_node<ops::mat_mul::MatMul>(node.name + "/projected_table",
                                                            {gather.inputs[0], w}, {.transpose_b = true});
    product->outputs[0] = {ElementType::kF32, {(*table)[0], gates}, {}};
    const Source projected = {model.add(std::move(product)), 0};
    auto made = remade(gather, gather.op, {projected, gather.inputs[1], gather.inputs[2]});
    PartialShape& shape = made->outputs[0].shape;
    if (shape.has_rank()) shape[shape.rank() - 1] = gates;
    made->outputs[0].names.clear();
    replace_by_projected_cell(model, node, {model.add(std::move(made)), 0}, node.inputs[inputs.r]);
    changed = true;
  }
  return changed;
}

}  // namespace wasmvino::passes
