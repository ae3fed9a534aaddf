// SPDX-License-Identifier: Apache-2.0
#include "frontends/common/extensions.h"

#include <algorithm>

namespace wasmvino::frontends {
namespace {

std::vector<Extension>& all_extensions() {
  static std::vector<Extension>& all = *new std::vector<Extension>;
  return all;
}

}  // namespace

void set_extensions(std::vector<Extension> extensions) { all_extensions() = std::move(extensions); }

const Extension* find_extension(std::string_view type, std::string_view version) {
  const std::vector<Extension>& all = all_extensions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Extension& each) {
    return each.type == type && each.version == version;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace wasmvino::frontends
