// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/arrays.h"
#include "tests/ops/signals/fourier_tester.h"

namespace wasmvino::test::dft_test {
namespace {

// Powers of 2, products of small primes, primes, and products of large ones.
TEST(DFT, Lengths) {
  for (const int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 30, 49, 61, 64, 67, 96, 127, 134, 210, 256}) {
    SCOPED_TRACE(n);
    const Tensor data = numbers({2, n, 2});
    const Shape shape = {2, n};
    const auto expected = pairs_of(transform_axis(complex_of(data, true), shape, 1, false));
    expect_near(run_op("DFT", 7, {}, {data, i64s({1})})[0], data.shape(), expected, 1e-5f);
    const auto back = pairs_of(transform_axis(complex_of(data, true), shape, 1, true));
    expect_near(run_op("IDFT", 7, {}, {data, i64s({-1})})[0], data.shape(), back, 1e-5f);
  }
}

TEST(DFT, AxesAndSizes) {
  const Tensor data = numbers({3, 4, 5, 2});
  struct Case {
    Ints axes, sizes;
  };
  for (const Case& t :
       {Case{{0}, {5}}, Case{{2, 0}, {-1, 2}}, Case{{1, 2, 0}, {6, 3, 7}}, Case{{-1, 1}, {8, 4}}}) {
    SCOPED_TRACE(testing::Message() << to_string(t.axes) << to_string(t.sizes));
    for (const bool inverse : {false, true}) {
      Shape shape = {3, 4, 5};
      ComplexNumbers values = complex_of(data, true);
      for (size_t i = 0; i < t.axes.size(); ++i) {
        const auto axis = static_cast<size_t>(t.axes[i] < 0 ? t.axes[i] + 3 : t.axes[i]);
        values = fit_axis(values, shape, axis, t.sizes[i] == -1 ? shape[axis] : t.sizes[i]);
        values = transform_axis(values, shape, axis, inverse);
      }
      shape.push_back(2);
      const auto count = static_cast<int64_t>(t.axes.size());
      const std::vector<Tensor> inputs = {data, Tensor::of({count}, t.axes.data()),
                                          Tensor::of({count}, t.sizes.data())};
      expect_near(run_op_open(inverse ? "IDFT" : "DFT", 7, {}, inputs, 1, {1, 2}, 3)[0], shape,
                  pairs_of(values), 1e-5f);
    }
  }
}

TEST(DFT, NoAxes) {
  EXPECT_EQ(text_of(run_op("DFT", 7, {}, {iota({2, 2}), Tensor(ElementType::kI64, {0})})[0]),
            "[2,2] 0 1 2 3");
}

// The square of an index, which a prime length takes, is more than 32 bits hold.
TEST(DFT, OfAnImpulseIsOnesForLargePrimes) {
  const int64_t length = 65'537;
  std::vector<float> impulse(2 * static_cast<size_t>(length));
  impulse[0] = 1;
  const Tensor data = Tensor::of<float>({length, 2}, impulse.data());
  const Tensor result = run_op("DFT", 7, {}, {data, i64s({0})})[0];
  double worst = 0;
  for (size_t i = 0; i < impulse.size(); ++i) {
    worst =
        std::max(worst, std::fabs(static_cast<double>(result.data<float>()[i]) - (i % 2 == 0 ? 1.0 : 0.0)));
  }
  EXPECT_LT(worst, 1e-5);
}

TEST(DFT, Infers) {
  const auto data = open(ElementType::kF32, {Dimension(), 4, 2});
  const auto axes = model::ValueInfo::of(i64s({1, 0}));
  EXPECT_EQ(infer_shape("DFT", 7, {}, {data, axes}), "[?,4,2]");
  EXPECT_EQ(infer_shape("DFT", 7, {}, {data, axes, model::ValueInfo::of(i64s({-1, 6}))}), "[6,4,2]");
  EXPECT_EQ(infer_shape("DFT", 7, {}, {data, axes, open(ElementType::kI64, {2})}), "[?,?,2]");
  EXPECT_EQ(infer_shape("DFT", 7, {}, {data, open(ElementType::kI64, {2})}), "[?,?,2]");
}

TEST(DFT, Refuses) {
  const Tensor data = numbers({3, 4, 2});
  const auto run = [&](const Tensor& axes, const Tensor& sizes) {
    return [=] { run_op("DFT", 7, {}, {data, axes, sizes}); };
  };
  expect_error(ErrorCode::kInvalidValue, "axes is 2, outside -2..1", run(i64s({2}), i64s({1})));
  expect_error(ErrorCode::kInvalidValue, "axes contain axis 1 twice", run(i64s({1, -1}), i64s({1, 1})));
  expect_error(ErrorCode::kInvalidValue, "signal_size", run(i64s({1}), i64s({1, 1})));
  expect_error(ErrorCode::kInvalidValue, "signal_size[0] is 0", run(i64s({1}), i64s({0})));
  expect_error(ErrorCode::kInvalidShape, "axis 2 of data [2,2,3] is 3",
               [] { run_op("DFT", 7, {}, {numbers({2, 2, 3}), i64s({0})}); });
}

}  // namespace
}  // namespace wasmvino::test::dft_test
