// SPDX-License-Identifier: Apache-2.0
#include "ops/common/regions.h"

#include <algorithm>
#include <cmath>

#include "ops/common/inputs.h"

namespace wasmvino::ops {

PartialShape infer_regions(InferContext& context, size_t columns, Dimension channels, int64_t height,
                           int64_t width) {
  expect_rank(context, 0, 4, 4, "data");
  expect_rank(context, 1, 2, 2, "rois");
  const PartialShape& rois = context.input_shape(1);
  PartialShape output = {Dimension(), channels, height, width};
  if (!rois.has_rank()) return output;
  if (!rois[1].contains(static_cast<int64_t>(columns))) {
    throw Error(ErrorCode::kInvalidShape, cat("rois has shape ", rois, ", expected ", columns, " columns"))
        .expected(cat(columns, " columns"))
        .actual(cat(rois[1]))
        .port("rois");
  }
  output[0] = rois[0];
  return output;
}

void expect_picture(int64_t index, size_t batch, size_t region) {
  if (index >= 0 && index < static_cast<int64_t>(batch)) return;
  throw Error(ErrorCode::kInvalidValue, cat("region ", region, " lies in picture ", index, " of ", batch))
      .expected(cat("0..", batch - 1))
      .actual(cat(index));
}

void expect_at_least_one(std::string_view name, int64_t value) {
  if (value >= 1) return;
  throw Error(ErrorCode::kInvalidValue, cat(name, " is ", value, ", expected 1 or more"))
      .expected("1 or more")
      .actual(cat(value));
}

int64_t samples_of_bin(int64_t given, float bin) {
  if (given > 0) return given;
  return bin > 0 && bin < 0x1p24f ? static_cast<int64_t>(std::ceil(bin)) : 0;
}

SampleRange samples_between(float begin, float step, int64_t count, float first, float last) {
  if (!(first <= last)) return {0, 0};
  if (step == 0) return {0, count};
  const double a = (static_cast<double>(first) - begin) / step,
               b = (static_cast<double>(last) - begin) / step;
  if (std::isnan(a) || std::isnan(b)) return {0, 0};
  const auto place = [&](double index) {
    return static_cast<int64_t>(std::clamp(index, 0.0, static_cast<double>(count)));
  };
  return {place(std::floor(std::min(a, b) - 0.5)), place(std::ceil(std::max(a, b) + 0.5))};
}

Sample sample_at(float y, float x, size_t height, size_t width) {
  const size_t top = std::min(static_cast<size_t>(y), height - 1),
               left = std::min(static_cast<size_t>(x), width - 1);
  const size_t bottom = std::min(top + 1, height - 1), right = std::min(left + 1, width - 1);
  const float dy = std::min(y - static_cast<float>(top), 1.0f),
              dx = std::min(x - static_cast<float>(left), 1.0f);
  return {{top * width + left, top * width + right, bottom * width + left, bottom * width + right},
          {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx}};
}

}  // namespace wasmvino::ops
