// SPDX-License-Identifier: Apache-2.0
// Split and VariadicSplit: parts of input 0 along an axis, given by the outputs' shapes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/node.h"

namespace wasmvino::ops {

// The copies of all outputs that are no views.
std::unique_ptr<Kernel> split_kernel(const CompileContext& context, size_t axis);
// Each output as a part of the input, where it is one block of memory.
std::vector<std::optional<ViewOf>> split_views(const CompileContext& context, size_t axis);
// What a node becomes where its data are channels last: the axis is another one.
std::optional<ChannelsLastForm> channels_last_split(const Node& node);

}  // namespace wasmvino::ops
