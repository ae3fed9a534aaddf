// SPDX-License-Identifier: Apache-2.0
// Expected tokens follow from the merges by hand; the families in tests/frontends/tokenizers_test.cc compare
// with OpenVINO.
#include "extension_tester.h"

namespace wasmvino::test::bpe_tokenizer_test {
namespace {

const Texts kVocabulary = {"a", "b", "c", "ab", "bc", "abc", "<0x64>", "<unk>", "aa", "aaaa"};
const Texts kMerges = {"b c", "a b", "a bc", "a a", "aa aa"};

Numbers encode(const Texts& texts, const model::AttributeTexts& attributes, const Texts& merges = kMerges) {
  const auto inputs =
      joined(joined(rows_of({static_cast<int32_t>(texts.size())}, texts), strings_of(kVocabulary)),
             strings_of(merges));
  return numbers_of(run_extension("BPETokenizer", attributes, inputs, 3)[2]);
}

TEST(BPETokenizer, MergesTheFirstOfTheListFirst) {
  EXPECT_EQ(encode({"abc"}, {}), (Numbers{5}));
  EXPECT_EQ(encode({"abab", "c"}, {}), (Numbers{3, 3, 2}));
  EXPECT_EQ(encode({"aaaaa"}, {}), (Numbers{9, 0}));
  EXPECT_EQ(encode({"aaa"}, {}), (Numbers{8, 0}));
}

TEST(BPETokenizer, FallsBackToBytesThenToTheUnknownToken) {
  EXPECT_EQ(encode({"ad"}, {}), (Numbers{0})) << "without either, the byte is left out";
  EXPECT_EQ(encode({"addx"}, {{"byte_fallback", "true"}, {"unk_token", "<unk>"}}), (Numbers{0, 6, 6, 7}));
  EXPECT_EQ(encode({"xx"}, {{"unk_token", "<unk>"}, {"fuse_unk", "true"}}), (Numbers{7, 7}))
      << "as OpenVINO Tokenizers";
}

TEST(BPETokenizer, PutsTheSuffixAfterEachText) {
  EXPECT_EQ(encode({"a"}, {{"end_suffix", "bc"}}), (Numbers{5}));
}

TEST(BPETokenizer, TakesPairsAndAddedTokens) {
  const auto inputs = joined(joined(joined(rows_of({1}, {"abc#"}), strings_of(kVocabulary)),
                                    joined(strings_of({"b"}), strings_of({"c"}))),
                             joined(strings_of({"#", "a"}), {vector_of({77, 78})}));
  EXPECT_EQ(numbers_of(run_extension("BPETokenizer", {}, inputs, 3)[2]), (Numbers{5, 77}))
      << "no merge makes abc, and a keeps its own number";
}

TEST(BPETokenizer, RefusesMergesOfUnknownTokens) {
  expect_error(ErrorCode::kInvalidValue, "merge 0 needs the token 'x'", [] { encode({"a"}, {}, {"x a"}); });
  expect_error(ErrorCode::kInvalidValue, "needs the token 'ca'", [] { encode({"a"}, {}, {"c a"}); });
  expect_error(ErrorCode::kInvalidValue, "merge 0 is 'ab', expected two tokens",
               [] { encode({"a"}, {}, {"ab"}); });
}

}  // namespace
}  // namespace wasmvino::test::bpe_tokenizer_test
