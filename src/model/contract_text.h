// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/type_contract.h"

namespace wasmvino::model {

// "data: a numeric type; slope: as data", for lists of operations.
std::string describe(const TypeContract& contract);

}  // namespace wasmvino::model
