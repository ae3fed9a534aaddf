// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::vocab_encoder_test {
namespace {

TEST(VocabEncoder, LooksUpStrings) {
  const int64_t values[] = {10, 20, 30};
  const auto inputs = joined(joined(strings_of({"b", "x", "a", ""}), strings_of({"a", "b", "a"})),
                             {Tensor::of<int64_t>({3}, values), Tensor::scalar<int64_t>(-1)});
  expect_tensor<int64_t>(run_extension("VocabEncoder", {}, inputs, 1)[0], {4}, {20, -1, 10, -1});
}

TEST(VocabEncoder, RefusesAnotherNumberOfValues) {
  const auto inputs =
      joined(joined(strings_of({"b"}), strings_of({"a", "b"})), {vector_of({1}), Tensor::scalar<int32_t>(0)});
  expect_error(ErrorCode::kInvalidShape, "has shape [2], but its values have [1]",
               [&] { run_extension("VocabEncoder", {}, inputs, 1); });
}

}  // namespace
}  // namespace wasmvino::test::vocab_encoder_test
