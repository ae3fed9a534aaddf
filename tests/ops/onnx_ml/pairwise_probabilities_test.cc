// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::pairwise_probabilities_test {
namespace {

Tensor couple(const Tensor& pairs, const std::string& classes, size_t threads) {
  return run_domain_op_open("ai.onnx.ml", "PairwiseProbabilities", {{"classes", classes}}, {pairs}, {},
                            threads);
}

// Expected values: the method of the paper in numpy, in f64. onnxruntime 1.32 gives the same for machines of
// three classes; onnx 1.23's reference does not, because it multiplies vectors where it should multiply
// elements.
TEST(PairwiseProbabilities, TwoAndThreeClasses) {
  for (const size_t threads : {1, 2}) {
    expect_near(couple(Tensor::of<float>({2, 1}, {0.3f, 0.9f}), "2", threads), {2, 2},
                {0.29999981f, 0.70000019f, 0.89999986f, 0.10000014f});
    expect_near(couple(Tensor::of<float>({2, 3}, {0.8f, 0.6f, 0.3f, 0.1f, 0.5f, 0.99f}), "3", threads),
                {2, 3}, {0.52080849f, 0.13720871f, 0.3419828f, 0.082991272f, 0.89180843f, 0.025200296f});
  }
}

TEST(PairwiseProbabilities, Refuses) {
  const Tensor pairs = Tensor::of<float>({1, 2}, {0.5f, 0.5f});
  expect_error(ErrorCode::kInvalidShape, "axis 1 of data [1,2] is 2, the pairs is 3",
               [&] { couple(pairs, "3", 1); });
  expect_error(ErrorCode::kInvalidModel, "'classes' is 1, expected 2 to 32768",
               [&] { couple(pairs, "1", 1); });
}

}  // namespace
}  // namespace wasmvino::test::pairwise_probabilities_test
