// SPDX-License-Identifier: Apache-2.0
// The attributes of operators that move a window over spatial axes: convolutions and pooling.
#pragma once

#include "frontends/onnx/context.h"

namespace wasmvino::onnx {

struct Windows {
  Ints strides, dilations, pads_begin, pads_end;
  std::string auto_pad;  // as OpenVINO's operations spell it

  // With the attribute dilations if `dilated`.
  model::Attributes attributes(bool dilated) const;
};

// For `spatial` axes.
Windows windows_of(Context& c, size_t spatial);

}  // namespace wasmvino::onnx
