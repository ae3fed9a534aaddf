// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/ops/domain_tester.h"

namespace wasmvino::test::label_encoder_test {
namespace {

// Expected values: onnxruntime 1.32.
Tensor encode(const Tensor& data, const Tensor& keys, const Tensor& values, const Tensor& otherwise) {
  const std::vector<Tensor> inputs = {data, keys, values, otherwise};
  // The tester fills outputs with bytes, which strings are not.
  if (values.type() != ElementType::kString)
    run_domain_op_open("ai.onnx.ml", "LabelEncoder", {}, inputs, {1}, 3);
  return run_domain_op("ai.onnx.ml", "LabelEncoder", {}, inputs);
}

Tensor strings(std::initializer_list<const char*> texts) {
  Tensor tensor(ElementType::kString, {static_cast<int64_t>(texts.size())});
  std::copy(texts.begin(), texts.end(), tensor.mutable_data<std::string>());
  return tensor;
}

TEST(LabelEncoder, BetweenStringsAndNumbers) {
  expect_tensor<int64_t>(encode(strings({"b", "x", "", "a"}), strings({"a", "b", ""}),
                                Tensor::of<int64_t>({3}, {7, 8, 9}), Tensor::scalar<int64_t>(-1)),
                         {4}, {8, -1, 9, 7});
  const Tensor words = encode(Tensor::of<int32_t>({2, 2}, {5, 3, 4, 5}), Tensor::of<int32_t>({2}, {5, 3}),
                              strings({"five", "three"}), strings({"?"}));
  ASSERT_EQ(to_string(words.shape()), "[2,2]");
  const char* const expected[] = {"five", "three", "?", "five"};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(words.data<std::string>()[i], expected[i]);
}

TEST(LabelEncoder, TheFirstOfEqualKeysCounts) {
  expect_tensor<int64_t>(encode(Tensor::of<int64_t>({3}, {1, 2, 3}), Tensor::of<int64_t>({3}, {1, 1, 2}),
                                Tensor::of<int64_t>({3}, {5, 6, 7}), Tensor::scalar<int64_t>(-1)),
                         {3}, {5, 7, -1});
}

TEST(LabelEncoder, NanIsAKey) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor data = Tensor::of<float>({3}, {1, nan, 3}), keys = Tensor::of<float>({2}, {nan, 1});
  expect_tensor<double>(encode(data, keys, Tensor::of<double>({2}, {5, 6}), Tensor::scalar<double>(0)), {3},
                        {6, 5, 0});
}

TEST(LabelEncoder, ManyElements) {
  Tensor data(ElementType::kI16, {5000});
  for (size_t i = 0; i < data.size(); ++i) data.mutable_data<int16_t>()[i] = static_cast<int16_t>(i % 7);
  const Tensor result = encode(data, Tensor::of<int16_t>({3}, {6, 0, 3}), Tensor::of<int16_t>({3}, {1, 2, 3}),
                               Tensor::scalar<int16_t>(0));
  constexpr int16_t kExpected[] = {2, 0, 0, 3, 0, 0, 1};
  for (size_t i = 0; i < data.size(); ++i) ASSERT_EQ(result.data<int16_t>()[i], kExpected[i % 7]) << i;
}

TEST(LabelEncoder, Refuses) {
  const Tensor one = Tensor::of<int64_t>({1}, {1}), two = Tensor::of<int64_t>({2}, {1, 2}),
               scalar = Tensor::scalar<int64_t>(0);
  expect_error(ErrorCode::kInvalidShape, "axis 0 of values [1] is 1, axis 0 of keys is 2",
               [&] { encode(two, two, one, scalar); });
  expect_error(ErrorCode::kUnsupported, "keys are computed by the graph",
               [&] { run_domain_op_open("ai.onnx.ml", "LabelEncoder", {}, {one, one, one, scalar}, {}, 1); });
}

}  // namespace
}  // namespace wasmvino::test::label_encoder_test
