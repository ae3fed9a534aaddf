// SPDX-License-Identifier: Apache-2.0
// Elementwise operations as passes see them: how they broadcast, and the functions that kernels know.
#pragma once

#include <optional>

#include "model/node.h"
#include "ops/elementwise/elementwise.h"

namespace wasmvino::passes {

// The rule by which a node broadcasts; nothing for operations without one.
std::optional<ops::AutoBroadcast> auto_broadcast(const model::Node& node);
// Whether that is numpy's.
bool is_numpy(const model::Node& node);

// Whether a node is the sum of two values of f32 whose shapes are written alike. Dynamic dimensions may
// still differ, and be broadcast by numpy's rule.
bool is_sum_of_likes(const model::Node& node);

// The function that a node applies to each element of its input 0, where it is one that kernels know.
std::optional<ops::UnaryFunction> unary_function_of(const model::Node& node);

}  // namespace wasmvino::passes
