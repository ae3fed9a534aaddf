// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/arrays.h"
#include "tests/ops/signals/fourier_tester.h"

namespace wasmvino::test::rdft_test {
namespace {

TEST(RDFT, HalfOfTheSpectrum) {
  const Tensor data = numbers({3, 4, 5});
  struct Case {
    Ints axes, sizes;
  };
  for (const Case& t : {Case{{0}, {-1}}, Case{{2}, {8}}, Case{{1}, {3}}, Case{{0, 2}, {5, 4}},
                        Case{{2, 1, 0}, {7, -1, 2}}, Case{{1, -1}, {2, 9}}}) {
    SCOPED_TRACE(testing::Message() << to_string(t.axes) << to_string(t.sizes));
    Shape shape = data.shape();
    ComplexNumbers values = complex_of(data, false);
    size_t last = 0;
    for (size_t i = 0; i < t.axes.size(); ++i) {
      last = static_cast<size_t>(t.axes[i] < 0 ? t.axes[i] + 3 : t.axes[i]);
      values = fit_axis(values, shape, last, t.sizes[i] == -1 ? shape[last] : t.sizes[i]);
      values = transform_axis(values, shape, last, false);
    }
    values = fit_axis(values, shape, last, shape[last] / 2 + 1);
    shape.push_back(2);
    const auto count = static_cast<int64_t>(t.axes.size());
    const std::vector<Tensor> inputs = {data, Tensor::of({count}, t.axes.data()),
                                        Tensor::of({count}, t.sizes.data())};
    expect_near(run_op_open("RDFT", 9, {}, inputs, 1, {1, 2}, 3)[0], shape, pairs_of(values), 1e-5f);
  }
}

TEST(RDFT, InfersAndRefuses) {
  const auto data = open(ElementType::kF32, {6, Dimension(), 5});
  EXPECT_EQ(infer_shape("RDFT", 9, {}, {data, model::ValueInfo::of(i64s({1, 2}))}), "[6,?,3,2]");
  EXPECT_EQ(infer_shape("RDFT", 9, {}, {data, model::ValueInfo::of(i64s({2, 1}))}), "[6,?,5,2]");
  expect_error(ErrorCode::kInvalidValue, "axes is empty",
               [] { run_op("RDFT", 9, {}, {numbers({2}), Tensor(ElementType::kI64, {0})}); });
  expect_error(ErrorCode::kInvalidShape, "is too short to transform",
               [] { run_op("RDFT", 9, {}, {Tensor(ElementType::kF32, {2, 0}), i64s({1})}); });
}

}  // namespace
}  // namespace wasmvino::test::rdft_test
