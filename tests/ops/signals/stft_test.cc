// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/arrays.h"
#include "tests/ops/signals/fourier_tester.h"

namespace wasmvino::test::stft_test {
namespace {

TEST(STFT, Frames) {
  const Tensor signal = numbers({2, 23});
  const Tensor window = Tensor::of<float>({4}, {.5f, 1, 2, .25f});
  for (const int64_t size : {4, 7}) {
    for (const int64_t step : {1, 3, 9}) {
      SCOPED_TRACE(testing::Message() << size << ' ' << step);
      const int64_t count = (23 - size) / step + 1, bins = size / 2 + 1;
      std::vector<float> expected(static_cast<size_t>(2 * count * bins * 2)), transposed = expected;
      for (int64_t batch = 0; batch < 2; ++batch) {
        for (int64_t frame = 0; frame < count; ++frame) {
          // The window in the middle of the frame.
          ComplexNumbers values(static_cast<size_t>(size));
          for (int64_t k = 0; k < 4; ++k) {
            const int64_t at = k + (size - 4) / 2;
            values[static_cast<size_t>(at)] =
                static_cast<double>(window.data<float>()[k]) *
                static_cast<double>(signal.data<float>()[batch * 23 + frame * step + at]);
          }
          values = transform_axis(values, {size}, 0, false);
          for (int64_t k = 0; k < bins; ++k) {
            for (int64_t part = 0; part < 2; ++part) {
              const auto& value = values[static_cast<size_t>(k)];
              const auto number = static_cast<float>(part == 0 ? value.real() : value.imag());
              expected[static_cast<size_t>(((batch * count + frame) * bins + k) * 2 + part)] = number;
              transposed[static_cast<size_t>(((batch * bins + k) * count + frame) * 2 + part)] = number;
            }
          }
        }
      }
      const std::vector<Tensor> inputs = {signal, window, Tensor::scalar(size), Tensor::scalar(step)};
      expect_near(run_op_open("STFT", 15, {{"transpose_frames", "false"}}, inputs, 1, {2, 3}, 3)[0],
                  {2, count, bins, 2}, expected, 1e-5f);
      expect_near(run_op("STFT", 15, {{"transpose_frames", "true"}}, inputs)[0], {2, bins, count, 2},
                  transposed, 1e-5f);
    }
  }
}

TEST(STFT, OneSignal) {
  const auto got = run_op(
      "STFT", 15, {},
      {iota({8}), Tensor::of<float>({1}, {1}), Tensor::scalar<int32_t>(2), Tensor::scalar<int32_t>(4)});
  expect_near(got[0], {2, 2, 2}, {0, 0, 0, 0, 4, 0, 4, 0});
}

TEST(STFT, InfersAndRefuses) {
  const auto known = [](int64_t value) { return model::ValueInfo::of(Tensor::scalar(value)); };
  EXPECT_EQ(infer_shape("STFT", 15, {},
                        {open(ElementType::kF32, {Dimension(), 48}), open(ElementType::kF32, {8}), known(16),
                         known(8)}),
            "[?,5,9,2]");
  EXPECT_EQ(infer_shape(
                "STFT", 15, {{"transpose_frames", "true"}},
                {open(ElementType::kF32, {Dimension()}), open(ElementType::kF32, {8}), known(16), known(8)}),
            "[9,?,2]");
  const auto run = [](int64_t size, int64_t step) {
    return
        [=] { run_op("STFT", 15, {}, {iota({8}), iota({3}), Tensor::scalar(size), Tensor::scalar(step)}); };
  };
  expect_error(ErrorCode::kInvalidValue, "frame_size is 0", run(0, 1));
  expect_error(ErrorCode::kInvalidValue, "frame_step is 0", run(4, 0));
  expect_error(ErrorCode::kInvalidShape, "signal [8] is shorter than frame_size, 9", run(9, 1));
  expect_error(ErrorCode::kInvalidShape, "window [3] is longer than frame_size, 2", run(2, 1));
}

}  // namespace
}  // namespace wasmvino::test::stft_test
