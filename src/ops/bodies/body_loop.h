// SPDX-License-Identifier: Apache-2.0
// Shared by TensorIterator and Loop: shape inference for a body that runs repeatedly, and the kernel that
// runs it.
#pragma once

#include <memory>
#include <optional>

#include "model/node.h"

namespace wasmvino::ops {

// Checks the port maps of body 0 against the node: every body parameter has one input, back edges lead to
// parameters with an initial value, outputs exist. Throws Error(kInvalidModel).
void check_port_map(const Node& node);

// The number of iterations of the sliced inputs, which must agree. Returns nullopt if no input is sliced or
// the dimension is dynamic. Throws Error(kInvalidShape) if start, end, stride and part_size do not fit the
// axis.
std::optional<int64_t> sliced_iterations(const Node& node, const InferContext& context);

// Sets the outputs: results of the body, either concatenated over `iterations` (nullopt: dynamic) or from the
// last iteration. Returns what is known about the body's results.
std::vector<ValueInfo> infer_loop(InferContext& context, std::optional<int64_t> iterations);

// The kernel of both operations. `trip_count` and `condition` are input indices of Loop. TensorIterator runs
// until its slices are used up.
std::unique_ptr<Kernel> compile_loop(CompileContext& context, std::optional<size_t> trip_count,
                                     std::optional<size_t> condition);

}  // namespace wasmvino::ops
