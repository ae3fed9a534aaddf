// SPDX-License-Identifier: Apache-2.0
// Shared by Split and VariadicSplit: parts of input 0 along an axis, given by the outputs' shapes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/node.h"

namespace wasmvino::ops {

// Copies all outputs that are not views.
std::unique_ptr<Kernel> split_kernel(const CompileContext& context, size_t axis);
// For each output, its view of the input if it is one block of memory.
std::vector<std::optional<ViewOf>> split_views(const CompileContext& context, size_t axis);
// What a node becomes on channels-last data: the axis changes.
std::optional<ChannelsLastForm> channels_last_split(const Node& node);

}  // namespace wasmvino::ops
