// SPDX-License-Identifier: Apache-2.0
// From what the .xml says to nodes that are connected.
#pragma once

#include <memory>

#include "frontends/ir/constant_reader.h"
#include "frontends/ir/layer_text.h"
#include "model/node.h"

namespace wasmvino::ir {

// The graph of a model, bodies included; nullptr where anything is wrong with it, which then stands in
// `problems`. Layers that neither a result nor a variable needs are left out unless they are parameters, and
// only their structure is checked.
std::unique_ptr<model::Model> build_graph(const GraphText& text, const model::Registry& registry,
                                          ConstantReader& constants, model::Problems& problems);

}  // namespace wasmvino::ir
