// SPDX-License-Identifier: Apache-2.0
#include "ops/registry.h"

namespace wasmvino::ops {

const model::Registry& registry() {
  static const model::Registry* const all = [] {
    auto* made = new model::Registry;
    register_all(*made);
    return made;
  }();
  return *all;
}

}  // namespace wasmvino::ops
