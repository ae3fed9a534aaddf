// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "../arrays.h"

namespace wasmvino::test::multinomial_test {
namespace {

std::string draw(const Tensor& probs, int32_t samples, const char* with_replacement, const char* log_probs,
                 const char* global_seed, const char* op_seed) {
  return text_of(run_op("Multinomial", 13,
                        {{"convert_type", "i32"},
                         {"with_replacement", with_replacement},
                         {"log_probs", log_probs},
                         {"global_seed", global_seed},
                         {"op_seed", op_seed}},
                        {probs, Tensor::scalar(samples)})[0]);
}

Tensor two_rows() { return Tensor::of<float>({2, 3}, {0.1f, 0.4f, 0.5f, 0.2f, 0.7f, 0.1f}); }

// Values of OpenVINO 2026.4.1.
TEST(Multinomial, DrawsWithAndWithoutReplacement) {
  EXPECT_EQ(draw(two_rows(), 6, "true", "false", "42", "7"), "[2,6] 2 1 2 2 2 1 1 1 1 1 1 0");
  EXPECT_EQ(draw(two_rows(), 2, "false", "false", "42", "7"), "[2,2] 2 1 1 2");
  EXPECT_EQ(draw(two_rows(), 2, "false", "false", "1", "9"), "[2,2] 2 1 2 1");
}

TEST(Multinomial, TakesLogarithms) {
  Tensor logs = two_rows();
  for (size_t i = 0; i < 6; ++i) logs.mutable_data<float>()[i] = std::log(logs.data<float>()[i]);
  EXPECT_EQ(draw(logs, 6, "true", "true", "1", "9"), "[2,6] 2 2 2 2 2 0 0 0 1 2 1 1");
}

TEST(Multinomial, NormalisesProbabilities) {
  Tensor large = two_rows();
  for (size_t i = 0; i < 6; ++i) large.mutable_data<float>()[i] *= 8;
  EXPECT_EQ(draw(large, 6, "true", "false", "42", "7"), draw(two_rows(), 6, "true", "false", "42", "7"));
}

TEST(Multinomial, DrawsEachClassOnceWithoutReplacement) {
  Tensor probs(ElementType::kF32, {1, 50});
  std::fill_n(probs.mutable_data<float>(), 50, 0.02f);
  const Tensor drawn = run_op(
      "Multinomial", 13,
      {{"convert_type", "i64"}, {"with_replacement", "false"}, {"log_probs", "false"}, {"op_seed", "3"}},
      {probs, Tensor::scalar<int64_t>(50)})[0];
  std::vector<int64_t> classes(drawn.data<int64_t>(), drawn.data<int64_t>() + 50);
  std::sort(classes.begin(), classes.end());
  for (int64_t i = 0; i < 50; ++i) EXPECT_EQ(classes[static_cast<size_t>(i)], i);
}

TEST(Multinomial, RefusesWhatCannotBeDrawn) {
  expect_error(ErrorCode::kInvalidValue, "num_samples is 4, expected 0..3",
               [] { draw(two_rows(), 4, "false", "false", "1", "1"); });
  expect_error(ErrorCode::kInvalidShape, "probs has shape [3], expected rank 2",
               [] { draw(iota({3}), 1, "true", "false", "1", "1"); });
  expect_error(ErrorCode::kInvalidType, "probs has element type i32",
               [] { draw(iota<int32_t>({1, 3}), 1, "true", "false", "1", "1"); });
}

}  // namespace
}  // namespace wasmvino::test::multinomial_test
