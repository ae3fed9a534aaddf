// SPDX-License-Identifier: Apache-2.0
// Expected values come from OpenVINO Tokenizers 2026.4.1, except for texts that are not UTF-8.
#include "extension_tester.h"

namespace wasmvino::test::special_tokens_split_test {
namespace {

TEST(SpecialTokensSplit, CutsOutTokensAndDropsTheSpacesThatTheyTake) {
  const auto inputs = joined(rows_of({1}, {"x<a>y  <b>  z<a>"}), {bytes_of("(<a>)|(?:\\s*)(<b>)(?:\\s*)")});
  const auto results = run_extension("SpecialTokensSplit", {}, inputs, 6);
  EXPECT_EQ(texts_in(results, 2), (Texts{"x", "<a>", "y", "<b>", "z", "<a>"}));
  EXPECT_EQ(flags_in(results[5]), (std::vector<int>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(numbers_of(results[1]), (Numbers{6}));
}

TEST(SpecialTokensSplit, LeavesWhatIsSkipped) {
  const auto inputs = joined(rows_of({2}, {"<a>b", "<a>b"}), {flags_of({1, 0}), bytes_of("(<a>)")});
  const auto results = run_extension("SpecialTokensSplit", {}, inputs, 6);
  EXPECT_EQ(texts_in(results, 2), (Texts{"<a>b", "<a>", "b"}));
  EXPECT_EQ(flags_in(results[5]), (std::vector<int>{1, 1, 0}));
}

TEST(SpecialTokensSplit, HasNoPartForAnEmptyText) {
  const auto results =
      run_extension("SpecialTokensSplit", {}, joined(rows_of({1}, {""}), {bytes_of("(<a>)")}), 6);
  EXPECT_EQ(texts_in(results, 2), Texts());
  EXPECT_EQ(numbers_of(results[1]), (Numbers{0}));
}

TEST(SpecialTokensSplit, ReplacesWhatIsNotUtf8) {
  const auto inputs = joined(rows_of({2}, {"\xE2\x82<a>", "\xED\xA0\x80"}), {bytes_of("(<a>)")});
  EXPECT_EQ(texts_in(run_extension("SpecialTokensSplit", {}, inputs, 6), 2),
            (Texts{"\xEF\xBF\xBD", "<a>", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}));
}

}  // namespace
}  // namespace wasmvino::test::special_tokens_split_test
