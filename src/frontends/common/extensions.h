// SPDX-License-Identifier: Apache-2.0
// Operations from outside of the engine: layers of their type and version have them, letter by letter.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/op.h"

namespace wasmvino::frontends {

struct Extension {
  std::string type, version;
  std::function<std::shared_ptr<model::Op>(const model::AttributeTexts&)> make;
};

// Those of the models that are read from now on. Not while a model is read.
void set_extensions(std::vector<Extension> extensions);
// nullptr where there is none.
const Extension* find_extension(std::string_view type, std::string_view version);

}  // namespace wasmvino::frontends
