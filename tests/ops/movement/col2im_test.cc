// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/random.h"
#include "tests/ops/arrays.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::col2im_test {
namespace {

TEST(Col2Im, AddsUpOverlappingWindows) {
  // Windows of 2x2 over 2x3: two of them.
  const Tensor columns = Tensor::of<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<Tensor> inputs = {columns, i64s({2, 3}), i64s({2, 2})};
  expect_tensor<float>(run_op("Col2Im", 15, {}, inputs)[0], {1, 2, 3}, {1, 5, 4, 5, 13, 8});
  const std::vector<Tensor> batch = {columns.reshape({1, 4, 2}), i32s({2, 3}), i32s({2, 2})};
  expect_tensor<float>(run_op("Col2Im", 15, {}, batch)[0], {1, 1, 2, 3}, {1, 5, 4, 5, 13, 8});
  const std::vector<Tensor> integers = {run_op("Convert", 1, {{"destination_type", "i32"}}, {columns})[0],
                                        i64s({2, 3}), i64s({2, 2})};
  expect_tensor<int32_t>(run_op("Col2Im", 15, {}, integers)[0], {1, 2, 3}, {1, 5, 4, 5, 13, 8});
}

// Adding up the patches that ExtractImagePatches takes multiplies each element by the number of windows it is
// in.
TEST(Col2Im, StridesDilationsAndPads) {
  const Shape picture = {2, 3, 8, 9};
  const int64_t taps[2] = {3, 2}, strides[2] = {2, 1}, dilations[2] = {1, 2}, begin[2] = {1, 0},
                windows[2] = {4, 9};
  const Tensor columns = Tensor::of<float>({2, 18, 36}, kernels::random_floats(2 * 18 * 36, 5).data());
  std::vector<double> expected(element_count(picture));
  for (int64_t n = 0; n < 2; ++n) {
    for (int64_t row = 0; row < 18; ++row) {
      for (int64_t window = 0; window < 36; ++window) {
        const int64_t c = row / 6,
                      y = window / windows[1] * strides[0] + row % 6 / 2 * dilations[0] - begin[0];
        const int64_t x = window % windows[1] * strides[1] + row % 2 * dilations[1] - begin[1];
        if (y < 0 || y >= 8 || x < 0 || x >= 9) continue;
        expected[static_cast<size_t>(((n * 3 + c) * 8 + y) * 9 + x)] +=
            columns.data<float>()[(n * 18 + row) * 36 + window];
      }
    }
  }
  ASSERT_EQ(taps[0] * taps[1] * picture[1], 18);
  for (const size_t threads : {1, 3}) {
    const Tensor got = run_op_open(
        "Col2Im", 15, {{"strides", "2,1"}, {"dilations", "1,2"}, {"pads_begin", "1,0"}, {"pads_end", "0,2"}},
        {columns, i64s({8, 9}), i64s({3, 2})}, 1, {1, 2}, threads)[0];
    ASSERT_EQ(to_string(got.shape()), to_string(picture));
    for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(got.data<float>()[i], expected[i], 1e-5) << i;
  }
}

TEST(Col2Im, OpenShapesAndErrors) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const model::ValueInfo& size,
                        const model::ValueInfo& kernel) {
    return infer_shape("Col2Im", 15, {}, {open(ElementType::kF32, data), size, kernel});
  };
  const auto known = [](std::initializer_list<int64_t> values) { return model::ValueInfo::of(i64s(values)); };
  EXPECT_EQ(shape({any, 12, any}, known({4, 5}), known({2, 3})), "[?,2,4,5]");
  EXPECT_EQ(shape({12, 9}, open(ElementType::kI64, {2}), known({2, 3})), "[2,?,?]");
  EXPECT_EQ(shape({3, 12, 9}, known({4, 5}), open(ElementType::kI64, {2})), "[3,?,4,5]");
  EXPECT_EQ(shape(PartialShape(), known({4, 5}), known({2, 3})), "[...]");
  expect_error(ErrorCode::kInvalidShape, "not a multiple of the product of kernel_size [2,3]",
               [&] { shape({11, 9}, known({4, 5}), known({2, 3})); });
  expect_error(ErrorCode::kInvalidShape,
               "axis 1 of data [12,8] is 8, but 9 windows of [2,3] fit output_size [4,5]",
               [&] { shape({12, 8}, known({4, 5}), known({2, 3})); });
  expect_error(ErrorCode::kInvalidValue, "kernel_size is [2] with 1 elements, expected 2",
               [&] { shape({12, 9}, known({4, 5}), known({2})); });
  expect_error(ErrorCode::kInvalidShape, "data has shape [12]",
               [&] { shape({12}, known({4, 5}), known({2, 3})); });
}

}  // namespace
}  // namespace wasmvino::test::col2im_test
