// SPDX-License-Identifier: Apache-2.0
// How ports of OpenVINO IR write element types.
#pragma once

#include <string_view>

#include "core/element_type.h"

namespace wasmvino {

// "FP32", "BOOL", "BIN" ...: what parse_precision() reads.
std::string_view precision(ElementType type);

}  // namespace wasmvino
