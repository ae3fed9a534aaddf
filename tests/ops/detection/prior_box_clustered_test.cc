// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::prior_box_clustered_test {
namespace {

model::AttributeTexts attributes(const std::string& step, const std::string& clip) {
  return {{"width", "4, 8"}, {"height", "6, 2"}, {"clip", clip},
          {"step", step},    {"offset", "0.5"},  {"variance", "0.1, 0.1, 0.2, 0.2"}};
}

TEST(PriorBoxClustered, Boxes) {
  const std::vector<float> expected = {0.2f, 0.35f, 0.3f, 0.65f, 0.15f, 0.45f, 0.35f, 0.55f,
                                       0.7f, 0.35f, 0.8f, 0.65f, 0.65f, 0.45f, 0.85f, 0.55f,
                                       0.1f, 0.1f,  0.2f, 0.2f,  0.1f,  0.1f,  0.2f,  0.2f,
                                       0.1f, 0.1f,  0.2f, 0.2f,  0.1f,  0.1f,  0.2f,  0.2f};
  // Without a step the grid fills the image.
  expect_near(run_op("PriorBoxClustered", 1, attributes("0", "false"), {i64s({1, 2}), i64s({20, 40})})[0],
              {2, 16}, expected);
  expect_near(run_op("PriorBoxClustered", 1, attributes("20", "false"), {i32s({1, 2}), i32s({20, 40})})[0],
              {2, 16}, expected);
}

TEST(PriorBoxClustered, Clips) {
  const auto got = run_op("PriorBoxClustered", 1, attributes("2", "true"), {i64s({1, 1}), i64s({20, 40})})[0];
  const std::vector<float> expected = {0, 0, 0.075f, 0.2f, 0, 0, 0.125f, 0.1f};
  for (size_t i = 0; i < 8; ++i) EXPECT_FLOAT_EQ(got.data<float>()[i], expected[i]) << i;
}

TEST(PriorBoxClustered, Refuses) {
  expect_error(ErrorCode::kInvalidModel, "'width' has 2 elements, but 'height' has 1", [] {
    run_op("PriorBoxClustered", 1, {{"width", "1, 2"}, {"height", "1"}}, {i64s({1, 1}), i64s({2, 2})});
  });
  expect_error(ErrorCode::kInvalidValue, "has a negative size", [] {
    run_op("PriorBoxClustered", 1, attributes("0", "true"), {i64s({-1, 1}), i64s({2, 2})});
  });
}

}  // namespace
}  // namespace wasmvino::test::prior_box_clustered_test
