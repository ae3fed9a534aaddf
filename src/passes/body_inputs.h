// SPDX-License-Identifier: Apache-2.0
// Shared by passes that move work between a body and the graph around it.
#pragma once

#include "model/node.h"

namespace wasmvino::passes {

// Removes input `i` of a body, whose parameter has no users any more. If no other body input of the node uses
// the same value, the node's input is removed too. Index the body afterwards.
void drop_body_input(model::Node& node, model::Body& body, size_t i);

}  // namespace wasmvino::passes
