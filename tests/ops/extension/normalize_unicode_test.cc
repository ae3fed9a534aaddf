// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::normalize_unicode_test {
namespace {

TEST(NormalizeUnicode, HasFourForms) {
  const auto run = [](const std::string& form) {
    return texts_in(run_extension("NormalizeUnicode", {{"normalization_form", form}},
                                  strings_of({" \xC3\xA9\xC2\xB2 "}), 3))[0];
  };
  EXPECT_EQ(run("NFC"), " \xC3\xA9\xC2\xB2 ");
  EXPECT_EQ(run("NFD"), " e\xCC\x81\xC2\xB2 ");
  EXPECT_EQ(run("NFKC"),
            " \xC3\xA9"
            "2 ");
  EXPECT_EQ(run("NFKD"),
            " e\xCC\x81"
            "2 ");
}

}  // namespace
}  // namespace wasmvino::test::normalize_unicode_test
