// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/families.h"

#include <unordered_map>

namespace wasmvino::pnnx {

std::span<const std::span<const Entry>> all_families() {
  static const std::span<const Entry> families[] = {
      activations(),    attention(),       boxes(),   complex_numbers(), convolutions(), creation(),
      elementwise(),    graph_operators(), images(),  indexing(),        joins(),        matrices(),
      normalizations(), padding(),         pooling(), recurrent(),       reductions(),   scatters(),
      shapes(),         sorting(),         spectra()};
  return families;
}

const Entry* find_entry(std::string_view type) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Entry*> made;
    for (const std::span<const Entry> family : all_families()) {
      for (const Entry& entry : family) made.emplace(entry.type, &entry);
    }
    return made;
  }();
  const auto found = table.find(type);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace wasmvino::pnnx
