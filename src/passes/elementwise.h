// SPDX-License-Identifier: Apache-2.0
// Tells passes how elementwise operations broadcast, and which of their functions the kernels implement.
#pragma once

#include <optional>

#include "model/node.h"
#include "ops/elementwise/elementwise.h"

namespace wasmvino::passes {

// The broadcasting rule of a node; nullopt for operations without one.
std::optional<ops::AutoBroadcast> auto_broadcast(const model::Node& node);
// Whether the node broadcasts by numpy's rule.
bool is_numpy(const model::Node& node);

// Whether a node is the sum of two f32 values with the same partial shape. Dynamic dimensions may still
// differ at run time, and are then broadcast by numpy's rule.
bool is_sum_of_likes(const model::Node& node);

// The function that a node applies to each element of input 0, if the kernels implement it.
std::optional<ops::UnaryFunction> unary_function_of(const model::Node& node);

}  // namespace wasmvino::passes
