// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::convert_like_test {
namespace {

using model::ValueInfo;

TEST(ConvertLike, TakesTheTypeAloneFromItsSecondInput) {
  const Tensor x = Tensor::of<float>({2}, {1.9f, -1.9f});
  expect_tensor<int32_t>(run_op("ConvertLike", 1, {}, {x, Tensor(ElementType::kI32, {0})})[0], {2}, {1, -1});
  expect_tensor<float>(run_op("ConvertLike", 1, {}, {x, Tensor(ElementType::kF32, {5, 5})})[0], {2},
                       {1.9f, -1.9f});
}

TEST(ConvertLike, DoesNotNeedTheValueOfItsSecondInput) {
  const ValueInfo x{ElementType::kF32, PartialShape{Dimension(), 3}, nullptr};
  const ValueInfo like{ElementType::kU8, PartialShape(), nullptr};
  const auto results = infer_op("ConvertLike", 1, {}, {x, like});
  EXPECT_EQ(name(results[0].type), "u8");
  EXPECT_EQ(to_string(results[0].shape), "[?,3]");
}

TEST(ConvertLike, RefusesStrings) {
  expect_error(ErrorCode::kUnsupported, "conversion from type f32 to string is not supported", [] {
    run_op("ConvertLike", 1, {}, {Tensor::scalar(1.0f), Tensor(ElementType::kString, {1})});
  });
}

}  // namespace
}  // namespace wasmvino::test::convert_like_test
