// SPDX-License-Identifier: Apache-2.0
// Calls by position. For functions that pnnx does not know, it writes PyTorch's internal name and all
// arguments as operands: aten::argsort with the tensor, the axis and the order.
#pragma once

#include <string_view>
#include <vector>

#include "frontends/pnnx/context.h"

namespace wasmvino::pnnx {

// The same call by name. Operands that are tensors stay inputs and are marked with their names. Those that
// are numbers, words, None or lists of numbers become parameters.
//
// `arguments` has the names, separated by spaces. Functions with several forms have one list of names for
// each, separated by |, shorter ones first; the number of operands selects one. Throws
// Error(kUnsupported) if there are too many operands.
Operator named_call(const Operator& op, std::string_view arguments, const std::vector<Value>& values);

// An operator without the marked inputs that are numbers, words or None. They become parameters.
Operator with_literals(const Operator& op, const std::vector<Value>& values);

// Whether the first inputs of a module are its weights, which are attributes, too: pnnx writes them so if the
// network uses the module several times. The second function leaves them out.
bool repeats_weights(const Operator& op, const std::vector<Value>& values);
Operator without_repeated_weights(Operator op);

// The tensors of a list that is input `i`: a tuple, or an expression such as [@0,@1]. A tensor counts as a
// list of one.
std::vector<Source> tensors_of(Context& c, size_t i);

}  // namespace wasmvino::pnnx
