// SPDX-License-Identifier: Apache-2.0
// The element types of ONNX: TensorProto.DataType.
#pragma once

#include <cstdint>

#include "core/element_type.h"

namespace wasmvino::onnx {

// Throws Error(kUnsupported), which names the type, if tensors cannot have it here.
ElementType element_type(int64_t number);

}  // namespace wasmvino::onnx
