// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::unigram_tokenizer_test {
namespace {

Numbers encode(const Texts& texts) {
  const Texts vocabulary = {"<unk>", "a", "b", "ab", "c", "abc", "\xC3\xA9"};
  const float scores[] = {0, -1, -1, -3, -2, -3, -1};
  const auto inputs =
      joined(joined(rows_of({static_cast<int32_t>(texts.size())}, texts), strings_of(vocabulary)),
             {Tensor::of<float>({7}, scores)});
  return numbers_of(run_extension("UnigramTokenizer", {{"unk_token_id", "0"}}, inputs, 3)[2]);
}

TEST(UnigramTokenizer, FindsTheLargestSumOfScores) {
  EXPECT_EQ(encode({"ab"}), (Numbers{1, 2})) << "-2 against -3";
  EXPECT_EQ(encode({"abc"}), (Numbers{5})) << "-3 against -4";
  EXPECT_EQ(encode({"",
                    "\xC3\xA9"
                    "a"}),
            (Numbers{6, 1}));
}

TEST(UnigramTokenizer, JoinsUnknownCharacters) {
  EXPECT_EQ(encode({"axy\xE4\xB8\xAD"
                    "b"}),
            (Numbers{1, 0, 2}));
  EXPECT_EQ(encode({"\xFFx"}), (Numbers{0}));
}

}  // namespace
}  // namespace wasmvino::test::unigram_tokenizer_test
