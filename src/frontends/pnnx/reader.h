// SPDX-License-Identifier: Apache-2.0
// Reads PNNX: a .param of operators and a .bin of weights, as PyPI's pnnx writes them from PyTorch.
// https://github.com/Tencent/ncnn/tree/master/tools/pnnx
#pragma once

#include "frontends/common/frontend.h"

namespace wasmvino::pnnx {

// The front end, for the table of built-in front ends.
const frontends::Frontend& frontend();

}  // namespace wasmvino::pnnx
