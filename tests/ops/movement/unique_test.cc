// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::unique_test {
namespace {

using Texts = std::vector<std::string>;

Texts unique(const Tensor& data, const char* sorted = "true", std::optional<int64_t> axis = std::nullopt) {
  std::vector<Tensor> inputs = {data};
  if (axis) inputs.push_back(Tensor::scalar(*axis));
  Texts texts;
  for (const Tensor& output : run_op("Unique", 10, {{"sorted", sorted}}, inputs, 4))
    texts.push_back(text_of(output));
  return texts;
}

TEST(Unique, FindsElements) {
  const Tensor data = Tensor::of<float>({2, 3}, {3, 1, 2, 1, 3, 3});
  EXPECT_EQ(unique(data), (Texts{"[3] 1 2 3", "[3] 1 2 0", "[6] 2 0 1 0 2 2", "[3] 2 1 3"}));
  EXPECT_EQ(unique(data, "false"), (Texts{"[3] 3 1 2", "[3] 0 1 2", "[6] 0 1 2 1 0 0", "[3] 3 2 1"}));
}

TEST(Unique, FindsSlices) {
  const Tensor data = Tensor::of<int32_t>({3, 3}, {3, 0, 0, 1, 2, 2, 3, 0, 0});
  EXPECT_EQ(unique(data, "true", 0), (Texts{"[2,3] 1 2 2 3 0 0", "[2] 1 0", "[3] 1 0 1", "[2] 1 2"}));
  EXPECT_EQ(unique(data, "false", 0), (Texts{"[2,3] 3 0 0 1 2 2", "[2] 0 1", "[3] 0 1 0", "[2] 2 1"}));
  EXPECT_EQ(unique(data, "true", -1), (Texts{"[3,2] 0 3 2 1 0 3", "[2] 1 0", "[3] 1 0 0", "[2] 2 1"}));
  const Tensor cube = Tensor::of<int32_t>({2, 2, 2}, {1, 2, 1, 2, 3, 4, 3, 4});
  EXPECT_EQ(unique(cube, "true", 1), (Texts{"[2,1,2] 1 2 3 4", "[1] 0", "[2] 0 0", "[1] 2"}));
}

TEST(Unique, OrdersAllTypes) {
  EXPECT_EQ(unique(Tensor::of<int8_t>({4}, {1, -1, 0, -1}))[0], "[3] -1 0 1");
  EXPECT_EQ(unique(Tensor::of<uint64_t>({3}, {uint64_t{1} << 63, 1, 0}))[2], "[3] 2 1 0");
  EXPECT_EQ(unique(Tensor::of<int64_t>({3}, {(int64_t{1} << 62) + 1, int64_t{1} << 62, -5}))[2], "[3] 2 1 0");
  EXPECT_EQ(unique(Tensor::of<std::string>({4}, {"b", "a", "b", ""}))[0], "[3]  a b");
  EXPECT_EQ(unique(Tensor::of<bool>({3}, {true, false, true}))[0], "[2] 0 1");
  EXPECT_EQ(unique(Tensor::of<float>({4}, {0.0f, -0.0f, -1.5f, 0.25f}))[0], "[3] -1.5 0 0.25");
}

TEST(Unique, TellsNansApart) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor data = Tensor::of<float>({5}, {nan, 3, 1, nan, 3});
  EXPECT_EQ(unique(data), (Texts{"[4] 1 3 nan nan", "[4] 2 1 0 3", "[5] 2 1 0 3 1", "[4] 1 2 1 1"}));
  EXPECT_EQ(unique(data, "false")[0], "[4] nan 3 1 nan");
}

TEST(Unique, TakesScalarsAndEmptyArrays) {
  EXPECT_EQ(unique(Tensor::scalar(4.0f)), (Texts{"[1] 4", "[1] 0", "[1] 0", "[1] 1"}));
  EXPECT_EQ(unique(iota({0})), (Texts{"[0]", "[0]", "[0]", "[0]"}));
}

TEST(Unique, WritesTheTypesAskedFor) {
  const auto outputs =
      run_op("Unique", 10, {{"index_element_type", "i32"}, {"count_element_type", "i32"}}, {iota({2})}, 4);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(name(outputs[i].type()), "i32");
  expect_error(ErrorCode::kInvalidModel, "attribute 'count_element_type' is f32",
               [] { run_op("Unique", 10, {{"count_element_type", "f32"}}, {iota({2})}, 4); });
}

TEST(Unique, InfersBounds) {
  const auto infer = [](const std::vector<model::ValueInfo>& inputs) {
    std::string text;
    for (const auto& output : infer_op("Unique", 10, {}, inputs, 4)) text += to_string(output.shape) + ' ';
    return text;
  };
  const auto data = open(ElementType::kF32, {3, 4});
  EXPECT_EQ(infer({data}), "[1..12] [1..12] [12] [1..12] ");
  EXPECT_EQ(infer({data, model::ValueInfo::of(Tensor::scalar<int64_t>(1))}), "[3,1..4] [1..4] [4] [1..4] ");
  EXPECT_EQ(infer({open(ElementType::kF32, PartialShape())}), "[?] [?] [?] [?] ");
}

}  // namespace
}  // namespace wasmvino::test::unique_test
