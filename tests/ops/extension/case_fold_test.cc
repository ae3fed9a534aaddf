// SPDX-License-Identifier: Apache-2.0
// Expected values come from Unicode's CaseFolding.txt.
#include "extension_tester.h"

namespace wasmvino::test::case_fold_test {
namespace {

Texts fold(const Texts& texts, const model::AttributeTexts& attributes) {
  return texts_in(run_extension("CaseFold", attributes, strings_of(texts), 3));
}

TEST(CaseFold, FoldsEachCharacter) {
  EXPECT_EQ(fold({"A\xC3\x84\xE1\xBA\x9E", "\xC5\xBF\xCF\x82\xC4\xB0"}, {}),
            (Texts{"a\xC3\xA4\xC3\x9F", "s\xCF\x83\xC4\xB0"}));
}

TEST(CaseFold, ChangesAsciiLetters) {
  EXPECT_EQ(fold({"aZ\xC3\x84[`"}, {{"encoding", ""}}), (Texts{"az\xC3\x84[`"}));
  EXPECT_EQ(fold({"aZ\xC3\xA4{@"}, {{"encoding", ""}, {"lower", "false"}}), (Texts{"AZ\xC3\xA4{@"}));
  expect_error(ErrorCode::kInvalidModel, "'encoding' is 'utf-8'", [] { fold({"a"}, {{"lower", "false"}}); });
}

}  // namespace
}  // namespace wasmvino::test::case_fold_test
