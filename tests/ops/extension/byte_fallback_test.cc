// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::byte_fallback_test {
namespace {

TEST(ByteFallback, ReadsTokensOfBytes) {
  const Texts texts = {"<0xE4>", "<0x0A>", "<0xe4>", "<mask>", "a", "<0xE4"};
  EXPECT_EQ(texts_in(run_extension("ByteFallback", {}, strings_of(texts), 3)),
            (Texts{"\xE4", "\n", "<0xe4>", "<mask>", "a", "<0xE4"}));
}

}  // namespace
}  // namespace wasmvino::test::byte_fallback_test
