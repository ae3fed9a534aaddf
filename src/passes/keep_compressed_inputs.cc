// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "ops/common/recurrent.h"
#include "passes/edit.h"
#include "passes/passes.h"
#include "passes/stored_values.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;

// The inputs that an operation reads as they are stored, first to last.
struct Inputs {
  size_t first = 0, last = 0;  // last is behind them
};

Inputs inputs_of(const Node& node) {
  if (const auto* cell = model::op_cast<ops::CellOp>(node.op.get())) {
    const ops::CellInputs inputs = cell->inputs_of(node.inputs.size(), shape_of(node.inputs.back()));
    return {inputs.w, inputs.r + 1};
  }
  if (node.type == "RNNSequence" || node.type == "GRUSequence") return {3, 5};
  if (node.type == "LSTMSequence") return {4, 6};
  if (node.type == "GroupedMatMul") return {1, 2};
  if (node.type == "DeformableConvolution") return {2, 3};
  constexpr std::string_view kTables[] = {"Gather",
                                          "GatherElements",
                                          "GatherND",
                                          "EmbeddingBagOffsets",
                                          "EmbeddingBagOffsetsSum",
                                          "EmbeddingBagPacked",
                                          "EmbeddingBagPackedSum",
                                          "EmbeddingSegmentsSum"};
  if (std::find(std::begin(kTables), std::end(kTables), node.type) != std::end(kTables)) return {0, 1};
  return {};
}

}  // namespace

bool keep_compressed_inputs(Model& model, const model::Registry&) {
  // Operations that read the same value share what it is packed to.
  std::unordered_map<Source, Source, SourceHash> made;
  return rewrite_operations(model, [&](Node& node) {
    bool changed = false;
    const Inputs inputs = inputs_of(node);
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
