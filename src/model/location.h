// SPDX-License-Identifier: Apache-2.0
// A position in the file of a model.
#pragma once

#include <cstdint>
#include <string_view>

namespace wasmvino::model {

// A layer of an .xml or an operator of a .param. If the type is empty, only the line is known.
struct Location {
  std::string_view layer;  // its name
  std::string_view type;
  int64_t id = -1;
  int version = 0;  // first opset of the operation's class; 0 if unknown
  int line = 0;     // in the file; 0 if unknown
};

}  // namespace wasmvino::model
