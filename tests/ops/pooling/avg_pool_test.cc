// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/pooling/pooling_tester.h"

namespace wasmvino::test::avg_pool_test {
namespace {

std::vector<float> mean(int opset, const std::string& kernel, const std::string& stride,
                        const std::string& begin, const std::string& end, const std::string& rounding,
                        bool exclude) {
  const Tensor powers = Tensor::of<float>({1, 1, 6}, {1, 2, 4, 8, 16, 32});
  const Tensor got = run_op("AvgPool", opset,
                            {{"kernel", kernel},
                             {"strides", stride},
                             {"pads_begin", begin},
                             {"pads_end", end},
                             {"rounding_type", rounding},
                             {"exclude-pad", exclude ? "true" : "false"}},
                            {powers})[0];
  return {got.data<float>(), got.data<float>() + got.size()};
}

void expect_floats(const std::vector<float>& got, const std::vector<float>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5f) << "element " << i;
}

// Values of OpenVINO 2026.4.
TEST(AvgPool, RoundingAndPads) {
  for (const int opset : {1, 14, 16}) {
    for (const bool exclude : {false, true}) {
      expect_floats(mean(opset, "3", "2", "0", "0", "floor", exclude), {2.333333f, 9.333333f});
      // What a window lacks because sizes were rounded up does not count without pads.
      expect_floats(mean(opset, "3", "2", "0", "0", "ceil", exclude), {2.333333f, 9.333333f, 24});
    }
    expect_floats(mean(opset, "3", "2", "1", "0", "floor", true), {1.5f, 4.666667f, 18.666666f});
    expect_floats(mean(opset, "3", "2", "1", "0", "floor", false), {1, 4.666667f, 18.666666f});
    expect_floats(mean(opset, "3", "2", "0", "1", "ceil", true), {2.333333f, 9.333333f, 24});
    expect_floats(mean(opset, "3", "2", "0", "1", "ceil", false), {2.333333f, 9.333333f, 16});
    // With pads all that a window lacks counts.
    expect_floats(mean(opset, "3", "2", "1", "1", "ceil", false), {1, 4.666667f, 18.666666f, 10.666667f});
    expect_floats(mean(opset, "2", "3", "1", "1", "ceil", false), {0.5f, 6, 16});
  }
  expect_floats(mean(14, "2", "3", "0", "0", "ceil_torch", true), {1.5f, 12});
  expect_floats(mean(14, "3", "4", "1", "1", "ceil_torch", false), {1, 18.666666f});
  expect_floats(mean(14, "3", "4", "1", "1", "ceil", false), {1, 18.666666f, 0});
}

// As OpenVINO reads a file without the attribute.
TEST(AvgPool, PadsAreExcludedUnlessTheAttributeSaysOtherwise) {
  expect_near(run_op("AvgPool", 1, {{"kernel", "2"}, {"pads_begin", "1"}, {"pads_end", "0"}},
                     {Tensor::of<float>({1, 1, 2}, {2, 4})})[0],
              {1, 1, 2}, {2, 3});
}

TEST(AvgPool, AutoPad) {
  const Tensor powers = Tensor::of<float>({1, 1, 9}, {1, 2, 4, 8, 16, 32, 64, 128, 256});
  const auto run = [&](const std::string& word, const std::string& exclude) {
    return run_op("AvgPool", 1,
                  {{"kernel", "4"}, {"strides", "2"}, {"auto_pad", word}, {"exclude-pad", exclude}},
                  {powers})[0];
  };
  expect_near(run("same_upper", "true"), {1, 1, 5}, {2.333333f, 7.5f, 30, 120, 192});
  expect_near(run("same_upper", "false"), {1, 1, 5}, {1.75f, 7.5f, 30, 120, 96});
  expect_near(run("same_lower", "true"), {1, 1, 5}, {1.5f, 3.75f, 15, 60, 149.333328f});
  expect_near(run("same_lower", "false"), {1, 1, 5}, {0.75f, 3.75f, 15, 60, 112});
  expect_near(run("valid", "false"), {1, 1, 3}, {3.75f, 15, 60});
}

TEST(AvgPool, AgainstTheDefinition) {
  for (const PoolingCase& c : pooling_cases()) check_pooling("AvgPool", 16, c, /*dilated=*/true);
  for (PoolingCase c : pooling_cases()) {
    c.dilations = Ints(c.kernel.size(), 1);
    check_pooling("AvgPool", 1, c, /*dilated=*/false);
  }
}

// Integers are rounded to nearest, halves to even.
TEST(AvgPool, ElementTypes) {
  const auto run = [](const Tensor& data) {
    return run_op("AvgPool", 1, {{"kernel", "2"}, {"strides", "2"}}, {data})[0];
  };
  expect_tensor<int8_t>(run(Tensor::of<int8_t>({1, 1, 6}, {1, 2, 3, 4, -1, -2})), {1, 1, 3}, {2, 4, -2});
  expect_tensor<uint8_t>(run(Tensor::of<uint8_t>({1, 1, 4}, {255, 255, 0, 1})), {1, 1, 2}, {255, 0});
  expect_tensor<int32_t>(run(Tensor::of<int32_t>({1, 1, 2}, {7, 9})), {1, 1, 1}, {8});
  expect_tensor<double>(run(Tensor::of<double>({1, 1, 2}, {1, 2})), {1, 1, 1}, {1.5});
  const Tensor half =
      run_op("Convert", 1, {{"destination_type", "f16"}}, {Tensor::of<float>({1, 1, 2}, {1, 2})})[0];
  EXPECT_EQ(name(run(half).type()), "f16");
  EXPECT_EQ(text_of(run(half)), "[1,1,1] 1.5");
}

TEST(AvgPool, Errors) {
  expect_error(ErrorCode::kInvalidShape, "less than a window of 6",
               [] { infer_op("AvgPool", 1, {{"kernel", "6"}}, {open(ElementType::kF32, {1, 1, 5})}); });
  expect_error(ErrorCode::kInvalidModel, "kernel",
               [] { infer_op("AvgPool", 1, {}, {open(ElementType::kF32, {1, 1, 5})}); });
}

}  // namespace
}  // namespace wasmvino::test::avg_pool_test
