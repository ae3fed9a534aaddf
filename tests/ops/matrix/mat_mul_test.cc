// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/float_types.h"
#include "ops/matrix/gemm.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::mat_mul_test {
namespace {

Tensor mat_mul(const Tensor& a, const Tensor& b, bool transpose_a = false, bool transpose_b = false) {
  return run_op(
      "MatMul", 1,
      {{"transpose_a", transpose_a ? "true" : "false"}, {"transpose_b", transpose_b ? "true" : "false"}},
      {a, b})[0];
}

Tensor numbers(const Shape& shape, int seed) {
  Tensor tensor(ElementType::kF32, shape);
  for (size_t i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data<float>()[i] = 0.5f * static_cast<float>(static_cast<int>((i * 37 + seed) % 23) - 11);
  }
  return tensor;
}

// A tensor in a wider shape, axes of size 1 in front.
Shape widened(const Shape& shape, size_t rank) {
  Shape result = shape;
  while (result.size() < rank) result.insert(0, 1);
  return result;
}

// Every sum by its definition, from shapes widened to one rank.
void expect_product(Shape a_shape, Shape b_shape, bool transpose_a, bool transpose_b) {
  SCOPED_TRACE(testing::Message() << to_string(a_shape) << (transpose_a ? "T " : " ") << to_string(b_shape)
                                  << (transpose_b ? "T" : ""));
  const Tensor a = numbers(a_shape, 1), b = numbers(b_shape, 5);
  const model::AttributeTexts attributes = {{"transpose_a", transpose_a ? "true" : "false"},
                                            {"transpose_b", transpose_b ? "true" : "false"}};
  const bool a_vector = a_shape.size() == 1, b_vector = b_shape.size() == 1;
  if (a_vector) a_shape = {1, a_shape[0]};
  if (b_vector) b_shape = {b_shape[0], 1};
  const size_t rank = std::max(a_shape.size(), b_shape.size());
  a_shape = widened(a_shape, rank);
  b_shape = widened(b_shape, rank);
  const bool flip_a = transpose_a && !a_vector, flip_b = transpose_b && !b_vector;
  const int64_t m = a_shape[rank - (flip_a ? 1 : 2)], k = a_shape[rank - (flip_a ? 2 : 1)];
  const int64_t n = b_shape[rank - (flip_b ? 2 : 1)];
  Shape shape;
  for (size_t axis = 0; axis + 2 < rank; ++axis) shape.push_back(std::max(a_shape[axis], b_shape[axis]));
  std::vector<float> expected;
  const size_t matrices = element_count(shape);
  for (size_t matrix = 0; matrix < matrices; ++matrix) {
    size_t rest = matrix, a_at = 0, b_at = 0, a_step = 1, b_step = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      const size_t at = rest % static_cast<size_t>(shape[axis]);
      rest /= static_cast<size_t>(shape[axis]);
      if (a_shape[axis] > 1) a_at += at * a_step;
      if (b_shape[axis] > 1) b_at += at * b_step;
      a_step *= static_cast<size_t>(a_shape[axis]);
      b_step *= static_cast<size_t>(b_shape[axis]);
    }
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          const size_t left =
              a_at * static_cast<size_t>(m * k) + static_cast<size_t>(flip_a ? p * m + i : i * k + p);
          const size_t right =
              b_at * static_cast<size_t>(k * n) + static_cast<size_t>(flip_b ? j * k + p : p * n + j);
          sum += static_cast<double>(a.data<float>()[left]) * static_cast<double>(b.data<float>()[right]);
        }
        expected.push_back(static_cast<float>(sum));
      }
    }
  }
  if (!a_vector) shape.push_back(m);
  if (!b_vector) shape.push_back(n);
  expect_near(mat_mul(a, b, transpose_a, transpose_b), shape, expected, 1e-5f);
  for (const size_t threads : {1, 3}) {
    SCOPED_TRACE(threads);
    expect_near(run_op_open("MatMul", 1, attributes, {a, b}, 1, {}, threads)[0], shape, expected, 1e-5f);
    expect_near(run_op_open("MatMul", 1, attributes, {a, b}, 1, {1}, threads)[0], shape, expected, 1e-5f);
  }
}

void expect_products(int64_t m, int64_t k, int64_t n, const Shape& a_batch, const Shape& b_batch) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      Shape a = a_batch, b = b_batch;
      a.push_back(transpose_a ? k : m);
      a.push_back(transpose_a ? m : k);
      b.push_back(transpose_b ? n : k);
      b.push_back(transpose_b ? k : n);
      expect_product(a, b, transpose_a, transpose_b);
    }
  }
}

TEST(MatMul, Matrices) {
  expect_products(1, 1, 1, {}, {});
  expect_products(2, 3, 4, {}, {});
  expect_products(1, 64, 10, {}, {});
  expect_products(4, 17, 33, {}, {});
  expect_products(13, 300, 1, {}, {});
  expect_products(70, 9, 40, {}, {});
  expect_products(150, 70, 90, {}, {});   // enough to be shared among threads, by rows
  expect_products(20, 300, 150, {}, {});  // by columns
  expect_products(101, 90, 150, {}, {});  // by both
}

TEST(MatMul, CutsIntoPartsThatThreadsShareEvenly) {
  EXPECT_EQ(ops::gemm_parts(2, 10, 10, 10), 1u);
  EXPECT_EQ(ops::gemm_parts(2, 64, 96, 128), 4u) << "three for two threads would leave one of them two";
  EXPECT_EQ(ops::gemm_parts(2, 2048, 2048, 1024), 8u) << "2^32 multiply-adds";
  EXPECT_EQ(ops::gemm_parts(1, 2048, 2048, 1024), 1u);
}

TEST(MatMul, ManyMatrices) {
  expect_products(2, 3, 4, {5}, {});
  expect_products(2, 3, 4, {}, {5});
  expect_products(2, 3, 4, {5}, {5});
  expect_products(2, 3, 4, {1}, {5});
  expect_products(2, 3, 2, {2, 1}, {1, 4});
  expect_products(2, 3, 2, {2, 2, 1}, {2, 1});
  expect_products(3, 5, 9, {2, 3}, {1, 1});
  expect_products(60, 70, 80, {5}, {5});
  expect_products(90, 80, 70, {2}, {2});
  // Matrices of one row each, also transposed.
  expect_products(1, 3, 4, {5}, {});
  expect_products(1, 300, 150, {2, 3}, {1});
}

TEST(MatMul, Vectors) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      expect_product({3}, {3}, transpose_a, transpose_b);
      expect_product({3}, transpose_b ? Shape{4, 3} : Shape{3, 4}, transpose_a, transpose_b);
      expect_product({3}, transpose_b ? Shape{2, 4, 3} : Shape{2, 3, 4}, transpose_a, transpose_b);
      expect_product(transpose_a ? Shape{3, 2} : Shape{2, 3}, {3}, transpose_a, transpose_b);
      expect_product(transpose_a ? Shape{2, 3, 4} : Shape{2, 4, 3}, {3}, transpose_a, transpose_b);
    }
  }
}

TEST(MatMul, EmptyMatrices) {
  expect_near(mat_mul(Tensor(ElementType::kF32, {2, 0}), Tensor(ElementType::kF32, {0, 3})), {2, 3},
              {0, 0, 0, 0, 0, 0});
  expect_near(mat_mul(Tensor(ElementType::kF32, {0, 2}), Tensor(ElementType::kF32, {2, 3})), {0, 3}, {});
  expect_near(mat_mul(Tensor(ElementType::kF32, {0, 2, 2}), Tensor(ElementType::kF32, {2, 3})), {0, 2, 3},
              {});
  expect_tensor<int32_t>(mat_mul(Tensor(ElementType::kI32, {1, 0}), Tensor(ElementType::kI32, {0, 1})),
                         {1, 1}, {0});
}

template <typename T>
Tensor product_of(std::initializer_list<T> a, std::initializer_list<T> b) {
  return mat_mul(Tensor::of<T>({2, 3}, a), Tensor::of<T>({3, 2}, b));
}

TEST(MatMul, Integers) {
  expect_tensor<int32_t>(product_of<int32_t>({100, -100, 3, 5, 6, 127}, {100, 2, 1, 1, 1, -5}), {2, 2},
                         {9903, 85, 633, -619});
  expect_tensor<int8_t>(product_of<int8_t>({100, -100, 3, 5, 6, 127}, {100, 2, 1, 1, 1, -5}), {2, 2},
                        {127, 85, 127, -128});
  expect_tensor<uint8_t>(product_of<uint8_t>({100, 0, 3, 5, 6, 127}, {100, 2, 1, 1, 1, 0}), {2, 2},
                         {255, 200, 255, 16});
  expect_tensor<int16_t>(product_of<int16_t>({100, -100, 3, 5, 6, 127}, {1000, 2, 1, 1, 1, -5}), {2, 2},
                         {32767, 85, 5133, -619});
  expect_tensor<uint16_t>(product_of<uint16_t>({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}), {2, 2},
                          {22, 28, 49, 64});
  expect_tensor<uint32_t>(product_of<uint32_t>({4294967295u, 0, 0, 0, 0, 1}, {2, 1, 0, 0, 7, 0}), {2, 2},
                          {4294967294u, 4294967295u, 7, 0});
  const int64_t big = (int64_t{1} << 53) + 1;
  expect_tensor<int64_t>(product_of<int64_t>({big, 0, 0, 0, 1, 0}, {1, 3, 5, -7, 0, 0}), {2, 2},
                         {big, 3 * big, 5, -7});
  expect_tensor<uint64_t>(product_of<uint64_t>({~uint64_t{0}, 0, 0, 0, 1, 0}, {1, 0, 5, 7, 0, 0}), {2, 2},
                          {~uint64_t{0}, 0, 5, 7});
  expect_tensor<int32_t>(
      mat_mul(Tensor::of<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<int32_t>({2}, {1, -1}), true), {3},
      {-3, -3, -3});
}

TEST(MatMul, OtherFloatingPointTypes) {
  const Tensor a = Tensor::of<Float16>({1, 2}, {Float16(1.5f), Float16(-2.0f)});
  const Tensor b = Tensor::of<Float16>({2, 1}, {Float16(4.0f), Float16(0.25f)});
  EXPECT_EQ(f16_to_f32(mat_mul(a, b).data<uint16_t>()[0]), 5.5f);
  const Tensor c = Tensor::of<BFloat16>({2, 1}, {BFloat16(4.0f), BFloat16(0.25f)});
  EXPECT_EQ(bf16_to_f32(mat_mul(c, c, true).data<uint16_t>()[0]), 16.0f);  // 16.0625 rounded to 8 bits
  EXPECT_EQ(mat_mul(Tensor::of<double>({2}, {1.5, 2}), Tensor::of<double>({2}, {2, 4})).data<double>()[0],
            11.0);
}

TEST(MatMul, Shapes) {
  using model::ValueInfo;
  const auto shape = [](const PartialShape& a, const PartialShape& b, const char* transpose_b = "false") {
    const ValueInfo left{ElementType::kF32, a, nullptr}, right{ElementType::kF32, b, nullptr};
    return to_string(infer_op("MatMul", 1, {{"transpose_b", transpose_b}}, {left, right})[0].shape);
  };
  EXPECT_EQ(shape({Dimension(), 4}, {4, 5}), "[?,5]");
  EXPECT_EQ(shape({Dimension(), 4}, {5, Dimension(1, 9)}, "true"), "[?,5]");
  EXPECT_EQ(shape({Dimension(2, 3), 2, 4}, {1, 4, 5}), "[2..3,2,5]");
  EXPECT_EQ(shape({Dimension(), 2, 4}, {7, 4, 5}), "[7,2,5]");
  EXPECT_EQ(shape(PartialShape(), {4, 5}), "[...]");
  EXPECT_EQ(shape({4}, {4}), "[]");
}

TEST(MatMul, Refuses) {
  const Tensor a(ElementType::kF32, {2, 4});
  expect_error(ErrorCode::kInvalidShape, "axis 1 of input 0 [2,4] is 4, but axis 0 of input 1 [3,3] is 3",
               [&] { mat_mul(a, Tensor(ElementType::kF32, {3, 3})); });
  expect_error(ErrorCode::kInvalidShape, "cannot be broadcast: [2] and [3]",
               [] { mat_mul(Tensor(ElementType::kF32, {2, 1, 1}), Tensor(ElementType::kF32, {3, 1, 1})); });
  expect_error(ErrorCode::kInvalidShape, "input 1 is a scalar", [&] { mat_mul(a, Tensor::scalar(1.0f)); });
  expect_error(ErrorCode::kInvalidType, "input 1 has element type i32, input 0 has f32",
               [&] { mat_mul(a, Tensor(ElementType::kI32, {4, 1})); });
  expect_error(ErrorCode::kInvalidType, "expected a numeric type",
               [] { mat_mul(Tensor(ElementType::kBoolean, {1}), Tensor(ElementType::kBoolean, {1})); });
}

}  // namespace
}  // namespace wasmvino::test::mat_mul_test
