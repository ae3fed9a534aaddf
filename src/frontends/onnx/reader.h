// SPDX-License-Identifier: Apache-2.0
// The front end of ONNX.
#pragma once

#include "frontends/common/frontend.h"

namespace wasmvino::onnx {

const frontends::Frontend& frontend();

}  // namespace wasmvino::onnx
