// SPDX-License-Identifier: Apache-2.0
// The order in which the nodes of a graph are built.
#pragma once

#include <vector>

#include "frontends/onnx/model_file.h"

namespace wasmvino::onnx {

// The positions of the nodes, each after those that make its inputs. It is the order of the file if that is
// such an order already. Nodes of a cycle keep the order of the file: the first of them then lacks a value.
std::vector<size_t> order_of(const std::vector<NodeText>& nodes);

}  // namespace wasmvino::onnx
