// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/float_types.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::random_uniform_test {
namespace {

template <typename T>
Tensor random(const char* type, const char* global_seed, const char* op_seed, T low, T high,
              const char* alignment, const Tensor& shape) {
  return run_op(
      "RandomUniform", 8,
      {{"output_type", type}, {"global_seed", global_seed}, {"op_seed", op_seed}, {"alignment", alignment}},
      {shape, Tensor::scalar(low), Tensor::scalar(high)})[0];
}

// The specification's examples 1 to 3.
TEST(RandomUniform, FollowsTensorflow) {
  expect_near(random("f32", "150", "10", 0.0f, 1.0f, "TENSORFLOW", i64s({3, 3})), {3, 3},
              {0.7011236f, 0.30539632f, 0.93931055f, 0.9456035f, 0.11694777f, 0.50770056f, 0.5197197f,
               0.22727466f, 0.991374f});
  const Tensor doubles = random("f64", "80", "100", 2.0, 10.0, "tensorflow", i64s({2, 2}));
  const double wanted[] = {5.65927959, 4.23122376, 2.67008206, 2.36423758};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(doubles.data<double>()[i], wanted[i], 1e-8);
  EXPECT_EQ(text_of(random<int32_t>("i32", "80", "100", 50, 100, "tensorflow", i64s({2, 3}))),
            "[2,3] 65 70 56 59 82 92");
}

// A draw and its number do not depend on who draws it. Beginnings of parts meet all four places in a block of
// draws.
TEST(RandomUniform, IsTheSameOnSeveralThreads) {
  const std::vector<Tensor> bounds[] = {{Tensor::scalar(2.0f), Tensor::scalar(9.0f)},
                                        {Tensor::scalar(Float16(2.0f)), Tensor::scalar(Float16(9.0f))},
                                        {Tensor::scalar(2.0), Tensor::scalar(9.0)},
                                        {Tensor::scalar<int32_t>(2), Tensor::scalar<int32_t>(9)},
                                        {Tensor::scalar<int64_t>(2), Tensor::scalar<int64_t>(9)}};
  for (const auto& bound : bounds) {
    const std::string type(name(bound[0].type()));
    const auto draw = [&](size_t threads) {
      return run_op_open("RandomUniform", 8,
                         {{"output_type", type}, {"global_seed", "150"}, {"op_seed", "10"}},
                         {i64s({50001}), bound[0], bound[1]}, 1, {0}, threads)[0];
    };
    EXPECT_TRUE(same_elements(draw(1), draw(3))) << type;
  }
}

// Values of OpenVINO 2026.4.1.
TEST(RandomUniform, FollowsOpenVino) {
  const Tensor six = i32s({6});
  EXPECT_EQ(text_of(random<int64_t>("i64", "150", "10", -3, 1000, "tensorflow", six)),
            "[6] 212 423 135 535 700 590");
  EXPECT_EQ(text_of(random<int64_t>("i64", "150", "10", -3, 1000, "pytorch", six)),
            "[6] 275 546 773 510 466 251");
  EXPECT_EQ(text_of(random<int32_t>("i32", "150", "10", -3, 1000, "pytorch", six)),
            "[6] 275 546 773 510 466 251");
  EXPECT_EQ(text_of(random<Float16>("f16", "150", "10", Float16(-3), Float16(1000), "tensorflow", six)),
            "[6] 603.5 806 831.5 382 33.25 80.25");
  EXPECT_EQ(text_of(random<Float16>("f16", "150", "10", Float16(-3), Float16(1000), "pytorch", six)),
            "[6] 610 213.5 747 9.2421875 239.875 146.875");
  expect_near(random("f32", "150", "10", -3.0f, 1000.0f, "pytorch", six), {6},
              {596.27917f, 543.21576f, 37.862892f, 579.79932f, 678.75623f, 388.93756f});
  const Tensor doubles = random("f64", "150", "10", -3.0, 1000.0, "pytorch", six);
  EXPECT_NEAR(doubles.data<double>()[0], 779.2340024043168, 1e-9);
  EXPECT_NEAR(doubles.data<double>()[5], 240.84364536090533, 1e-9);
}

// Values of OpenVINO 2026.4.1, which rounds at other steps for PyTorch, and bf16 in a way of its own.
TEST(RandomUniform, RoundsAsOpenVino) {
  const Tensor six = i32s({6});
  const Float16 f16[] = {Float16(-1.3f), Float16(3.7f)};
  const BFloat16 bf16[] = {BFloat16(-1.3f), BFloat16(3.7f)};
  EXPECT_EQ(text_of(random("f16", "150", "10", f16[0], f16[1], "tensorflow", six)),
            "[6] 1.7236328125 2.73046875 2.859375 0.619140625 -1.119140625 -0.884765625");
  EXPECT_EQ(text_of(random("f16", "150", "10", f16[0], f16[1], "pytorch", six)),
            "[6] 1.7568359375 -0.220703125 2.4375 -1.23828125 -0.0888671875 -0.552734375");
  EXPECT_EQ(text_of(random("bf16", "150", "10", bf16[0], bf16[1], "tensorflow", six)),
            "[6] 2.890625 0.96875 1.984375 -0.9453125 0.1484375 2.015625");
  EXPECT_EQ(text_of(random("bf16", "150", "10", bf16[0], bf16[1], "pytorch", six)),
            "[6] 3.15625 2.34375 3.59375 -0.80859375 3.390625 -0.3203125");
}

TEST(RandomUniform, TakesTwoDrawsForWideIntegers) {
  const Tensor three = i64s({3});
  const int64_t wide = int64_t{1} << 40;
  expect_tensor<int64_t>(random<int64_t>("i64", "150", "10", 0, wide, "tensorflow", three), {3},
                         {252872081003, 590943370068, 368604805157});
  expect_tensor<int64_t>(random<int64_t>("i64", "150", "10", 0, wide, "pytorch", three), {3},
                         {983254657466, 1080529567769, 1032677755186});
  expect_tensor<int64_t>(random<int64_t>("i64", "150", "10", -wide, 5, "pytorch", three), {3},
                         {-1095609289500, -1095509513798, -1098403648005});
}

TEST(RandomUniform, StaysBelowTheUpperBound) {
  const Tensor values =
      random<BFloat16>("bf16", "1", "2", BFloat16(0), BFloat16(1), "tensorflow", i64s({1000}));
  for (size_t i = 0; i < 1000; ++i) {
    const float value = static_cast<float>(values.data<BFloat16>()[i]);
    ASSERT_TRUE(value >= 0 && value < 1) << value;
  }
}

TEST(RandomUniform, DiffersEachTimeWithoutSeeds) {
  const Tensor shape = i64s({8});
  EXPECT_NE(text_of(random("f32", "0", "0", 0.0f, 1.0f, "tensorflow", shape)),
            text_of(random("f32", "0", "0", 0.0f, 1.0f, "tensorflow", shape)));
}

TEST(RandomUniform, RefusesWhatContradictsItself) {
  const Tensor shape = i64s({2});
  expect_error(ErrorCode::kInvalidValue, "minval is 5, expected less than maxval, which is 5",
               [&] { random("f32", "1", "1", 5.0f, 5.0f, "pytorch", shape); });
  expect_error(ErrorCode::kInvalidType, "minval has element type i32, but attribute 'output_type' is f32",
               [&] { random<int32_t>("f32", "1", "1", 0, 1, "pytorch", shape); });
  expect_error(ErrorCode::kInvalidModel, "'output_type' is u8",
               [&] { random<uint8_t>("u8", "1", "1", 0, 1, "pytorch", shape); });
  expect_error(ErrorCode::kInvalidValue, "has a negative size",
               [&] { random("f32", "1", "1", 0.0f, 1.0f, "pytorch", i64s({-2})); });
}

// Bounds that are known only when the model runs.
TEST(RandomUniform, RefusesEmptyRangesOfIntegersAtRunTime) {
  const auto draw = [](const char* type, const Tensor& low, const Tensor& high) {
    run_op_open("RandomUniform", 8, {{"output_type", type}, {"global_seed", "1"}, {"op_seed", "1"}},
                {i64s({3}), low, high}, 1, {0}, 1);
  };
  const char* const message = "minval is 5, expected less than maxval, which is 5";
  expect_error(ErrorCode::kInvalidValue, message,
               [&] { draw("i32", Tensor::scalar<int32_t>(5), Tensor::scalar<int32_t>(5)); });
  expect_error(ErrorCode::kInvalidValue, message,
               [&] { draw("i64", Tensor::scalar<int64_t>(5), Tensor::scalar<int64_t>(5)); });
}

}  // namespace
}  // namespace wasmvino::test::random_uniform_test
