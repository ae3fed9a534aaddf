// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::vocab_decoder_test {
namespace {

std::vector<Tensor> decode(const Shape& shape, const Numbers& tokens, const model::AttributeTexts& attributes,
                           std::vector<Tensor> more = {}) {
  const std::vector<Tensor> first = {Tensor::of<int32_t>(shape, tokens.data())};
  return run_extension("VocabDecoder", attributes,
                       joined(joined(first, strings_of({"a", "bc", "<s>"})), more), 5);
}

TEST(VocabDecoder, GivesTheBytesOfTokens) {
  const auto results = decode({2, 2}, {0, 1, 2, 0}, {});
  EXPECT_EQ(texts_in(results, 2), (Texts{"a", "bc", "<s>", "a"}));
  EXPECT_EQ(numbers_of(results[0]), (Numbers{0, 2}));
  EXPECT_EQ(numbers_of(results[1]), (Numbers{2, 4}));
}

TEST(VocabDecoder, LeavesOutUnknownAndSkippedTokens) {
  EXPECT_EQ(texts_in(decode({1, 4}, {3, -1, 2, 1}, {{"skip_tokens", "2,7"}}), 2), (Texts{"", "", "", "bc"}));
  EXPECT_EQ(texts_in(decode({1, 2}, {1, 2}, {{"skip_tokens", "2"}}, {vector_of({1})}), 2), (Texts{"", "<s>"}))
      << "the input counts";
}

TEST(VocabDecoder, MakesAnEmptyStringOfNoTokens) {
  const auto results = decode({2, 0}, {}, {});
  EXPECT_EQ(texts_in(results, 2), (Texts{"", ""}));
  EXPECT_EQ(numbers_of(results[1]), (Numbers{1, 2}));
}

}  // namespace
}  // namespace wasmvino::test::vocab_decoder_test
