// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "kernels/registers.h"

namespace wasmvino::kernels {

// Runs a check with the tiles for narrow and for wide registers. Both compute with vectors of 128 bits.
template <typename Check>
void with_both_registers(const Check& check) {
  for (const bool wide : {false, true}) {
    SCOPED_TRACE(wide ? "wide registers" : "narrow registers");
    set_wide_registers(wide);
    check();
  }
  set_wide_registers(false);
}

}  // namespace wasmvino::kernels
