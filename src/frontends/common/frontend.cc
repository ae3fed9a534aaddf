// SPDX-License-Identifier: Apache-2.0
#include "frontends/common/frontend.h"

namespace wasmvino::frontends {

std::string read_text(const ByteSource& source) {
  std::string text(source.size(), '\0');
  source.read(0, text.size(), text.data());
  return text;
}

}  // namespace wasmvino::frontends
