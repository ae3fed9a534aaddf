// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::identity_test {
namespace {

TEST(Identity, ShowsItsInput) {
  EXPECT_EQ(text_of(run_op("Identity", 16, {}, {iota({2, 2})})[0]), "[2,2] 0 1 2 3");
  EXPECT_EQ(text_of(run_op("Identity", 16, {}, {strings({2})})[0]), "[2] 0 1");
  EXPECT_EQ(infer_shape("Identity", 16, {}, {open(ElementType::kI8, {Dimension(), 2})}), "[?,2]");
}

}  // namespace
}  // namespace wasmvino::test::identity_test
