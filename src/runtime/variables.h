// SPDX-License-Identifier: Apache-2.0
// What a request does with the memory of its variables.
#pragma once

#include "core/parallel.h"
#include "model/variable.h"

namespace wasmvino::runtime {

// Brings the value, if it is set, into another form.
void lay_out(model::Variable& variable, const model::VariableForm& form, const Parallel& parallel);

// Memory for the next value of a variable, which begins with the current one: `shape` differs only in the
// outermost axis that has more than one element. The current value may move, but does not change.
Tensor extend(model::Variable& variable, const Shape& shape);

}  // namespace wasmvino::runtime
