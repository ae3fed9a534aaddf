// SPDX-License-Identifier: Apache-2.0
#include "runtime/variables.h"

#include <gtest/gtest.h>

#include "core/call.h"
#include "core/error.h"

namespace wasmvino::test {
namespace {

std::vector<int32_t> numbers(const Tensor& tensor) {
  return {tensor.data<int32_t>(), tensor.data<int32_t>() + tensor.size()};
}

TEST(Variables, AreTransposedToAnOrder) {
  model::Variable variable;
  variable.value = Tensor::of<int32_t>({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor declared = variable.value;
  runtime::lay_out(variable, {{2, 0, 1}}, Parallel());
  EXPECT_EQ(variable.value.shape(), (Shape{3, 1, 2}));
  EXPECT_EQ(numbers(variable.value), (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
  runtime::lay_out(variable, {{1, 2, 0}}, Parallel());
  EXPECT_EQ(variable.value.shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(numbers(variable.value), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  runtime::lay_out(variable, {}, Parallel());
  EXPECT_EQ(variable.value.shape(), declared.shape());
  EXPECT_EQ(numbers(variable.value), numbers(declared));
}

TEST(Variables, WithoutAValueOnlyChangeTheOrder) {
  model::Variable variable;
  runtime::lay_out(variable, {{1, 0}}, Parallel());
  EXPECT_FALSE(variable.value);
  EXPECT_EQ(variable.form.order, (Ints{1, 0}));
}

TEST(Variables, GrowInTheirMemory) {
  model::Variable variable;
  std::vector<int32_t> expected = {0, 1, 2, 3};
  variable.value = Tensor::of<int32_t>({4}, expected.data());
  int moves = 0;
  for (int32_t size = 5; size <= 200; ++size) {
    const void* before = variable.value.data<char>();
    Tensor next = runtime::extend(variable, {size});
    moves += variable.value.data<char>() != before;
    EXPECT_EQ(next.data<char>(), variable.value.data<char>());
    EXPECT_EQ(numbers(variable.value), expected);
    next.mutable_data<int32_t>()[size - 1] = size - 1;
    expected.push_back(size - 1);
    variable.value = next;
  }
  EXPECT_LE(moves, 20);
}

TEST(Variables, DoNotShrinkInTheirMemory) {
  model::Variable variable;
  variable.value = Tensor::of<int32_t>({4}, {0, 1, 2, 3});
  EXPECT_THROW(runtime::extend(variable, {3}), Error);
}

TEST(Variables, TakeLittleMoreThanTheyNeed) {
  model::Variable variable;
  const std::vector<int32_t> values(1000);
  variable.value = Tensor::of<int32_t>({1000}, values.data());
  variable.value = runtime::extend(variable, {1001});
  EXPECT_GT(variable.reserve.byte_size(), 4004u + 64);
  EXPECT_LE(variable.reserve.byte_size(), 4004u + 4004 / 8 + 64);
}

TEST(Variables, MoveIfSomebodySetThem) {
  model::Variable variable;
  variable.value = Tensor::of<int32_t>({1}, {1});
  variable.value = runtime::extend(variable, {2});
  variable.value = Tensor::of<int32_t>({2}, {7, 8});
  const Tensor next = runtime::extend(variable, {3});
  EXPECT_EQ(numbers(variable.value), (std::vector<int32_t>{7, 8}));
  EXPECT_EQ(next.data<int32_t>()[1], 8);
}

TEST(Variables, KeepToTheLimitOfATensor) {
  Limits limits;
  limits.tensor_bytes = 448;  // that of 100 numbers, in whole blocks of 64 bytes
  const Call call(limits);
  const CallScope scope(call);
  model::Variable variable;
  variable.value = Tensor::of<int32_t>({1}, {1});
  EXPECT_EQ(runtime::extend(variable, {100}).byte_size(), 400u);
  try {
    runtime::extend(variable, {113});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLimitExceeded);
  }
}

}  // namespace
}  // namespace wasmvino::test
