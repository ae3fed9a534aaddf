// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::cum_prod_test {
namespace {

Tensor products(const Tensor& data, int64_t axis, const model::AttributeTexts& attributes = {}) {
  const std::vector<Tensor> inputs = {data, Tensor::scalar<int64_t>(axis)};
  run_domain_op_open("ai.onnx", "CumProd", attributes, inputs, {1}, 3);
  return run_domain_op("ai.onnx", "CumProd", attributes, inputs);
}

// Expected values: the examples of the specification.
TEST(CumProd, MultipliesUpToEachElement) {
  const Tensor data = Tensor::of<float>({3}, {1, 2, 3});
  expect_tensor<float>(products(data, 0), {3}, {1, 2, 6});
  expect_tensor<float>(products(data, 0, {{"exclusive", "true"}}), {3}, {1, 1, 2});
  expect_tensor<float>(products(data, 0, {{"reverse", "true"}}), {3}, {6, 6, 3});
  expect_tensor<float>(products(data, 0, {{"exclusive", "true"}, {"reverse", "true"}}), {3}, {6, 3, 1});
}

TEST(CumProd, AlongAnAxis) {
  const Tensor data = Tensor::of<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_tensor<int32_t>(products(data, 0), {2, 3}, {1, 2, 3, 4, 10, 18});
  expect_tensor<int32_t>(products(data, -1), {2, 3}, {1, 2, 6, 4, 20, 120});
}

TEST(CumProd, ManyLanes) {
  Tensor data(ElementType::kF64, {7, 40, 300});
  std::fill_n(data.mutable_data<double>(), data.size(), 2.0);
  const Tensor made = products(data, 1);
  for (size_t i = 0; i < made.size(); ++i)
    ASSERT_EQ(made.data<double>()[i], static_cast<double>(uint64_t{2} << (i / 300 % 40)));
}

TEST(CumProd, RefusesAnAxisThatTheDataLack) {
  expect_error(ErrorCode::kInvalidValue, "axis is 1, outside -1..0",
               [] { products(Tensor::of<float>({1}, {1}), 1); });
}

}  // namespace
}  // namespace wasmvino::test::cum_prod_test
