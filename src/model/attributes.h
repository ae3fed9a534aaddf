// SPDX-License-Identifier: Apache-2.0
// An operation declares its attributes once, to a visitor that reads them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/element_type.h"
#include "core/shape.h"

namespace wasmvino::model {

using Floats = SmallVector<float, 6>;

// An operation hands each attribute to on(name, place); the place holds the default, and is overwritten where
// the attribute is given.
class AttributeVisitor {
 public:
  virtual ~AttributeVisitor() = default;
  virtual void on(std::string_view name, int64_t& value) = 0;
  virtual void on(std::string_view name, double& value) = 0;
  virtual void on(std::string_view name, bool& value) = 0;
  virtual void on(std::string_view name, std::string& value) = 0;
  virtual void on(std::string_view name, std::vector<std::string>& value) = 0;
  virtual void on(std::string_view name, Ints& value) = 0;
  virtual void on(std::string_view name, Floats& value) = 0;
  virtual void on(std::string_view name, ElementType& value) = 0;
  virtual void on(std::string_view name, PartialShape& value) = 0;
  // One of several words, in any letter case; the value is the word's position.
  virtual void on_choice(std::string_view name, int& value,
                         std::initializer_list<std::string_view> words) = 0;
  // Refuses the layer where the attribute is absent.
  virtual void require(std::string_view name) = 0;

  void on(std::string_view name, float& value) {
    double wide = value;
    on(name, wide);
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
  using AttributeVisitor::on;
  void on(std::string_view name, int64_t& value) override;
  void on(std::string_view name, double& value) override;
  void on(std::string_view name, bool& value) override;
  void on(std::string_view name, std::string& value) override;
  void on(std::string_view name, std::vector<std::string>& value) override;
  void on(std::string_view name, Ints& value) override;
  void on(std::string_view name, Floats& value) override;
  void on(std::string_view name, ElementType& value) override;
  void on(std::string_view name, PartialShape& value) override;
  void on_choice(std::string_view name, int& value, std::initializer_list<std::string_view> words) override;
  void require(std::string_view name) override;

 private:
  const std::string* find(std::string_view name) const;

  const AttributeTexts& texts_;
};

}  // namespace wasmvino::model
