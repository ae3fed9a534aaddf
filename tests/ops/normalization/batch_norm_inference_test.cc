// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/float_types.h"
#include "normalization_tester.h"

namespace wasmvino::test::batch_norm_inference_test {
namespace {

struct Parameters {
  Tensor gamma = Tensor::of<float>({3}, {1, -2, 0.5f}), beta = Tensor::of<float>({3}, {0, 1, 2});
  Tensor mean = Tensor::of<float>({3}, {0.5f, -1, 3}), variance = Tensor::of<float>({3}, {1, 0.25f, 4});
};

TEST(BatchNormInference, EveryRankInBothOrders) {
  const Parameters p;
  for (const Shape& shape :
       {Shape{2, 3}, Shape{2, 3, 5}, Shape{2, 3, 4, 5}, Shape{1, 3, 2, 2, 2}, Shape{0, 3, 2}}) {
    const Tensor data = pattern(shape);
    std::vector<float> expected;
    size_t spatial = 1;
    for (size_t axis = 2; axis < shape.size(); ++axis) spatial *= static_cast<size_t>(shape[axis]);
    for (size_t i = 0; i < data.size(); ++i) {
      const size_t c = i / spatial % 3;
      const auto value = [&](const Tensor& tensor) { return static_cast<double>(tensor.data<float>()[c]); };
      const double x = static_cast<double>(data.data<float>()[i]);
      expected.push_back(static_cast<float>(
          (x - value(p.mean)) / std::sqrt(value(p.variance) + 0.1) * value(p.gamma) + value(p.beta)));
    }
    const model::AttributeTexts attributes = {{"epsilon", "0.1"}};
    for (const size_t threads : {1, 3}) {
      expect_near(run_op_open("BatchNormInference", 5, attributes,
                              {data, p.gamma, p.beta, p.mean, p.variance}, 1, {}, threads)[0],
                  shape, expected, 1e-6f);
      expect_near(run_op_open("BatchNormInference", 1, attributes,
                              {p.gamma, p.beta, data, p.mean, p.variance}, 1, {}, threads)[0],
                  shape, expected, 1e-6f);
    }
  }
}

TEST(BatchNormInference, ChannelsFollowFromTheParameters) {
  using model::ValueInfo;
  const ValueInfo channel{ElementType::kF32, {3}, nullptr};
  const ValueInfo data{ElementType::kF32, {Dimension(), Dimension(), 4}, nullptr};
  EXPECT_EQ(
      to_string(infer_op("BatchNormInference", 5, {}, {data, channel, channel, channel, channel})[0].shape),
      "[?,3,4]");
}

TEST(BatchNormInference, Refuses) {
  const Parameters p;
  expect_error(ErrorCode::kInvalidShape, "axis 0 of beta [4] is 4, axis 1 of data is 3", [&] {
    run_op("BatchNormInference", 5, {}, {pattern({2, 3}), p.gamma, pattern({4}), p.mean, p.variance});
  });
  expect_error(ErrorCode::kInvalidShape, "data has shape [3], expected rank 2 or more", [&] {
    run_op("BatchNormInference", 1, {}, {p.gamma, p.beta, pattern({3}), p.mean, p.variance});
  });
  expect_error(ErrorCode::kInvalidModel, "'epsilon' is -1", [&] {
    run_op("BatchNormInference", 5, {{"epsilon", "-1"}},
           {pattern({2, 3}), p.gamma, p.beta, p.mean, p.variance});
  });
  expect_error(ErrorCode::kInvalidType, "mean has element type f16, data has f32", [&] {
    run_op("BatchNormInference", 5, {},
           {pattern({2, 3}), p.gamma, p.beta, Tensor(ElementType::kF16, {3}), p.variance});
  });
}

}  // namespace
}  // namespace wasmvino::test::batch_norm_inference_test
