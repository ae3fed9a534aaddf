// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::trie_tokenizer_test {
namespace {

Numbers encode(const std::string& text) {
  const auto inputs =
      joined(joined(rows_of({1}, {text}), strings_of({"a", "ab", "b", "a"})), {vector_of({5, 6, 7, 8})});
  return numbers_of(run_extension("TrieTokenizer", {}, inputs, 3)[2]);
}

TEST(TrieTokenizer, TakesTheLongestTokens) { EXPECT_EQ(encode("abaab"), (Numbers{6, 8, 6})); }

TEST(TrieTokenizer, RefusesWhatNoTokenBeginsWith) {
  expect_error(ErrorCode::kInvalidValue, "string 0 has no token of the vocabulary at byte 1",
               [] { encode("ax"); });
}

}  // namespace
}  // namespace wasmvino::test::trie_tokenizer_test
