// SPDX-License-Identifier: Apache-2.0
// Expected values come from OpenVINO Tokenizers 2026.4.1.
#include "extension_tester.h"

namespace wasmvino::test::regex_normalization_test {
namespace {

std::string replace(const std::string& text, const std::string& pattern, const std::string& replacement,
                    const std::string& all = "true") {
  const auto inputs = joined(strings_of({text}), {bytes_of(pattern), bytes_of(replacement)});
  return texts_in(run_extension("RegexNormalization", {{"global_replace", all}}, inputs, 3))[0];
}

TEST(RegexNormalization, ReplacesAllMatchesOrTheFirst) {
  EXPECT_EQ(replace("a  b\t c", "\\s+", " "), "a b c");
  EXPECT_EQ(replace("a  b\t c", "\\s+", " ", "false"), "a b\t c");
  EXPECT_EQ(replace("", "^", "_"), "_");
}

TEST(RegexNormalization, FindsEmptyMatches) {
  EXPECT_EQ(replace("abc", "^", "_"), "_abc");
  EXPECT_EQ(replace("ab", "$", "!"), "ab!");
  EXPECT_EQ(replace("axxb", "x*", "-"), "-a--b-");
  EXPECT_EQ(replace("axxb", "x*", "-", "false"), "-axxb");
  EXPECT_EQ(replace("abc", "b|", "-"), "-a--c-");
}

TEST(RegexNormalization, PutsGroupsIntoTheReplacement) {
  EXPECT_EQ(replace("ab a", "(a)(b)?", "<\\1\\2>", "false"), "<ab> a");
  EXPECT_EQ(replace("ab a", "(a)(b)?", "<\\1\\2>"), "ab a") << "the second match has no group 2";
  EXPECT_EQ(replace("abc", "(?<n>b)", "[${n}]"), "a[b]c");
  EXPECT_EQ(replace("aba", "a", "$$"), "$b$");
  EXPECT_EQ(replace("it 's", "(?| ([\\\\.])| ('[ms]))", "$1"), "it's");
  for (const char* replacement : {"$2", "$", "${1", "$name", "\\3"}) {
    expect_error(ErrorCode::kInvalidValue, "refers to no group", [&] { replace("a", "(a)", replacement); });
  }
}

TEST(RegexNormalization, ReplacesPatternsOfOlderTokenizers) {
  EXPECT_EQ(replace("\nb", "(^)(.)", "_$2"), "_\nb");
}

TEST(RegexNormalization, KeepsWhatIsSkipped) {
  const auto inputs = joined(strings_of({"a a", "a a"}), {flags_of({0, 1}), bytes_of("a"), bytes_of("b")});
  const auto results = run_extension("RegexNormalization", {}, inputs, 4);
  EXPECT_EQ(texts_in(results), (Texts{"b b", "a a"}));
  EXPECT_EQ(flags_in(results[3]), (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace wasmvino::test::regex_normalization_test
