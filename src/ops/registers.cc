// SPDX-License-Identifier: Apache-2.0
#include "ops/registers.h"

#include "kernels/registers.h"

namespace wasmvino::ops {

void probe_registers() { kernels::probe_registers(); }

}  // namespace wasmvino::ops
