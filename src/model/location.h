// SPDX-License-Identifier: Apache-2.0
// Where in the file of a model something stands.
#pragma once

#include <cstdint>
#include <string_view>

namespace wasmvino::model {

// A layer of an .xml or an operator of a .param; with an empty type, only a line of the file.
struct Location {
  std::string_view layer;  // its name
  std::string_view type;
  int64_t id = -1;
  int version = 0;  // first opset of the operation's class; 0 where it is unknown
  int line = 0;     // in the file; 0 where unknown
};

}  // namespace wasmvino::model
