// SPDX-License-Identifier: Apache-2.0
// Which class a layer's type and version stand for.
#pragma once

#include <string>
#include <string_view>

#include "model/registry.h"

namespace wasmvino::ir {

// Begun, not complete: it holds seven operations.
inline constexpr int kNewestOpset = 17;

// 8 for "opset8"; 0 for anything else, and for opsets that do not exist.
int opset_number(std::string_view version);

// The class of `type` in the opset that `version` names; nullptr where there is none.
const model::OpClass* find_op_class(const model::Registry& registry, std::string_view type,
                                    std::string_view version);

// Why find_op_class() gave nullptr: the opset is unknown, the operation is, or it is not in that opset.
std::string explain_missing(const model::Registry& registry, std::string_view type, std::string_view version);

}  // namespace wasmvino::ir
