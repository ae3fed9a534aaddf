// SPDX-License-Identifier: Apache-2.0
// PyTorch's functions of one and two numbers, as expressions and as operators name them.
#pragma once

#include "frontends/pnnx/context.h"

namespace wasmvino::pnnx {

// nullptr where there is no function of that name.
using Unary = Source (*)(Context& c, Source x);
Unary find_unary(std::string_view name);

// Both operands have one type by then, but for `pow` of a real number with an integer.
using Binary = Source (*)(Context& c, Source a, Source b);
Binary find_binary(std::string_view name);

}  // namespace wasmvino::pnnx
