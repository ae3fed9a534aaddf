// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::read_value_test {
namespace {

TEST(ReadValue, RefusesAVariableOfNoType) {
  const auto node = make_node(
      "ReadValue", 6, {{"variable_id", "state"}, {"variable_type", "dynamic"}, {"variable_shape", ""}}, 1);
  expect_error(ErrorCode::kInvalidType, "variable 'state' has neither an initial value nor an element type",
               [&] { model::evaluate_node(*node, {}); });
}

}  // namespace
}  // namespace wasmvino::test::read_value_test
