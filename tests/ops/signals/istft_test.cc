// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/ops/arrays.h"
#include "tests/ops/signals/fourier_tester.h"

namespace wasmvino::test::istft_test {
namespace {

std::vector<Tensor> frames(const Tensor& data, const Tensor& window, int64_t size, int64_t step) {
  return {data, window, Tensor::scalar(size), Tensor::scalar(step)};
}

TEST(ISTFT, UndoesTheTransform) {
  for (const int64_t size : {6, 7}) {
    SCOPED_TRACE(size);
    const Tensor signal = numbers({2, size + 4 * 2});
    const Tensor window =
        Tensor::of<float>({size}, std::vector<float>{.5f, 1, 2, 1.5f, 1, .25f, .75f}.data());
    const Tensor spectra =
        run_op("STFT", 15, {{"transpose_frames", "true"}}, frames(signal, window, size, 2))[0];
    const float* values = signal.data<float>();
    expect_near(run_op("ISTFT", 16, {{"center", "false"}}, frames(spectra, window, size, 2))[0],
                signal.shape(), {values, values + signal.size()}, 1e-5f);
    // The margins of half a frame go.
    const int64_t margin = size / 2, length = size + 8 - 2 * margin;
    std::vector<float> middle;
    for (int64_t row = 0; row < 2; ++row) {
      const float* first = values + row * (size + 8) + margin;
      middle.insert(middle.end(), first, first + length);
    }
    expect_near(run_op("ISTFT", 16, {{"center", "true"}}, frames(spectra, window, size, 2))[0], {2, length},
                middle, 1e-5f);
  }
}

// More numbers in frames than are transformed at a time.
TEST(ISTFT, AddsUpFramesOfSeveralGroups) {
  constexpr int64_t kSize = 4096, kStep = 2048, kFrames = 150;
  const Tensor signal = numbers({kSize + (kFrames - 1) * kStep});
  const Tensor window = Tensor::of<float>({kSize}, std::vector<float>(kSize, 1.0f).data());
  const Tensor spectra =
      run_op("STFT", 15, {{"transpose_frames", "true"}}, frames(signal, window, kSize, kStep))[0];
  const float* values = signal.data<float>();
  expect_near(run_op("ISTFT", 16, {{"center", "false"}}, frames(spectra, window, kSize, kStep))[0],
              signal.shape(), {values, values + signal.size()}, 1e-5f);
}

TEST(ISTFT, LengthsAndScale) {
  const Tensor signal = numbers({8}), window = Tensor::of<float>({4}, {1, 1, 1, 1});
  const Tensor spectra = run_op("STFT", 15, {{"transpose_frames", "true"}}, frames(signal, window, 4, 4))[0];
  auto inputs = frames(spectra, window, 4, 4);
  inputs.push_back(Tensor::of<int64_t>({1}, {10}));
  const float* s = signal.data<float>();
  expect_near(run_op("ISTFT", 16, {}, inputs)[0], {10},
              {s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], 0, 0});
  inputs[4] = Tensor::of<int64_t>({1}, {3});
  // Spectra that were divided by the root of the length of a frame.
  expect_near(run_op("ISTFT", 16, {{"normalized", "true"}, {"center", "true"}}, inputs)[0], {3},
              {2 * s[2], 2 * s[3], 2 * s[4]});
}

// Where no window reaches there is nothing.
TEST(ISTFT, Gaps) {
  const Tensor spectra = Tensor::of<float>({2, 1, 2}, {2, 0, 0, 0});
  expect_near(run_op("ISTFT", 16, {}, frames(spectra, Tensor::of<float>({1}, {.5f}), 2, 2))[0], {2}, {2, 0});
}

TEST(ISTFT, InfersAndRefuses) {
  const auto known = [](int64_t value) { return model::ValueInfo::of(Tensor::scalar(value)); };
  EXPECT_EQ(infer_shape(
                "ISTFT", 16, {{"center", "false"}},
                {open(ElementType::kF32, {4, 6, 16, 2}), open(ElementType::kF32, {7}), known(11), known(3)}),
            "[4,56]");
  EXPECT_EQ(infer_shape("ISTFT", 16, {},
                        {open(ElementType::kF32, {6, Dimension(), 2}), open(ElementType::kF32, {7}),
                         known(11), known(3), known(64)}),
            "[64]");
  expect_error(ErrorCode::kInvalidShape, "axis 0 of data [2,1,2] is 2, frame_size / 2 + 1 is 3", [] {
    run_op("ISTFT", 16, {},
           frames(Tensor(ElementType::kF32, {2, 1, 2}), Tensor(ElementType::kF32, {1}), 4, 1));
  });
  // Where sizes have 32 bits, a signal of 3 * 2^62 elements is refused by its shape.
  std::vector<Tensor> inputs =
      frames(Tensor(ElementType::kF32, {2, 4, 2}), Tensor::of<float>({2}, {1, 1}), 2, int64_t{1} << 62);
  const ErrorCode refusal = sizeof(size_t) < 8 ? ErrorCode::kInvalidShape : ErrorCode::kOutOfMemory;
  expect_error(refusal, "", [&] { run_op("ISTFT", 16, {}, inputs); });
  // The length is also checked if signal_length keeps the output small.
  inputs.push_back(Tensor::scalar(int64_t{3}));
  expect_error(ErrorCode::kOutOfMemory, "", [&] { run_op("ISTFT", 16, {}, inputs); });
}

}  // namespace
}  // namespace wasmvino::test::istft_test
