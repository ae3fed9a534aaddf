// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::wordpiece_tokenizer_test {
namespace {

Numbers encode(const Texts& words, const model::AttributeTexts& attributes = {}) {
  const auto inputs = joined(joined(rows_of({static_cast<int32_t>(words.size())}, words),
                                    strings_of({"[UNK]", "un", "##aff", "##able", "##a", "una"})),
                             {Tensor::scalar<int32_t>(0)});
  return numbers_of(run_extension("WordpieceTokenizer", attributes, inputs, 3)[2]);
}

TEST(WordpieceTokenizer, TakesTheLongestTokens) {
  EXPECT_EQ(encode({"unaffable", "unaffable!", "un"}), (Numbers{0, 0, 1}))
      << "una comes first, and nothing goes on with ff";
  EXPECT_EQ(encode({"unaable", "unable"}), (Numbers{5, 3, 0}));
}

TEST(WordpieceTokenizer, LeavesLongWordsUnknown) {
  EXPECT_EQ(encode({"una", "unaable"}, {{"max_bytes_per_word", "3"}}), (Numbers{5, 0}));
}

}  // namespace
}  // namespace wasmvino::test::wordpiece_tokenizer_test
