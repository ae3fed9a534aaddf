// SPDX-License-Identifier: Apache-2.0
// Convolutions with the attributes of Conv, for the operators that contain one.
#pragma once

#include "frontends/onnx/context.h"

namespace wasmvino::onnx {

// Filters [out, in / groups, kernel...]. The attributes are those of the node.
Source convolve(Context& c, const Source& x, const Source& filters);

}  // namespace wasmvino::onnx
