// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/families.h"

#include <unordered_map>

namespace wasmvino::onnx {
namespace {

using Table = std::unordered_multimap<std::string_view, const Entry*>;

// By type. Few types occur in several domains.
const Table& table() {
  // Never destroyed.
  static const Table& made = *[] {
    auto* entries = new Table;
    for (const std::span<const Entry> family : all_families()) {
      for (const Entry& entry : family) entries->emplace(entry.type, &entry);
    }
    return entries;
  }();
  return made;
}

}  // namespace

std::span<const std::span<const Entry>> all_families() {
  static const std::span<const Entry> families[] = {activations(),
                                                    arithmetic(),
                                                    attention(),
                                                    casts(),
                                                    comparisons(),
                                                    constants(),
                                                    control_flow(),
                                                    convolutions(),
                                                    images(),
                                                    losses(),
                                                    matrices(),
                                                    movement(),
                                                    normalizations(),
                                                    pooling(),
                                                    recurrent(),
                                                    reductions(),
                                                    shapes(),
                                                    quantised(),
                                                    rearrangements(),
                                                    sequences(),
                                                    signals(),
                                                    states(),
                                                    texts(),
                                                    encoders(),
                                                    trees(),
                                                    vectors(),
                                                    experts(),
                                                    microsoft(),
                                                    microsoft_attention(),
                                                    packed_weights(),
                                                    quantised_functions()};
  return families;
}

const Entry* find_entry(std::string_view domain, std::string_view type, int opset) {
  const auto [first, last] = table().equal_range(type);
  for (auto it = first; it != last; ++it) {
    const Entry& entry = *it->second;
    if (entry.domain == domain && opset >= entry.opsets.since && opset <= entry.opsets.until) return &entry;
  }
  return nullptr;
}

const Entry* find_any_entry(std::string_view domain, std::string_view type) {
  const auto [first, last] = table().equal_range(type);
  for (auto it = first; it != last; ++it) {
    if (it->second->domain == domain) return it->second;
  }
  return nullptr;
}

}  // namespace wasmvino::onnx
