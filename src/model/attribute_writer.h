// SPDX-License-Identifier: Apache-2.0
// Writes the attributes of an operation as texts. This is the counterpart of AttributeReader.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "model/attributes.h"

namespace wasmvino::model {

// Collects the texts from which AttributeReader would read the same values.
class AttributeWriter final : public AttributeVisitor {
 public:
  void visit(std::string_view name, AttributePlace place) override;
  void on_choice(std::string_view name, int& value, std::initializer_list<std::string_view> words) override;
  void require(std::string_view) override {}

  const AttributeTexts& texts() const { return texts_; }

 private:
  void add(std::string_view name, std::string text) { texts_.emplace_back(name, std::move(text)); }

  AttributeTexts texts_;
};

}  // namespace wasmvino::model
