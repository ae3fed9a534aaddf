// SPDX-License-Identifier: Apache-2.0
#include "model/attributes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace wasmvino::model {
namespace {

enum class Mode { kNumpy, kBidirectional };

struct Everything {
  int64_t axis = 7;
  double factor = 1.5;
  bool flag = false;
  std::string text = "default";
  std::vector<std::string> words;
  Ints list = {9};
  Floats numbers;
  ElementType type = ElementType::kI64;
  PartialShape shape;
  Mode mode = Mode::kNumpy;

  void visit(AttributeVisitor& visitor) {
    visitor.on("axis", axis);
    visitor.on("factor", factor);
    visitor.on("flag", flag);
    visitor.on("text", text);
    visitor.on("words", words);
    visitor.on("list", list);
    visitor.on("numbers", numbers);
    visitor.on("type", type);
    visitor.on("shape", shape);
    visitor.on_enum("mode", mode, {"numpy", "bidirectional"});
  }
};

Everything read(const AttributeTexts& texts) {
  Everything attributes;
  AttributeReader reader(texts);
  attributes.visit(reader);
  return attributes;
}

TEST(AttributeReader, KeepsDefaultsAndIgnoresWhatItDoesNotKnow) {
  const Everything attributes = read({{"unknown", "1"}});
  EXPECT_EQ(attributes.axis, 7);
  EXPECT_EQ(attributes.list, Ints{9});
}

TEST(AttributeReader, ReadsEachKind) {
  const Everything attributes = read({{"axis", " -3"},
                                      {"factor", "-5e-1"},
                                      {"flag", "True"},
                                      {"words", "sigmoid, tanh"},
                                      {"list", "1, 2,3"},
                                      {"numbers", "inf,-1.0E0, nan"},
                                      {"type", "f16"},
                                      {"shape", "1,?,2..5"},
                                      {"mode", "BIDIRECTIONAL"}});
  EXPECT_EQ(attributes.axis, -3);
  EXPECT_EQ(attributes.factor, -0.5);
  EXPECT_TRUE(attributes.flag);
  EXPECT_EQ(attributes.words, (std::vector<std::string>{"sigmoid", "tanh"}));
  EXPECT_EQ(attributes.list, (Ints{1, 2, 3}));
  EXPECT_TRUE(std::isinf(attributes.numbers[0]) && std::isnan(attributes.numbers[2]));
  EXPECT_EQ(attributes.type, ElementType::kF16);
  EXPECT_EQ(to_string(attributes.shape), "[1,?,2..5]");
  EXPECT_EQ(attributes.mode, Mode::kBidirectional);
}

TEST(AttributeReader, TakesAnEmptyListAndAnyTextForFalse) {
  EXPECT_TRUE(read({{"list", ""}}).list.empty());
  EXPECT_FALSE(read({{"flag", "maybe"}}).flag);
  EXPECT_TRUE(read({{"flag", "1"}}).flag);
}

TEST(AttributeReader, RefusesWhatIsNoneOfItsKind) {
  for (const auto& [name, text] : AttributeTexts{{"axis", "two"},
                                                 {"axis", "9223372036854775808"},
                                                 {"axis", "1.5"},
                                                 {"factor", "1,5"},
                                                 {"list", "1,,2"},
                                                 {"type", "F16"},
                                                 {"shape", "1,x"},
                                                 {"mode", "sideways"}}) {
    try {
      read({{name, text}});
      ADD_FAILURE() << name << " took '" << text << "'";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(cat("attribute '", name, "' is '", text, "'")),
                std::string::npos)
          << error.what();
    }
  }
  const AttributeTexts none;
  AttributeReader reader(none);
  EXPECT_THROW(reader.require("axis"), Error);
}

}  // namespace
}  // namespace wasmvino::model
