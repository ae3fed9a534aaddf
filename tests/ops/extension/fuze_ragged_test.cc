// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::fuze_ragged_test {
namespace {

TEST(FuzeRagged, JoinsTheStringsOfEachRow) {
  auto inputs = rows_of({2, 0, 1}, {"a", "bc", "d"});
  inputs.pop_back();
  const auto results = run_extension("FuzeRagged", {}, inputs, 2);
  EXPECT_EQ(numbers_of(results[0]), (Numbers{0, 0, 3}));
  EXPECT_EQ(numbers_of(results[1]), (Numbers{3, 0, 4}));
}

TEST(FuzeRagged, RefusesRowsOutsideTheStrings) {
  expect_error(ErrorCode::kInvalidValue, "row 0 is 0..3, outside the 1 elements", [] {
    run_extension("FuzeRagged", {}, {vector_of({0}), vector_of({3}), vector_of({0}), vector_of({1})}, 2);
  });
}

}  // namespace
}  // namespace wasmvino::test::fuze_ragged_test
