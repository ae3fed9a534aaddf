// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::equal_str_test {
namespace {

Numbers compare(const Texts& left, const Texts& right) {
  return numbers_of(run_extension("EqualStr", {}, joined(strings_of(left), strings_of(right)), 1)[0]);
}

TEST(EqualStr, ComparesPairs) {
  EXPECT_EQ(compare({"a", "bc"}, {"a", "b"}), (Numbers{1, 0}));
  EXPECT_EQ(compare({"a"}, {"a", "b", "a"}), (Numbers{1, 0, 1}));
  EXPECT_EQ(compare({}, {"a"}), Numbers());
}

}  // namespace
}  // namespace wasmvino::test::equal_str_test
