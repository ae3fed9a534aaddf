// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::truncate_test {
namespace {

std::vector<Numbers> shorten(const std::vector<Numbers>& sizes, int32_t most, const std::string& side,
                             const std::string& mode) {
  std::vector<Tensor> inputs;
  for (const Numbers& rows : sizes) {
    const auto all = rows_of(rows, Texts(20));
    inputs.insert(inputs.end(), {all[0], all[1], Tensor(ElementType::kI32, {20})});
  }
  inputs = joined(inputs, {Tensor::scalar<int32_t>(most), bytes_of(side), bytes_of(mode)});
  const auto results = run_extension("Truncate", {}, inputs, 3 * sizes.size());
  std::vector<Numbers> ranges;
  for (size_t i = 0; i < results.size(); i += 3) {
    ranges.push_back(numbers_of(results[i]));
    ranges.push_back(numbers_of(results[i + 1]));
  }
  return ranges;
}

TEST(Truncate, ShortensRowsAtOneSide) {
  EXPECT_EQ(shorten({{5, 2}}, 3, "right", "longest_first"), (std::vector<Numbers>{{0, 5}, {3, 7}}));
  EXPECT_EQ(shorten({{5, 2}}, 3, "left", "longest_first"), (std::vector<Numbers>{{2, 5}, {5, 7}}));
}

// The lengths are those of the comments in OpenVINO Tokenizers' source.
TEST(Truncate, SharesTheLengthOfPairs) {
  EXPECT_EQ(shorten({{9}, {2}}, 10, "right", "longest_first"), (std::vector<Numbers>{{0}, {8}, {0}, {2}}));
  EXPECT_EQ(shorten({{2}, {9}}, 10, "right", "longest_first"), (std::vector<Numbers>{{0}, {2}, {0}, {8}}));
  EXPECT_EQ(shorten({{9}, {12}}, 7, "right", "longest_first"), (std::vector<Numbers>{{0}, {3}, {0}, {4}}));
  EXPECT_EQ(shorten({{9}, {9}}, 7, "left", "longest_first"), (std::vector<Numbers>{{5}, {9}, {6}, {9}}));
  EXPECT_EQ(shorten({{9}, {9}}, 7, "right", "only_first"), (std::vector<Numbers>{{0}, {7}, {0}, {9}}));
  EXPECT_EQ(shorten({{9}, {9}}, 7, "right", "only_second"), (std::vector<Numbers>{{0}, {9}, {0}, {7}}));
  EXPECT_EQ(shorten({{3}, {4}}, 7, "right", "only_first"), (std::vector<Numbers>{{0}, {3}, {0}, {4}}));
}

TEST(Truncate, RefusesUnknownWords) {
  expect_error(ErrorCode::kInvalidValue, "side of truncation is 'up'",
               [] { shorten({{1}}, 1, "up", "only_first"); });
  expect_error(ErrorCode::kInvalidValue, "mode of truncation is 'all'",
               [] { shorten({{1}}, 1, "left", "all"); });
  expect_error(ErrorCode::kInvalidValue, "max_length is -1",
               [] { shorten({{1}}, -1, "left", "only_first"); });
}

}  // namespace
}  // namespace wasmvino::test::truncate_test
