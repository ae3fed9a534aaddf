// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::combine_segments_test {
namespace {

Tensor scalar(int32_t value) { return Tensor::scalar<int32_t>(value); }

TEST(CombineSegments, PutsConstantsAroundEachRow) {
  const auto results =
      run_extension("CombineSegments", {},
                    {scalar(0), scalar(1), vector_of({101}), vector_of({0, 2}), vector_of({2, 3}),
                     vector_of({7, 8, 9}), scalar(0), scalar(1), vector_of({102}), vector_of({0, 1, 2})},
                    6);
  EXPECT_EQ(numbers_of(results[0]), (Numbers{0, 4}));
  EXPECT_EQ(numbers_of(results[1]), (Numbers{4, 7}));
  EXPECT_EQ(numbers_of(results[2]), (Numbers{101, 7, 8, 102, 101, 9, 102}));
  EXPECT_EQ(numbers_of(results[3]), numbers_of(results[0]));
  EXPECT_EQ(numbers_of(results[5]), (Numbers{0, 1, 1, 2, 0, 1, 2}));
}

TEST(CombineSegments, RefusesWhatDoesNotFit) {
  const std::vector<Tensor> rows = {vector_of({0}), vector_of({1}), vector_of({5})};
  expect_error(ErrorCode::kInvalidValue, "2 segment ids for 1 segments",
               [&] { run_extension("CombineSegments", {}, joined(rows, {vector_of({0, 1})}), 6); });
  expect_error(ErrorCode::kInvalidShape, "segment 1 has rows [2], but others have [1]", [&] {
    run_extension(
        "CombineSegments", {},
        joined(joined(rows, {vector_of({0, 0}), vector_of({1, 1}), vector_of({5})}), {vector_of({0, 1})}), 6);
  });
  expect_error(ErrorCode::kInvalidValue, "row 0 is 0..2, outside the 1 elements", [&] {
    run_extension("CombineSegments", {}, {vector_of({0}), vector_of({2}), vector_of({5}), vector_of({0})}, 6);
  });
}

}  // namespace
}  // namespace wasmvino::test::combine_segments_test
