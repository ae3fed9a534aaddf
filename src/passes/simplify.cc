// SPDX-License-Identifier: Apache-2.0
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {

using model::Model;
using model::Node;
using model::Source;

bool simplify(Model& model, const model::Registry&) {
  return rewrite_operations(model, [&](Node& node) {
    if (node.inputs.empty() || node.outputs.size() != 1) return false;
    const std::optional<Source> simpler = node.op->simplify(node, model);
    if (simpler) model.replace_uses({&node, 0}, *simpler);
    return simpler.has_value();
  });
}

}  // namespace wasmvino::passes
