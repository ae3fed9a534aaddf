// SPDX-License-Identifier: Apache-2.0
// An operation declares its attributes once, to a visitor. The visitor reads or writes them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/element_type.h"
#include "core/shape.h"

namespace wasmvino::model {

using Floats = SmallVector<float, 6>;

// Points to the variable that holds an attribute.
using AttributePlace = std::variant<int64_t*, double*, bool*, std::string*, std::vector<std::string>*, Ints*,
                                    Floats*, ElementType*, PartialShape*>;

// An operation passes each attribute to on(name, place). The variable at `place` holds the default value, and
// is overwritten if the attribute is given.
class AttributeVisitor {
 public:
  virtual ~AttributeVisitor() = default;
  virtual void visit(std::string_view name, AttributePlace place) = 0;
  // Visits an enumeration: one of several words, in any letter case. `value` is the index of the word.
  virtual void on_choice(std::string_view name, int& value,
                         std::initializer_list<std::string_view> words) = 0;
  // Rejects the layer if the attribute is missing.
  virtual void require(std::string_view name) = 0;

  template <typename T>
  void on(std::string_view name, T& value) {
    visit(name, &value);
  }
  void on(std::string_view name, float& value) {
    double wide = value;
    visit(name, &wide);
    value = static_cast<float>(wide);
  }
  // For enumerations whose values count up from 0 in the order of `words`.
  template <typename Enum>
  void on_enum(std::string_view name, Enum& value, std::initializer_list<std::string_view> words) {
    int position = static_cast<int>(value);
    on_choice(name, position, words);
    value = static_cast<Enum>(position);
  }
};

// Attributes as pairs of name and text, as in the IR's <data> element.
using AttributeTexts = std::vector<std::pair<std::string, std::string>>;

// Reads attributes from texts by the rules of the IR. Lists are separated by commas or spaces. Booleans are
// true or 1; any other text means false. Enumerations ignore letter case. Unknown attributes are ignored.
// Throws Error(kInvalidModel), which names the attribute, the accepted values and the actual value.
class AttributeReader final : public AttributeVisitor {
 public:
  explicit AttributeReader(const AttributeTexts& texts) : texts_(texts) {}
  void visit(std::string_view name, AttributePlace place) override;
  void on_choice(std::string_view name, int& value, std::initializer_list<std::string_view> words) override;
  void require(std::string_view name) override;

 private:
  const std::string* find(std::string_view name) const;

  const AttributeTexts& texts_;
};

}  // namespace wasmvino::model
