// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/pooling/pooling_tester.h"

namespace wasmvino::test::max_pool_test {
namespace {

const Tensor kPowers = Tensor::of<float>({1, 1, 9}, {1, 2, 4, 8, 16, 32, 64, 128, 256});

TEST(MaxPool, RoundingAndPads) {
  const auto run = [](int opset, const std::string& rounding, const std::string& begin,
                      const std::string& end, const std::string& stride = "3") {
    return run_op("MaxPool", opset,
                  {{"kernel", "3"},
                   {"strides", stride},
                   {"pads_begin", begin},
                   {"pads_end", end},
                   {"rounding_type", rounding}},
                  {kPowers}, opset < 8 ? 1 : 2)[0];
  };
  for (const int opset : {1, 8, 14}) {
    expect_tensor<float>(run(opset, "floor", "0", "0"), {1, 1, 3}, {4, 32, 256});
    expect_tensor<float>(run(opset, "floor", "1", "1"), {1, 1, 3}, {2, 16, 128});
    expect_tensor<float>(run(opset, "ceil", "1", "0"), {1, 1, 4}, {2, 16, 128, 256});
    expect_tensor<float>(run(opset, "floor", "1", "2"), {1, 1, 4}, {2, 16, 128, 256});
  }
  // The last window would begin in the padding behind: nothing but version 14's ceil_torch leaves it out.
  expect_tensor<float>(run(14, "ceil", "1", "2", "5"), {1, 1, 3},
                       {2, 64, std::numeric_limits<float>::lowest()});
  expect_tensor<float>(run(14, "ceil_torch", "1", "2", "5"), {1, 1, 2}, {2, 64});
  expect_tensor<float>(run(14, "ceil", "0", "2", "9"), {1, 1, 2}, {4, std::numeric_limits<float>::lowest()});
  expect_tensor<float>(run(14, "ceil_torch", "0", "2", "9"), {1, 1, 1}, {4});
}

TEST(MaxPool, AutoPad) {
  const auto run = [](const std::string& word) {
    return run_op("MaxPool", 1, {{"kernel", "4"}, {"strides", "2"}, {"auto_pad", word}}, {kPowers})[0];
  };
  expect_tensor<float>(run("same_upper"), {1, 1, 5}, {4, 16, 64, 256, 256});
  expect_tensor<float>(run("same_lower"), {1, 1, 5}, {2, 8, 32, 128, 256});
  expect_tensor<float>(run("valid"), {1, 1, 3}, {8, 32, 128});
}

TEST(MaxPool, AgainstTheDefinition) {
  for (const PoolingCase& c : pooling_cases()) check_pooling("MaxPool", 14, c, /*dilated=*/true);
  for (PoolingCase c : pooling_cases()) {
    c.dilations = Ints(c.kernel.size(), 1);
    check_pooling("MaxPool", 1, c, /*dilated=*/false);
  }
}

TEST(MaxPool, IndicesCountFromTheAxis) {
  const Tensor data = iota({2, 2, 2, 3});
  const auto run = [&](const std::string& axis, const std::string& type) {
    return run_op("MaxPool", 8, {{"kernel", "2,2"}, {"axis", axis}, {"index_element_type", type}}, {data},
                  2)[1];
  };
  EXPECT_EQ(text_of(run("0", "i64")), "[2,2,1,2] 4 5 10 11 16 17 22 23");
  EXPECT_EQ(text_of(run("1", "i32")), "[2,2,1,2] 4 5 10 11 4 5 10 11");
  EXPECT_EQ(text_of(run("-2", "i64")), "[2,2,1,2] 4 5 4 5 4 5 4 5");
  EXPECT_EQ(text_of(run("3", "i64")), "[2,2,1,2] 1 2 1 2 1 2 1 2");
  EXPECT_EQ(name(run("1", "i32").type()), "i32");
  EXPECT_EQ(name(run_op("MaxPool", 8, {{"kernel", "2,2"}}, {data}, 2)[1].type()), "i64");
}

// The first of equals; NaN and -inf are not greater than the lowest number, as in OpenVINO.
TEST(MaxPool, TiesAndWhatIsNoNumber) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity(),
              low = std::numeric_limits<float>::lowest();
  const Tensor ties = Tensor::of<float>({1, 1, 6}, {5, 5, 3, 5, -1, -1});
  EXPECT_EQ(text_of(run_op("MaxPool", 8, {{"kernel", "3"}}, {ties}, 2)[1]), "[1,1,4] 0 1 3 3");
  const Tensor odd = Tensor::of<float>({1, 1, 9}, {-inf, -inf, -inf, 1, nan, 2, 3, nan, nan});
  for (const int opset : {1, 8}) {
    const std::vector<Tensor> got = run_op("MaxPool", opset, {{"kernel", "2"}}, {odd}, opset < 8 ? 1 : 2);
    expect_tensor<float>(got[0], {1, 1, 8}, {low, low, 1, 1, 2, 3, 3, low});
    if (opset == 8) {
      EXPECT_EQ(text_of(got[1]), "[1,1,8] 0 0 3 3 5 6 6 0");
    }
  }
}

// A window that meets padding alone gives the lowest number, of index 0.
TEST(MaxPool, HasIndicesOverAnEmptyAxis) {
  const auto results = run_op("MaxPool", 8, {{"kernel", "2"}, {"pads_begin", "1"}, {"pads_end", "1"}},
                              {Tensor(ElementType::kI32, {1, 1, 0})}, 2);
  expect_tensor<int32_t>(results[0], {1, 1, 1}, {std::numeric_limits<int32_t>::lowest()});
  expect_tensor<int64_t>(results[1], {1, 1, 1}, {0});
}

TEST(MaxPool, RefusesMoreTapsThanMemory) {
  expect_error(ErrorCode::kInvalidShape, "more elements than the address space can hold", [] {
    infer_op("MaxPool", 1, {{"kernel", "536870911,536870911,536870911"}},
             {open(ElementType::kF32, PartialShape())});
  });
}

TEST(MaxPool, ElementTypes) {
  const auto run = [](const Tensor& data) {
    return run_op("MaxPool", 8, {{"kernel", "2"}, {"strides", "2"}}, {data}, 2);
  };
  expect_tensor<int8_t>(run(Tensor::of<int8_t>({1, 1, 4}, {-7, -9, 100, 3}))[0], {1, 1, 2}, {-7, 100});
  expect_tensor<uint8_t>(run(Tensor::of<uint8_t>({1, 1, 4}, {200, 100, 0, 3}))[0], {1, 1, 2}, {200, 3});
  expect_tensor<int32_t>(run(Tensor::of<int32_t>({1, 1, 4}, {2147483646, 2147483647, -5, -6}))[0], {1, 1, 2},
                         {2147483647, -5});
  expect_tensor<int64_t>(run(Tensor::of<int64_t>({1, 1, 2}, {(int64_t{1} << 60) + 1, int64_t{1} << 60}))[0],
                         {1, 1, 1}, {(int64_t{1} << 60) + 1});
  expect_tensor<uint64_t>(run(Tensor::of<uint64_t>({1, 1, 2}, {1, uint64_t{1} << 63}))[0], {1, 1, 1},
                          {uint64_t{1} << 63});
  expect_tensor<double>(run(Tensor::of<double>({1, 1, 2}, {1.5, -2}))[0], {1, 1, 1}, {1.5});
  const Tensor half =
      run_op("Convert", 1, {{"destination_type", "f16"}}, {Tensor::of<float>({1, 1, 4}, {1, 2, -3, -4})})[0];
  for (const int opset : {1, 14}) {
    const std::vector<Tensor> got =
        run_op("MaxPool", opset, {{"kernel", "2"}, {"strides", "2"}}, {half}, opset < 8 ? 1 : 2);
    EXPECT_EQ(name(got[0].type()), "f16");
    EXPECT_EQ(text_of(got[0]), "[1,1,2] 2 -3");
  }
  // Windows without an element.
  expect_tensor<int8_t>(run_op("MaxPool", 8, {{"kernel", "1"}, {"pads_begin", "1"}},
                               {Tensor::of<int8_t>({1, 1, 1}, {3})}, 2)[0],
                        {1, 1, 2}, {-128, 3});
}

TEST(MaxPool, OpenShapes) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const model::AttributeTexts& attributes) {
    return infer_shape("MaxPool", 1, attributes, {open(ElementType::kF32, data)});
  };
  EXPECT_EQ(shape({any, 3, any, Dimension(4, 9)}, {{"kernel", "3,3"}, {"strides", "2,2"}}), "[?,3,?,1..4]");
  EXPECT_EQ(shape(PartialShape(), {{"kernel", "3,3"}}), "[?,?,?,?]");
  EXPECT_EQ(shape({1, 2, Dimension(4, 9)}, {{"kernel", "2"}, {"strides", "2"}, {"auto_pad", "same_upper"}}),
            "[1,2,2..5]");
}

TEST(MaxPool, Errors) {
  const auto infer = [](const Shape& data, const model::AttributeTexts& attributes, int opset = 8) {
    infer_op("MaxPool", opset, attributes, {open(ElementType::kF32, data)}, opset < 8 ? 1 : 2);
  };
  expect_error(ErrorCode::kInvalidModel, "kernel", [&] { infer({1, 1, 5}, {}); });
  expect_error(ErrorCode::kInvalidValue, "kernel is [2,2] with 2 elements, expected 1",
               [&] { infer({1, 1, 5}, {{"kernel", "2,2"}}); });
  expect_error(ErrorCode::kInvalidValue, "kernel is [0]", [&] { infer({1, 1, 5}, {{"kernel", "0"}}); });
  expect_error(ErrorCode::kInvalidShape, "less than a window of 7",
               [&] { infer({1, 1, 5}, {{"kernel", "4"}, {"dilations", "2"}}); });
  expect_error(ErrorCode::kInvalidShape, "data has shape [1,5]", [&] { infer({1, 5}, {{"kernel", "2"}}); });
  expect_error(ErrorCode::kInvalidValue, "strides is [0]",
               [&] { infer({1, 1, 5}, {{"kernel", "2"}, {"strides", "0"}}); });
  expect_error(ErrorCode::kInvalidValue, "axis", [&] { infer({1, 1, 5}, {{"kernel", "2"}, {"axis", "3"}}); });
  expect_error(ErrorCode::kInvalidType, "index_element_type is f32",
               [&] { infer({1, 1, 5}, {{"kernel", "2"}, {"index_element_type", "f32"}}); });
  expect_error(ErrorCode::kInvalidModel, "ceil_torch",
               [&] { infer({1, 1, 5}, {{"kernel", "2"}, {"rounding_type", "ceil_torch"}}); });
}

}  // namespace
}  // namespace wasmvino::test::max_pool_test
