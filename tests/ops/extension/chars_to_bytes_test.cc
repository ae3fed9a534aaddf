// SPDX-License-Identifier: Apache-2.0
// Expected bytes are those of GPT-2's encoder.py.
#include "extension_tester.h"

namespace wasmvino::test::chars_to_bytes_test {
namespace {

TEST(CharsToBytes, ReadsLettersOfBytes) {
  EXPECT_EQ(texts_in(run_extension("CharsToBytes", {},
                                   rows_of({2, 1}, {"\xC4\xA0"
                                                    "a",
                                                    "\xC4\x8A\xC3\x83", "\xC5\x83"}),
                                   3)),
            (Texts{" a\n\xC3", "\xAD"}));
}

TEST(CharsToBytes, KeepsWhatStandsForNoByte) {
  EXPECT_EQ(texts_in(run_extension("CharsToBytes", {}, rows_of({1}, {"\xE4\xB8\xAD\xC2\x85\xC4"}), 3)),
            (Texts{"\xE4\xB8\xAD\xC2\x85\xC4"}));
}

}  // namespace
}  // namespace wasmvino::test::chars_to_bytes_test
