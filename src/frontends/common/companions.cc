// SPDX-License-Identifier: Apache-2.0
#include "frontends/common/companions.h"

#include <algorithm>

#include "core/error.h"
#include "model/problems.h"

namespace wasmvino::frontends {

bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.front() == '\\') return false;
  if (path.find(':') != std::string_view::npos || path.find('\0') != std::string_view::npos) return false;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find_first_of("/\\"));
    if (part == "..") return false;
    path.remove_prefix(std::min(part.size() + 1, path.size()));
  }
  return true;
}

std::shared_ptr<const ByteSource> Companions::find(std::string_view path) const {
  if (!stays_inside(path)) {
    fail(ErrorCode::kInvalidModel, "names the file '", model::brief(path),
         "', expected a relative path without '..'");
  }
  return find_ == nullptr ? nullptr : find_(std::string(path));
}

}  // namespace wasmvino::frontends
