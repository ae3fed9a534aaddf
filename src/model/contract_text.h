// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/type_contract.h"

namespace wasmvino::model {

// Describes a contract for lists of operations: "data: a numeric type; slope: as data".
std::string describe(const TypeContract& contract);

}  // namespace wasmvino::model
