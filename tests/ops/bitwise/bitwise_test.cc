// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::bitwise_test {
namespace {

template <typename T>
void expect_bits(const std::string& type, std::initializer_list<T> a, std::initializer_list<T> b,
                 const std::vector<T>& values) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  expect_tensor<T>(run_op(type, 15, {}, {Tensor::of<T>(shape, a), Tensor::of<T>(shape, b)})[0], shape,
                   values);
}

TEST(BitwiseAnd, KeepsWhatBothHave) {
  expect_bits<int32_t>("BitwiseAnd", {12, -1, -8}, {10, 7, 13}, {8, 7, 8});
  expect_bits<int8_t>("BitwiseAnd", {-128, 127}, {-1, -1}, {-128, 127});
  expect_bits<uint16_t>("BitwiseAnd", {0xFF0F}, {0x8FF1}, {0x8F01});
  expect_bits<uint64_t>("BitwiseAnd", {0xF00000000000000Full}, {0x8000000000000001ull},
                        {0x8000000000000001ull});
  expect_bits<bool>("BitwiseAnd", {false, false, true, true}, {false, true, false, true},
                    {false, false, false, true});
}

TEST(BitwiseAnd, CountsAnyByteButZeroAsTrue) {
  uint8_t two[] = {2}, one[] = {1};
  expect_tensor<bool>(
      run_op("BitwiseAnd", 13, {},
             {Tensor(ElementType::kBoolean, {1}, two), Tensor(ElementType::kBoolean, {1}, one)})[0],
      {1}, {true});
}

TEST(BitwiseAnd, Broadcasts) {
  const Tensor a = Tensor::of<int16_t>({2, 1}, {3, 5});
  const Tensor b = Tensor::of<int16_t>({3}, {1, 2, 4});
  expect_tensor<int16_t>(run_op("BitwiseAnd", 13, {}, {a, b})[0], {2, 3}, {1, 2, 0, 1, 0, 4});
  const Tensor c = Tensor::of<int16_t>({2}, {1, 4});
  const Tensor d = Tensor::of<int16_t>({2, 2}, {3, 1, 5, 2});
  expect_tensor<int16_t>(run_op("BitwiseAnd", 13, {{"auto_broadcast", "pdpd"}}, {d, c})[0], {2, 2},
                         {1, 1, 4, 0});
  expect_error(ErrorCode::kInvalidShape, "auto_broadcast none",
               [&] { run_op("BitwiseAnd", 13, {{"auto_broadcast", "none"}}, {a, b}); });
}

TEST(BitwiseAnd, RefusesReals) {
  expect_error(ErrorCode::kInvalidType, "has element type f32, expected an integer type or boolean",
               [] { run_op("BitwiseAnd", 13, {}, {Tensor::scalar(1.0f), Tensor::scalar(1.0f)}); });
}

TEST(BitwiseOr, JoinsWhatEitherHas) {
  expect_bits<int32_t>("BitwiseOr", {12, -8}, {10, 5}, {14, -3});
  expect_bits<uint8_t>("BitwiseOr", {0x80}, {0x01}, {0x81});
  expect_bits<int64_t>("BitwiseOr", {int64_t{1} << 40}, {-4}, {-4});
  expect_bits<bool>("BitwiseOr", {false, false, true, true}, {false, true, false, true},
                    {false, true, true, true});
}

TEST(BitwiseXor, KeepsWhatJustOneHas) {
  expect_bits<int32_t>("BitwiseXor", {12, -1}, {10, 7}, {6, -8});
  expect_bits<int8_t>("BitwiseXor", {-128}, {127}, {-1});
  expect_bits<uint32_t>("BitwiseXor", {0xFFFFFFFF}, {0x0000FFFF}, {0xFFFF0000});
  expect_bits<bool>("BitwiseXor", {false, false, true, true}, {false, true, false, true},
                    {false, true, true, false});
}

TEST(BitwiseNot, TakesTheOtherBits) {
  expect_tensor<int32_t>(run_op("BitwiseNot", 13, {}, {Tensor::of<int32_t>({3}, {0, 5, -1})})[0], {3},
                         {-1, -6, 0});
  expect_tensor<int8_t>(run_op("BitwiseNot", 13, {}, {Tensor::of<int8_t>({2}, {127, -128})})[0], {2},
                        {-128, 127});
  expect_tensor<uint16_t>(run_op("BitwiseNot", 13, {}, {Tensor::of<uint16_t>({2}, {0, 0x0FF0})})[0], {2},
                          {0xFFFF, 0xF00F});
  expect_tensor<uint64_t>(run_op("BitwiseNot", 13, {}, {Tensor::scalar<uint64_t>(1)})[0], {}, {~uint64_t{1}});
  uint8_t bytes[] = {0, 1, 2};
  expect_tensor<bool>(run_op("BitwiseNot", 13, {}, {Tensor(ElementType::kBoolean, {3}, bytes)})[0], {3},
                      {true, false, false});
  expect_error(ErrorCode::kInvalidType, "has element type f16, expected an integer type or boolean",
               [] { run_op("BitwiseNot", 13, {}, {Tensor(ElementType::kF16, {1})}); });
}

// Counts beyond the type's width as in OpenVINO's CPU plugin.
TEST(BitwiseLeftShift, MovesBitsUp) {
  expect_bits<int32_t>("BitwiseLeftShift", {5, 5, 5, 5, -7, -7}, {1, 31, 32, 33, 1, -1},
                       {10, INT32_MIN, 5, 10, -14, INT32_MIN});
  expect_bits<int8_t>("BitwiseLeftShift", {5, 5, 5, -7, -7}, {1, 7, 8, 1, 8}, {10, -128, 0, -14, 0});
  expect_bits<uint8_t>("BitwiseLeftShift", {5, 5, 250}, {7, 8, 1}, {128, 0, 244});
  expect_bits<uint16_t>("BitwiseLeftShift", {5, 5}, {15, 200}, {0x8000, 1280});
  expect_bits<uint32_t>("BitwiseLeftShift", {5, 5}, {31, 200}, {0x80000000u, 1280});
  expect_bits<int64_t>("BitwiseLeftShift", {5, -7, 1}, {40, 1, 63}, {5ll << 40, -14, INT64_MIN});
  expect_bits<uint64_t>("BitwiseLeftShift", {3, 3}, {63, 64}, {0x8000000000000000ull, 3});
}

TEST(BitwiseRightShift, MovesBitsDown) {
  expect_bits<int32_t>("BitwiseRightShift", {5, 5, 5, 5, -7, -7}, {1, 31, 32, 33, 1, 31},
                       {2, 0, 5, 2, -4, -1});
  expect_bits<int8_t>("BitwiseRightShift", {5, -7, -7}, {1, 1, 8}, {2, -4, -1});
  expect_bits<uint8_t>("BitwiseRightShift", {250, 250}, {1, 8}, {125, 0});
  expect_bits<int16_t>("BitwiseRightShift", {-300}, {4}, {-19});
  expect_bits<uint32_t>("BitwiseRightShift", {0x80000000u}, {31}, {1});
  expect_bits<int64_t>("BitwiseRightShift", {-(5ll << 40), INT64_MIN}, {40, 63}, {-5, -1});
  expect_bits<uint64_t>("BitwiseRightShift", {0x8000000000000000ull}, {63}, {1});
}

TEST(BitwiseLeftShift, RefusesBooleans) {
  for (const char* type : {"BitwiseLeftShift", "BitwiseRightShift"}) {
    expect_error(ErrorCode::kInvalidType, "input 0 has element type boolean, expected an integer type",
                 [type] { run_op(type, 15, {}, {Tensor::scalar(true), Tensor::scalar(true)}); });
  }
}

}  // namespace
}  // namespace wasmvino::test::bitwise_test
