// SPDX-License-Identifier: Apache-2.0
// Checks of an operation's inputs, with messages that use the specification's names.
#pragma once

#include <optional>
#include <string_view>

#include "model/op.h"

namespace wasmvino::ops {

// Throws Error(kInvalidShape) unless input i has rank first..last (or no rank yet).
void expect_rank(const InferContext& context, size_t i, size_t first, size_t last, std::string_view what);

// The integers of an input on which shapes depend (axes, pads ...), a scalar or 1-D tensor. nullopt while
// unknown.
std::optional<Ints> known_ints(InferContext& context, size_t i, std::string_view what);

// The single integer of such an input.
std::optional<int64_t> known_int(InferContext& context, size_t i, std::string_view what);

// How many integers the input will hold: 1 for a scalar; nullopt while unknown.
std::optional<size_t> length_of(const InferContext& context, size_t i);

// Throws Error(kInvalidValue) if an attribute or input of integers does not have the given length.
void expect_length(const Ints& values, size_t length, std::string_view what);

// Throws Error(kInvalidShape) unless input i is a scalar or has one element (or no shape yet).
void expect_single(const InferContext& context, size_t i, std::string_view what = "axis");

}  // namespace wasmvino::ops
