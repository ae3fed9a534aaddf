// SPDX-License-Identifier: Apache-2.0
// PyTorch's unary and binary functions of numbers, as named in expressions and operators.
#pragma once

#include "frontends/pnnx/context.h"

namespace wasmvino::pnnx {

// nullptr if there is no function of that name.
using Unary = Source (*)(Context& c, const Source& x);
Unary find_unary(std::string_view name);

// Both operands must have the same type, except for `pow` of a real number and an integer.
using Binary = Source (*)(Context& c, const Source& a, const Source& b);
Binary find_binary(std::string_view name);

}  // namespace wasmvino::pnnx
