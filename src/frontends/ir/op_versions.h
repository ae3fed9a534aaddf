// SPDX-License-Identifier: Apache-2.0
// Finds the operation class for a layer's type and version.
#pragma once

#include <string>
#include <string_view>

#include "model/registry.h"

namespace wasmvino::ir {

// Opset 17 is incomplete: it contains seven operations.
inline constexpr int kNewestOpset = 17;

// 8 for "opset8"; 0 for anything else, and for opsets that do not exist.
int opset_number(std::string_view version);

// The class of `type` in the opset or the domain that `version` names, or nullptr if there is none.
const model::OpClass* find_op_class(const model::Registry& registry, std::string_view type,
                                    std::string_view version);

// Why find_op_class() returned nullptr: the opset or the operation is unknown, or the opset lacks the
// operation.
std::string explain_missing(const model::Registry& registry, std::string_view type, std::string_view version);

}  // namespace wasmvino::ir
