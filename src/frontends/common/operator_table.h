// SPDX-License-Identifier: Apache-2.0
// What the front ends' tables of operators share. An entry has a `type`, the operator, and `operations`: the
// names of the operations that do its work, separated by spaces.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace wasmvino::frontends {

// Whether a list of names, separated by spaces, contains `name`.
inline bool lists(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::string_view first = names.substr(0, names.find(' '));
    if (first == name) return true;
    names.remove_prefix(std::min(first.size() + 1, names.size()));
  }
  return false;
}

// The operators that are built with an operation, sorted, each once.
template <typename Families>
std::vector<std::string_view> operators_with(const Families& families, std::string_view operation) {
  std::vector<std::string_view> found;
  for (const auto& family : families) {
    for (const auto& entry : family) {
      if (lists(entry.operations, operation)) found.push_back(entry.type);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace wasmvino::frontends
