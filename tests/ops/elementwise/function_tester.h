// SPDX-License-Identifier: Apache-2.0
// Checks a unary operation in all types that it supports.
#pragma once

#include "../op_tester.h"

namespace wasmvino::test {

struct Function {
  std::string type;
  int opset = 1;
  model::AttributeTexts attributes = {};
  std::vector<double> parameters = {};  // inputs 1, 2 ..., in the type of the data

  Tensor operator()(const Tensor& x) const {
    std::vector<Tensor> inputs = {x};
    for (const double parameter : parameters)
      inputs.push_back(convert(Tensor::scalar(parameter), name(x.type())));
    return run_op(type, opset, attributes, inputs)[0];
  }
  static Tensor convert(const Tensor& x, std::string_view type) {
    return run_op("Convert", 1, {{"destination_type", std::string(type)}}, {x})[0];
  }
};

// Expects y = function(x): in f32 within `tolerance`, in f64 (which uses other code) within 1e-14, in f16 and
// bf16 the rounded f32 result. Repeats x about a hundred times, to cover blocks, vectors and their
// remainders.
inline void expect_function(const Function& function, const std::vector<double>& x,
                            const std::vector<double>& y, float tolerance = 1e-6f) {
  ASSERT_EQ(x.size(), y.size());
  const size_t count = x.size() * (300 / x.size());
  const Shape shape = {static_cast<int64_t>(count)};
  Tensor wide(ElementType::kF64, shape);
  std::vector<float> expected(count);
  for (size_t i = 0; i < count; ++i) {
    wide.mutable_data<double>()[i] = x[i % x.size()];
    expected[i] = static_cast<float>(y[i % y.size()]);
  }
  const Tensor wide_result = function(wide);
  ASSERT_EQ(name(wide_result.type()), "f64");
  for (size_t i = 0; i < x.size(); ++i) {
    const double got = wide_result.data<double>()[i];
    if (got == y[i] || (std::isnan(got) && std::isnan(y[i]))) continue;
    EXPECT_NEAR(got, y[i], 1e-14 * (1 + std::fabs(y[i]))) << "f64, x = " << x[i];
  }
  const Tensor single = Function::convert(wide, "f32");
  expect_near(function(single), shape, expected, tolerance);
  for (const char* half : {"f16", "bf16"}) {
    const Tensor narrow = Function::convert(single, half);
    const Tensor want = Function::convert(function(Function::convert(narrow, "f32")), half);
    const Tensor got = function(narrow);
    ASSERT_EQ(name(got.type()), half);
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(got.data<uint16_t>()[i], want.data<uint16_t>()[i]) << half << ", x = " << x[i % x.size()];
    }
  }
}

// Expects y = function(x) for integers, exactly, in each of `types`.
inline void expect_integers(const Function& function, std::initializer_list<std::string_view> types,
                            const std::vector<int64_t>& x, const std::vector<int64_t>& y) {
  const Tensor wide = Tensor::of<int64_t>({static_cast<int64_t>(x.size())}, x.data());
  for (const std::string_view type : types) {
    const Tensor result = function(Function::convert(wide, type));
    ASSERT_EQ(name(result.type()), type);
    const Tensor got = Function::convert(result, "i64");
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(got.data<int64_t>()[i], y[i]) << type << ", x = " << x[i];
  }
}

}  // namespace wasmvino::test
