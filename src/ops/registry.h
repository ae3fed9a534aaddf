// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/registry.h"

namespace wasmvino::ops {

// All operations of this build. Made at the first call and never destroyed.
const model::Registry& registry();

}  // namespace wasmvino::ops
