// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "ops/type/convert.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {

using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using ops::convert::Convert;

namespace {

// Whether the values of a node keep their types. These are:
// - values that the model's caller, a body or a variable sees,
// - constants,
// - random numbers, whose sequence depends on the type,
// - results of operations that depend on the precision for other reasons.
bool keeps_types(const Node& node) {
  return node.kind != NodeKind::kOperation || !node.bodies.empty() || !node.op->is_pure() ||
         !node.op->reads_variable().empty() || !node.op->writes_variable().empty() ||
         node.op->depends_on_precision();
}

// Converts values to another type, each only once.
class Conversions {
 public:
  Conversions(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  Source of(Source source, ElementType type) {
    std::vector<Source>& made = made_[source.node];
    made.resize(source.node->outputs.size());
    Source& converted = made[source.port];
    if (converted.node == nullptr) {
      auto node = registry_.make_node<Convert>(cat(source.node->name, "/", name(type)), {source},
                                               {.destination_type = type});
      node->outputs[0] = {type, shape_of(source), {}};
      converted = {model_.add(std::move(node)), 0};
    }
    return converted;
  }

 private:
  Model& model_;
  const model::Registry& registry_;
  std::unordered_map<const Node*, std::vector<Source>> made_;
};

}  // namespace

bool compute_f16_in_f32(Model& model, const model::Registry& registry) {
  Conversions conversions(model, registry);
  bool changed = false;
  const size_t count = model.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    Node& node = *model.nodes[i];
    const bool keeps = keeps_types(node);
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const Source input = node.inputs[k];
      const ElementType type = port_of(input).type;  // the type before this pass
      if (!is_half_precision(type) || keeps == keeps_types(*input.node)) continue;
      if (op_of<Convert>(node) != nullptr) continue;
      node.inputs.set(k, conversions.of(input, keeps ? type : ElementType::kF32));
      changed = true;
    }
    for (const model::OutputPort& output : node.outputs) {
      if (keeps || !is_half_precision(output.type)) continue;
      if (auto op = node.op->with_f32_results()) node.op = std::move(op);
      changed = true;
    }
  }
  if (!changed) return false;
  model.index();
  infer_again(model);
  for (const auto& node : model.nodes) {
    if (op_of<Convert>(*node) == nullptr) continue;
    const Source input = node->inputs[0];
    if (port_of(input).type == node->outputs[0].type) model.replace_uses({node.get(), 0}, input);
  }
  return true;
}

}  // namespace wasmvino::passes
