// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::slice_test {
namespace {

using model::ValueInfo;

constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

std::string slice(const Shape& shape, const std::vector<Tensor>& ranges) {
  std::vector<Tensor> inputs = {iota<int32_t>(shape)};
  inputs.insert(inputs.end(), ranges.begin(), ranges.end());
  return text_of(run_op("Slice", 8, {}, inputs)[0]);
}

TEST(Slice, TakesRangesOfTheFirstAxesOrOfNamedOnes) {
  EXPECT_EQ(slice({2, 4}, {i64s({0, 1}), i64s({2, 3}), i64s({1, 1})}), "[2,2] 1 2 5 6");
  EXPECT_EQ(slice({2, 4}, {i64s({1}), i64s({2}), i64s({1})}), "[1,4] 4 5 6 7");
  EXPECT_EQ(slice({2, 4}, {i32s({3}), i32s({0}), i32s({-2}), i32s({-1})}), "[2,2] 3 1 7 5");
  EXPECT_EQ(slice({2, 4}, {i64s({0, 1}), i64s({4, 2}), i64s({2, 1}), i64s({1, 0})}), "[1,2] 4 6");
}

TEST(Slice, CountsFromTheEndAndClamps) {
  EXPECT_EQ(slice({5}, {i64s({-3}), i64s({kLast}), i64s({1})}), "[3] 2 3 4");
  EXPECT_EQ(slice({5}, {i64s({3}), i64s({kFirst}), i64s({-1})}), "[4] 3 2 1 0");
  EXPECT_EQ(slice({5}, {i64s({100}), i64s({-100}), i64s({-2})}), "[3] 4 2 0");
  EXPECT_EQ(slice({5}, {i64s({-100}), i64s({-200}), i64s({-1})}), "[1] 0");
  EXPECT_EQ(slice({5}, {i64s({-100}), i64s({100}), i64s({kLast})}), "[1] 0");
  EXPECT_EQ(slice({5}, {i64s({4}), i64s({0}), i64s({kFirst})}), "[1] 4");
  EXPECT_EQ(slice({5}, {i64s({3}), i64s({1}), i64s({1})}), "[0]");
  EXPECT_EQ(slice({0}, {i64s({0}), i64s({5}), i64s({-1})}), "[0]");
}

TEST(Slice, AgreesWithItsDefinitionForAllRangesOfASmallAxis) {
  for (int64_t size = 0; size <= 4; ++size) {
    for (int64_t start = -6; start <= 6; ++start) {
      for (int64_t stop = -6; stop <= 6; ++stop) {
        for (const int64_t step : {-3, -2, -1, 1, 2, 3}) {
          int64_t first = start < 0 ? start + size : start;
          int64_t end = stop < 0 ? stop + size : stop;
          first = std::clamp<int64_t>(first, 0, step > 0 ? size : std::max<int64_t>(0, size - 1));
          end = step > 0 ? std::clamp<int64_t>(end, 0, size) : std::clamp<int64_t>(end, -1, size);
          std::string values;
          int64_t count = 0;
          for (int64_t i = first; size > 0 && (step > 0 ? i < end : i > end); i += step, ++count)
            values += ' ' + std::to_string(i);
          ASSERT_EQ(slice({size}, {i64s({start}), i64s({stop}), i64s({step})}),
                    "[" + std::to_string(count) + "]" + values)
              << start << ":" << stop << ":" << step << " of " << size;
        }
      }
    }
  }
}

TEST(Slice, InfersOpenSizes) {
  const auto infer = [](Dimension size, int64_t start, int64_t stop, int64_t step) {
    return infer_shape("Slice", 8, {},
                       {open(ElementType::kF32, {size}), ValueInfo::of(i64s({start})),
                        ValueInfo::of(i64s({stop})), ValueInfo::of(i64s({step}))});
  };
  EXPECT_EQ(infer(Dimension(), 1, -1, 1), "[?]");
  EXPECT_EQ(infer(Dimension(2, 8), 1, 100, 2), "[1..4]");
  EXPECT_EQ(infer(Dimension(), 1, kLast, 1), "[?]");
  EXPECT_EQ(infer(Dimension(), 1, 2147483647, 1), "[?]");
  EXPECT_EQ(infer(Dimension(), 0, 3, 1), "[..3]");
  EXPECT_EQ(infer(Dimension(), -3, kLast, 1), "[..3]");
  EXPECT_EQ(infer(Dimension(5, 9), -3, kLast, 1), "[3]");
  EXPECT_EQ(infer(Dimension(1, 9), -3, 2, 1), "[..9]");
  EXPECT_EQ(infer(Dimension(), -1, kFirst, -1), "[?]");
  EXPECT_EQ(infer(Dimension(4, 9), kLast, kFirst, -1), "[4..9]");
  EXPECT_EQ(
      infer_shape("Slice", 8, {},
                  {open(ElementType::kF32, {4, Dimension(), 2}), open(ElementType::kI64, {1}),
                   open(ElementType::kI64, {1}), open(ElementType::kI64, {1}), ValueInfo::of(i64s({1}))}),
      "[4,?,2]");
}

TEST(Slice, RefusesWhatContradictsItself) {
  expect_error(ErrorCode::kInvalidValue, "step [0] contains 0",
               [] { slice({4}, {i64s({0}), i64s({2}), i64s({0})}); });
  expect_error(ErrorCode::kInvalidValue, "axes contain axis 0 twice",
               [] { slice({4, 4}, {i64s({0, 0}), i64s({2, 2}), i64s({1, 1}), i64s({0, -2})}); });
  expect_error(ErrorCode::kInvalidShape, "stop has 1 elements, but start has 2",
               [] { slice({4, 4}, {i64s({0, 0}), i64s({2}), i64s({1, 1})}); });
  expect_error(ErrorCode::kInvalidShape, "start has 2 elements, but data has shape [4]",
               [] { slice({4}, {i64s({0, 0}), i64s({2, 2}), i64s({1, 1})}); });
}

}  // namespace
}  // namespace wasmvino::test::slice_test
