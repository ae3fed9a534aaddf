// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/registry.h"

namespace wasmvino::ops {

// All operations of this build; made at the first call and never destroyed.
const model::Registry& registry();

}  // namespace wasmvino::ops
