// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wasmvino::ops {

// For who runs operations, before each run: lets kernels find out what registers they have
// (kernels/registers.h).
void probe_registers();

}  // namespace wasmvino::ops
