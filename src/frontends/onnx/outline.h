// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontends/common/outline.h"
#include "frontends/onnx/model_file.h"

namespace wasmvino::onnx {

frontends::Outline outline_of(const ModelFile& file);

}  // namespace wasmvino::onnx
