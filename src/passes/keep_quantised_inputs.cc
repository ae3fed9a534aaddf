// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "passes/edit.h"
#include "passes/passes.h"
#include "passes/stored_values.h"

namespace wasmvino::passes {

using model::Model;
using model::Node;
using model::Source;

bool keep_quantised_inputs(Model& model, const model::Registry&) {
  // Users of the same value share its packed form.
  std::unordered_map<Source, Source, SourceHash> made;
  return rewrite_operations(model, [&](Node& node) {
    bool changed = false;
    const model::InputRange inputs = node.op->quantised_inputs(node);
    for (size_t i = inputs.first; i < inputs.last; ++i) {
      const Source source = node.inputs[i];
      auto found = made.find(source);
      if (found == made.end()) {
        auto stored = trace_stored(source);
        if (!stored || !stored->has_packed_zero_points()) continue;
        ops::StoredConstant value(shape_of(source).to_shape(),
                                  {stored->constant->constant, stored->merged(0, stored->rank),
                                   std::move(stored->scales), std::move(stored->zero_point)});
        const Source constant = {model.add(ops::stored_constant(source.node->name, std::move(value))), 0};
        found = made.emplace(source, constant).first;
      }
      node.inputs.set(i, found->second);
      changed = true;
    }
    return changed;
  });
}

}  // namespace wasmvino::passes
