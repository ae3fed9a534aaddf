// SPDX-License-Identifier: Apache-2.0
// Checks of an operation's inputs, with messages that name them as the specification does.
#pragma once

#include <optional>
#include <string_view>

#include "model/op.h"

namespace wasmvino::ops {

// Throws Error(kInvalidType) unless input i has an integral type (or none yet).
void expect_integral(const InferContext& context, size_t i, std::string_view what);

// The element type that inputs a and b share; either may be open yet. Throws Error(kInvalidType) where they
// differ.
ElementType expect_same_type(const InferContext& context, size_t a, std::string_view what_a, size_t b,
                             std::string_view what_b);

// Throws Error(kInvalidShape) unless input i has rank first..last (or none yet).
void expect_rank(const InferContext& context, size_t i, size_t first, size_t last, std::string_view what);

// The integers of an input that shapes depend on (axes, pads ...): integral, a scalar or 1-D. Nothing while
// unknown.
std::optional<Ints> known_ints(InferContext& context, size_t i, std::string_view what);

// The one integer of such an input.
std::optional<int64_t> known_int(InferContext& context, size_t i, std::string_view what);

// How many integers the input will hold: 1 for a scalar; nothing while unknown.
std::optional<size_t> length_of(const InferContext& context, size_t i);

// Throws Error(kInvalidValue) for an attribute or input of integers with another length than wanted.
void expect_length(const Ints& values, size_t length, std::string_view what);

// An input that names one axis (a scalar or one element), not needed for shapes: checks its type and size.
void expect_axis_input(const InferContext& context, size_t i, std::string_view what = "axis");

}  // namespace wasmvino::ops
