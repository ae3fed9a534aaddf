// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/arrays.h"

namespace wasmvino::test::experimental_detectron_prior_grid_generator_test {
namespace {

const Tensor kPriors = Tensor::of<float>({2, 4}, {-1, -2, 1, 2, -3, -1, 3, 1});

TEST(ExperimentalDetectronPriorGridGenerator, Grid) {
  const Tensor map(ElementType::kF32, {1, 1, 1, 2}), image(ElementType::kF32, {1, 3, 8, 8});
  const std::vector<float> expected = {1, 2, 3, 6, -1, 3, 5, 5, 5, 2, 7, 6, 3, 3, 9, 5};
  expect_near(run_op("ExperimentalDetectronPriorGridGenerator", 6, {}, {kPriors, map, image})[0], {4, 4},
              expected);
  expect_near(
      run_op("ExperimentalDetectronPriorGridGenerator", 6, {{"flatten", "false"}}, {kPriors, map, image})[0],
      {1, 2, 2, 4}, expected);
}

TEST(ExperimentalDetectronPriorGridGenerator, SizeAndStride) {
  const Tensor map(ElementType::kF32, {1, 1, 5, 5}), image(ElementType::kF32, {1, 3, 8, 8});
  const auto got =
      run_op("ExperimentalDetectronPriorGridGenerator", 6,
             {{"h", "1"}, {"w", "2"}, {"stride_x", "2"}, {"stride_y", "6"}}, {kPriors, map, image})[0];
  expect_near(got, {4, 4}, {0, 1, 2, 5, -2, 2, 4, 4, 2, 1, 4, 5, 0, 2, 6, 4});
}

TEST(ExperimentalDetectronPriorGridGenerator, InfersAndRefuses) {
  EXPECT_EQ(infer_shape("ExperimentalDetectronPriorGridGenerator", 6, {{"flatten", "false"}, {"h", "7"}},
                        {open(ElementType::kF32, {3, 4}), open(ElementType::kF32, {1, 8, 2, Dimension()}),
                         open(ElementType::kF32, {1, 3, 10, 10})}),
            "[7,?,3,4]");
  expect_error(ErrorCode::kInvalidModel, "'h' and 'w' are -1 and 0", [] {
    run_op("ExperimentalDetectronPriorGridGenerator", 6, {{"h", "-1"}}, {kPriors, kPriors, kPriors});
  });
}

}  // namespace
}  // namespace wasmvino::test::experimental_detectron_prior_grid_generator_test
