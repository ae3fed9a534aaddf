// SPDX-License-Identifier: Apache-2.0
// Expected values come from the Unicode standard.
#include "extension_tester.h"

namespace wasmvino::test::utf8_validate_test {
namespace {

Texts validate(const Texts& texts, const std::string& replace) {
  return texts_in(run_extension("UTF8Validate", {{"replace_mode", replace}}, strings_of(texts), 3));
}

// The examples of the Unicode standard, tables 3-8 to 3-11.
TEST(UTF8Validate, ReplacesEachMaximalPartThatIsInvalid) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(validate({"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"}, "true"),
            (Texts{r + r + r + r + r + r + r + r + "A"}));
  EXPECT_EQ(validate({"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"}, "true"),
            (Texts{r + r + r + r + r + r + r + r + "A"}));
  EXPECT_EQ(validate({"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"}, "true"),
            (Texts{r + r + r + r + r + "A" + r + r + "B"}));
  EXPECT_EQ(validate({"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"}, "true"), (Texts{r + r + r + r + "A"}));
}

TEST(UTF8Validate, DropsThemOtherwise) {
  EXPECT_EQ(validate({"a\xFF"
                      "b",
                      "\xE4\xB8", "\xE4\xB8\xAD"},
                     "false"),
            (Texts{"ab", "", "\xE4\xB8\xAD"}));
}

}  // namespace
}  // namespace wasmvino::test::utf8_validate_test
