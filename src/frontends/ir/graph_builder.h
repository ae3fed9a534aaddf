// SPDX-License-Identifier: Apache-2.0
// Builds the graph of connected nodes from the parsed .xml.
#pragma once

#include <memory>

#include "frontends/ir/constant_reader.h"
#include "frontends/ir/layer_text.h"
#include "model/node.h"

namespace wasmvino::ir {

// The graph of a model, bodies included. Returns nullptr if there is any problem, and adds it to `problems`.
// Layers that neither a result nor a variable needs are left out unless they are parameters; only their
// structure is checked.
std::unique_ptr<model::Model> build_graph(const GraphText& text, const model::Registry& registry,
                                          ConstantReader& constants, model::Problems& problems);

}  // namespace wasmvino::ir
