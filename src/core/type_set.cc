// SPDX-License-Identifier: Apache-2.0
#include "core/type_set.h"

#include <string_view>
#include <vector>

namespace wasmvino {

std::string to_string(TypeSet types) {
  static constexpr struct {
    TypeSet types;
    std::string_view name;
  } kClasses[] = {
      {kAllTypes, "any type"},
      {kAllTypes - kString, "any type but string"},
      {kWholeBytes, "any type of whole bytes"},
      {kNumbers, "a numeric type"},
      {kFloats, "a floating point type"},
      {kIntegers, "an integer type"},
      {kSmallIntegers, "an integer type below 8 bits"},
      {kSmallFloats, "a floating point type of 8 bits or less"},
  };
  std::vector<std::string_view> parts;
  for (const auto& [members, name] : kClasses) {
    if (!types.contains(members)) continue;
    parts.push_back(name);
    types = types - members;
  }
  for (size_t i = 0; i < kElementTypeCount; ++i) {
    const ElementType type = static_cast<ElementType>(i);
    if (types.contains(type)) parts.push_back(name(type));
  }
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += i == 0 ? "" : i + 1 < parts.size() ? ", " : " or ";
    text += parts[i];
  }
  return text;
}

}  // namespace wasmvino
