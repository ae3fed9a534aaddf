// SPDX-License-Identifier: Apache-2.0
// Expected values come from OpenVINO Tokenizers 2026.4.1, except for texts that are not UTF-8.
#include "extension_tester.h"

namespace wasmvino::test::regex_split_test {
namespace {

Texts split(const std::string& text, const std::string& pattern, const model::AttributeTexts& attributes) {
  return texts_in(
      run_extension("RegexSplit", attributes, joined(rows_of({1}, {text}), {bytes_of(pattern)}), 5), 2);
}

TEST(RegexSplit, HasFiveBehaviours) {
  struct Case {
    std::string behaviour, invert;
    Texts expected, expected_after_space;
  };
  const Case cases[] = {
      {"remove", "false", {"a", "b", "c"}, {"ab"}},
      {"remove", "true", {" ", " ", " ", " "}, {" "}},
      {"isolate", "false", {"a", " ", "b", " ", " ", "c", " "}, {" ", "ab"}},
      {"isolate", "true", {"a", " ", "b", " ", " ", "c", " "}, {" ", "ab"}},
      {"contiguous", "false", {"a", " ", "b", "  ", "c", " "}, {" ", "ab"}},
      {"mergedwithprevious", "false", {"a ", "b ", "b  ", "c "}, {" ", "ab"}},
      {"mergedwithprevious", "true", {"a", " b", " c", " "}, {" ab"}},
      {"mergedwithnext", "false", {"a", " b", " c", " "}, {" ab"}},
      {"mergedwithnext", "true", {"a ", "b ", "b  ", "c "}, {" "}},
  };
  for (const Case& each : cases) {
    const model::AttributeTexts attributes = {{"behaviour", each.behaviour}, {"invert", each.invert}};
    EXPECT_EQ(split("a b  c ", " ", attributes), each.expected) << each.behaviour << each.invert;
    EXPECT_EQ(split(" ab", " ", attributes), each.expected_after_space) << each.behaviour << each.invert;
  }
  EXPECT_EQ(split("x", " ", {{"behaviour", "mergedwithnext"}, {"invert", "true"}}), Texts());
}

TEST(RegexSplit, EndsThePieceOfMaxSplits) {
  EXPECT_EQ(split("a b c d", " ", {{"behaviour", "isolate"}, {"max_splits", "1"}}),
            (Texts{"a", " b c d", "b", " ", "c", " ", "d"}));
  EXPECT_EQ(split("a b c d", " ", {{"behaviour", "isolate"}, {"max_splits", "2"}}),
            (Texts{"a", " ", "b c d", " ", "c", " ", "d"}));
  expect_error(ErrorCode::kInvalidModel, "'max_splits' is 0", [] { split("a", " ", {{"max_splits", "0"}}); });
}

TEST(RegexSplit, KeepsRowsAndSkipsWhatIsSkipped) {
  const auto results = run_extension(
      "RegexSplit", {{"behaviour", "isolate"}},
      joined(rows_of({2, 0, 1}, {"a b", "c d", "e f"}), {flags_of({0, 1, 0}), bytes_of(" ")}), 6);
  EXPECT_EQ(texts_in(results, 2), (Texts{"a", " ", "b", "c d", "e", " ", "f"}));
  EXPECT_EQ(flags_in(results[5]), (std::vector<int>{0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(numbers_of(results[0]), (Numbers{0, 4, 4}));
  EXPECT_EQ(numbers_of(results[1]), (Numbers{4, 4, 7}));
}

TEST(RegexSplit, SkipsTokensOfOlderTokenizers) {
  const auto results =
      run_extension("RegexSplit", {{"behaviour", "isolate"}},
                    joined(joined(rows_of({2}, {"a b", "c d"}), {bytes_of(" ")}), strings_of({"c d"})), 5);
  EXPECT_EQ(texts_in(results, 2), (Texts{"a", " ", "b", "c d"}));
}

TEST(RegexSplit, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(split("a\xF0\x9F b\xFF\xC3", " ", {{"behaviour", "isolate"}}),
            (Texts{"a\xEF\xBF\xBD", " ", "b\xEF\xBF\xBD\xEF\xBF\xBD"}));
}

TEST(RegexSplit, HasTheClassesOfPcre2) {
  const model::AttributeTexts isolate = {{"behaviour", "isolate"}};
  EXPECT_EQ(split("\xC2\x85x\xE1\xA0\x8Ey\xEF\xBB\xBF", "\\s", isolate),
            (Texts{"\xC2\x85", "x", "\xE1\xA0\x8E", "y\xEF\xBB\xBF"}))
      << "U+0085 and U+180E are spaces, U+FEFF is none";
  EXPECT_EQ(split("12345", "\\p{N}{1,3}+", isolate), (Texts{"123", "45"}));
}

TEST(RegexSplit, RefusesWhatItCannotMatch) {
  expect_error(ErrorCode::kInvalidValue, "'(' is invalid at byte 1", [] { split("a", "(", {}); });
  expect_error(ErrorCode::kInvalidValue, "does not end on a text of 41 bytes",
               [] { split(std::string(40, 'a') + "!", "^(a+)+$", {}); });
  const auto inputs = joined(rows_of({2}, {"a"}), {bytes_of(" ")});
  expect_error(ErrorCode::kInvalidValue, "row 0 is 0..2, outside the 1",
               [&] { run_extension("RegexSplit", {}, inputs, 5); });
}

// Without offsets as starts, each search would look at the whole text again.
TEST(RegexSplit, SplitsALongTextInLinearTime) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "word ";
  EXPECT_EQ(split(text, " ?\\p{L}+|\\s+(?!\\S)|\\s+", {{"behaviour", "isolate"}}).size(), 20001u);
}

}  // namespace
}  // namespace wasmvino::test::regex_split_test
