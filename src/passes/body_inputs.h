// SPDX-License-Identifier: Apache-2.0
// What passes share that move work between a body and the graph around it.
#pragma once

#include "model/node.h"

namespace wasmvino::passes {

// Takes input `i` of a body away, whose parameter nobody reads any more; where no other input of a body of
// the node shows the same value, the node's input goes, too. The body wants to be indexed afterwards.
void drop_body_input(model::Node& node, model::Body& body, size_t i);

}  // namespace wasmvino::passes
