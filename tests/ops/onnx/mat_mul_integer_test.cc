// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_gemm.h"
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::mat_mul_integer_test {
namespace {

template <typename T>
Tensor bytes(const Shape& shape, uint32_t seed) {
  Tensor tensor(ElementTypeOf<T>::value, shape);
  for (size_t i = 0; i < tensor.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.mutable_data<T>()[i] = static_cast<T>(seed >> 24);
  }
  return tensor;
}

// All in i64, element by element. b has matrices or is one for all of a.
template <typename A, typename B>
void expect_product(const Shape& a_shape, const Shape& b_shape, bool by_column) {
  const Tensor a = bytes<A>(a_shape, 1), b = bytes<B>(b_shape, 2), zero_a = bytes<A>({}, 3);
  const int64_t m = a_shape[a_shape.size() - 2], k = a_shape.back(), n = b_shape.back();
  const Tensor zero_b = bytes<B>(by_column ? Shape{n} : Shape{1}, 4);
  Shape shape = a_shape;
  shape.back() = n;
  std::vector<int32_t> expected;
  for (int64_t row = 0; row < static_cast<int64_t>(element_count(a_shape)) / std::max<int64_t>(k, 1); ++row) {
    const int64_t matrix = b_shape.size() > 2 ? row / m : 0;
    for (int64_t j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        const int64_t x = a.data<A>()[row * k + p] - zero_a.data<A>()[0];
        sum += x * (b.data<B>()[(matrix * k + p) * n + j] - zero_b.data<B>()[by_column ? j : 0]);
      }
      expected.push_back(static_cast<int32_t>(sum));
    }
  }
  SCOPED_TRACE(testing::Message() << to_string(a_shape) << to_string(b_shape) << by_column);
  const std::vector<Tensor> inputs = {a, b, zero_a, zero_b};
  for (const auto& constants : {std::vector<size_t>{}, std::vector<size_t>{1}}) {
    for (const size_t threads : {1, 3}) {
      expect_tensor<int32_t>(run_domain_op_open("ai.onnx", "MatMulInteger", {}, inputs, constants, threads),
                             shape, expected);
    }
  }
}

TEST(MatMulInteger, AllTypesAndForms) {
  for ([[maybe_unused]] const kernels::IntegerDot dot :
       {kernels::IntegerDot::kPairs, kernels::IntegerDot::kUnsigned, kernels::IntegerDot::kSigned}) {
#if !defined(__wasm__)
    kernels::native_integer_dot = dot;
#endif
    for (const bool by_column : {false, true}) {
      expect_product<uint8_t, uint8_t>({5, 7}, {7, 3}, by_column);
      expect_product<uint8_t, int8_t>({13, 16}, {16, 9}, by_column);
      expect_product<int8_t, uint8_t>({1, 30}, {30, 300}, by_column);
      expect_product<int8_t, int8_t>({2, 3, 5}, {5, 8}, by_column);
    }
    expect_product<uint8_t, int8_t>({2, 60, 4}, {2, 4, 6}, false);
  }
#if !defined(__wasm__)
  kernels::native_integer_dot = kernels::IntegerDot::kPairs;
#endif
}

// Sums beyond 2^24, which f32 cannot hold.
TEST(MatMulInteger, ManyProducts) {
  expect_product<uint8_t, int8_t>({3, 1500}, {1500, 4}, false);
  Tensor a(ElementType::kU8, {1, 2049}), b(ElementType::kU8, {2049, 1});
  std::fill_n(a.mutable_data<uint8_t>(), a.size(), uint8_t{255});
  std::fill_n(b.mutable_data<uint8_t>(), b.size(), uint8_t{255});
  const Tensor zero = Tensor::scalar<uint8_t>(0);
  expect_tensor<int32_t>(run_domain_op("ai.onnx", "MatMulInteger", {}, {a, b, zero, zero}), {1, 1},
                         {2049 * 255 * 255});
}

TEST(MatMulInteger, Nothing) {
  expect_product<uint8_t, uint8_t>({2, 0}, {0, 3}, false);
  expect_product<uint8_t, uint8_t>({0, 2}, {2, 3}, false);
  expect_product<uint8_t, uint8_t>({2, 2}, {2, 0}, false);
}

TEST(MatMulInteger, Refuses) {
  const Tensor square = bytes<uint8_t>({2, 2}, 1), one = Tensor::scalar<uint8_t>(0),
               three = bytes<uint8_t>({3}, 2);
  expect_error(ErrorCode::kInvalidShape, "axis 0 of b_zero_point [3] is 3, the last axis of b is 2",
               [&] { run_domain_op("ai.onnx", "MatMulInteger", {}, {square, square, one, three}); });
  expect_error(ErrorCode::kInvalidShape, "a_zero_point",
               [&] { run_domain_op("ai.onnx", "MatMulInteger", {}, {square, square, three, one}); });
}

}  // namespace
}  // namespace wasmvino::test::mat_mul_integer_test
