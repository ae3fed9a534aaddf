// SPDX-License-Identifier: Apache-2.0
// Expected letters are those of GPT-2's encoder.py.
#include "extension_tester.h"

namespace wasmvino::test::bytes_to_chars_test {
namespace {

TEST(BytesToChars, WritesLettersForBytes) {
  const auto results =
      run_extension("BytesToChars", {}, joined(rows_of({2}, {" a\n\xC3", " "}), {flags_of({0, 1})}), 6);
  EXPECT_EQ(texts_in(results, 2), (Texts{"\xC4\xA0"
                                         "a\xC4\x8A\xC3\x83",
                                         " "}));
  EXPECT_EQ(numbers_of(results[1]), (Numbers{2}));
}

}  // namespace
}  // namespace wasmvino::test::bytes_to_chars_test
