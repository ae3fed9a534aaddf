// SPDX-License-Identifier: Apache-2.0
// PyTorch's functions of one and two numbers, as expressions and as operators name them.
#pragma once

#include "frontends/pnnx/context.h"

namespace wasmvino::pnnx {

// nullptr if there is no function of that name.
using Unary = Source (*)(Context& c, Source x);
Unary find_unary(std::string_view name);

// Both operands must have the same type, except for `pow` of a real number and an integer.
using Binary = Source (*)(Context& c, Source a, Source b);
Binary find_binary(std::string_view name);

}  // namespace wasmvino::pnnx
