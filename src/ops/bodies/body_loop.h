// SPDX-License-Identifier: Apache-2.0
// What TensorIterator and Loop share: shapes of a body that runs again and again, and the kernel that runs
// it.
#pragma once

#include <memory>
#include <optional>

#include "model/node.h"

namespace wasmvino::ops {

// Checks the port maps of body 0 against the node: every body parameter has one input, back edges lead to
// parameters that have an initial value, outputs exist. Throws Error(kInvalidModel).
void check_port_map(const Node& node);

// Iterations of the sliced inputs, which must agree; nothing if no input is sliced or the dimension is
// dynamic. Throws Error(kInvalidShape) if start, end, stride and part_size do not fit the axis.
std::optional<int64_t> sliced_iterations(const Node& node, const InferContext& context);

// Sets the outputs: results of the body, concatenated over `iterations` (nothing: dynamic) or of the last
// iteration. Returns what is known about the body's results.
std::vector<ValueInfo> infer_loop(InferContext& context, std::optional<int64_t> iterations);

// The kernel of both. `trip_count` and `condition` are inputs of the node, for Loop; TensorIterator runs as
// often as its slices last.
std::unique_ptr<Kernel> compile_loop(CompileContext& context, std::optional<size_t> trip_count,
                                     std::optional<size_t> condition);

}  // namespace wasmvino::ops
