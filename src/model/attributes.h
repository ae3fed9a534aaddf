// SPDX-License-Identifier: Apache-2.0
// An operation declares its attributes once, to a visitor that reads them.
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

// Where an attribute is kept.
using AttributePlace = std::variant<int64_t*, double*, bool*, std::string*, std::vector<std::string>*, Ints*,
                                    Floats*, ElementType*, PartialShape*>;

// An operation hands each attribute to on(name, place); the place holds the default, and is overwritten where
// the attribute is given.
class AttributeVisitor {
 public:
  virtual ~AttributeVisitor() = default;
  virtual void visit(std::string_view name, AttributePlace place) = 0;
  // One of several words, in any letter case; the value is the word's position.
  virtual void on_choice(std::string_view name, int& value,
                         std::initializer_list<std::string_view> words) = 0;
  // Refuses the layer where the attribute is absent.
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

// Attributes as the IR's <data> element gives them.
using AttributeTexts = std::vector<std::pair<std::string, std::string>>;

// Reads attributes from texts, by the rules of the IR: lists with commas and spaces, booleans true|1
// (anything else is false), enumerations in any letter case; unknown attributes are ignored. Throws
// Error(kInvalidModel) naming the attribute, what it may hold and what it holds.
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
