// SPDX-License-Identifier: Apache-2.0
// Operations that are defined outside of the engine. A layer uses one if its type and version match exactly.
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

// Sets the extensions for models that are read from now on. Do not call it while a model is being read.
void set_extensions(std::vector<Extension> extensions);
// nullptr if there is none.
const Extension* find_extension(std::string_view type, std::string_view version);

}  // namespace wasmvino::frontends
