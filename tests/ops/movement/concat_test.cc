// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/packed_bits.h"

namespace wasmvino::test::concat_test {
namespace {

Tensor concat(const std::vector<Tensor>& inputs, const std::string& axis) {
  return run_op("Concat", 1, {{"axis", axis}}, inputs)[0];
}

TEST(Concat, JoinsAlongAnyAxis) {
  const Tensor a = iota<int32_t>({2, 2});
  const Tensor b = iota<int32_t>({2, 1});
  EXPECT_EQ(text_of(concat({a, b}, "1")), "[2,3] 0 1 0 2 3 1");
  EXPECT_EQ(text_of(concat({a, b, a}, "-1")), "[2,5] 0 1 0 0 1 2 3 1 2 3");
  EXPECT_EQ(text_of(concat({a, a}, "0")), "[4,2] 0 1 2 3 0 1 2 3");
  EXPECT_EQ(text_of(concat({iota({1, 2, 1}), iota({1, 2, 2})}, "2")), "[1,2,3] 0 0 1 1 2 3");
}

TEST(Concat, TakesEmptyInputsAndOne) {
  EXPECT_EQ(text_of(concat({iota({2, 0}), iota({2, 2})}, "1")), "[2,2] 0 1 2 3");
  EXPECT_EQ(text_of(concat({iota({3})}, "0")), "[3] 0 1 2");
}

TEST(Concat, MovesElementsOfAllWidths) {
  EXPECT_EQ(text_of(concat({iota<uint8_t>({2, 1}), iota<uint8_t>({2, 2})}, "1")), "[2,3] 0 0 1 1 2 3");
  EXPECT_EQ(text_of(concat({iota<int16_t>({2, 1}), iota<int16_t>({2, 2})}, "1")), "[2,3] 0 0 1 1 2 3");
  EXPECT_EQ(text_of(concat({iota<double>({2, 1}), iota<double>({2, 2})}, "1")), "[2,3] 0 0 1 1 2 3");
  EXPECT_EQ(text_of(concat({strings({2, 1}), strings({2, 2})}, "1")), "[2,3] 0 0 1 1 2 3");
}

TEST(Concat, PacksNarrowElementsWithoutGaps) {
  Tensor a(ElementType::kU4, {3});
  for (size_t i = 0; i < 3; ++i)
    store_bits(ElementType::kU4, a.mutable_data<char>(), i, static_cast<uint8_t>(i + 1));
  EXPECT_EQ(text_of(concat({a, a}, "0")), "[6] 1 2 3 1 2 3");
}

TEST(Concat, TellsWhereItsInputsLie) {
  const auto node = make_node("Concat", 1, {{"axis", "1"}}, 1);
  struct NoServices final : model::CompileServices {
    std::unique_ptr<model::Subgraph> subgraph(const model::Node&, size_t,
                                              std::span<const model::ValueInfo>) override {
      return nullptr;
    }
    std::shared_ptr<const void>& cache(const model::Node&, std::string_view) override { return nothing; }
    model::Variable& variable(std::string_view) override { return none; }
    const Parallel& parallel() const override { return alone; }
    std::shared_ptr<const void> nothing;
    model::Variable none;
    Parallel alone;
  } services;
  const auto places = [&](int64_t outer) {
    const model::ValueInfo a = open(ElementType::kF32, {outer, 2, 3});
    const model::ValueInfo b = open(ElementType::kF32, {outer, 4, 3});
    const std::vector<const model::ValueInfo*> inputs = {&a, &b};
    const std::vector<model::ValueInfo> outputs = {open(ElementType::kF32, {outer, 6, 3})};
    const model::CompileContext context(*node, inputs, outputs, services);
    return node->op->places_of_inputs(context);
  };
  EXPECT_EQ(places(1), (std::vector<size_t>{0, 24}));
  EXPECT_TRUE(places(2).empty());
}

TEST(Concat, InfersOpenSizes) {
  const auto shape = [](PartialShape a, PartialShape b) {
    return infer_shape("Concat", 1, {{"axis", "0"}},
                       {open(ElementType::kF32, a), open(ElementType::kF32, b)});
  };
  EXPECT_EQ(shape({2, Dimension()}, {Dimension(1, 3), 4}), "[3..5,4]");
  EXPECT_EQ(shape({2, 4}, PartialShape()), "[2..,4]");
  EXPECT_EQ(shape(PartialShape(), PartialShape()), "[...]");
}

TEST(Concat, RefusesInputsThatDoNotFit) {
  expect_error(ErrorCode::kInvalidShape, "input 1 has shape [2,4], expected [?,3]",
               [] { concat({iota({2, 3}), iota({2, 4})}, "0"); });
  expect_error(ErrorCode::kInvalidType, "input 1 has element type i32, input 0 has f32",
               [] { concat({iota({2}), iota<int32_t>({2})}, "0"); });
  expect_error(ErrorCode::kInvalidValue, "attribute 'axis' is 2, outside -2..1",
               [] { concat({iota({2, 3}), iota({2, 3})}, "2"); });
  expect_error(ErrorCode::kInvalidModel, "attribute 'axis' is 'one'", [] { concat({iota({2, 3})}, "one"); });
}

}  // namespace
}  // namespace wasmvino::test::concat_test
