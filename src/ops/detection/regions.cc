// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/regions.h"

#include "ops/inputs/inputs.h"

namespace wasmvino::ops {

void expect_maps(InferContext& context, size_t port, std::string_view name) {
  expect_rank(context, port, 4, 4, name);
  const PartialShape& maps = context.input_shape(port);
  if (!maps.has_rank() || (maps[2].max > 0 && maps[3].max > 0)) return;
  throw Error(ErrorCode::kInvalidShape, cat(name, " ", maps, " has no elements to sample"))
      .expected("a height and width of 1 or more")
      .actual(cat(maps))
      .port(std::string(name));
}

PartialShape infer_regions(InferContext& context, size_t columns, Dimension channels, int64_t height,
                           int64_t width) {
  expect_maps(context, 0, "data");
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

namespace {

[[noreturn]] void refuse_picture(const std::string& index, size_t batch, size_t region) {
  throw Error(ErrorCode::kInvalidValue, cat("region ", region, " refers to image ", index, ", but data has ",
                                            batch, batch == 1 ? " image" : " images"))
      .expected(cat("0..", batch - 1))
      .actual(index);
}

}  // namespace

void expect_picture(int64_t index, size_t batch, size_t region) {
  if (index < 0 || index >= static_cast<int64_t>(batch)) refuse_picture(cat(index), batch, region);
}

size_t picture_at(float index, size_t batch, size_t region) {
  // False for NaN.
  const bool exists = index > -1 && index < static_cast<float>(batch);
  if (!exists) refuse_picture(cat(index), batch, region);
  return index < 0 ? 0 : static_cast<size_t>(index);
}

void expect_at_least_one(std::string_view name, int64_t value) {
  if (value >= 1) return;
  throw Error(ErrorCode::kInvalidValue, cat(name, " is ", value, ", expected 1 or more"))
      .expected("1 or more")
      .actual(cat(value));
}

void expect_samples(std::string_view name, int64_t value, int64_t least) {
  constexpr int64_t kMost = 32768;  // the number of samples in a bin then has 31 bits
  if (value >= least && value <= kMost) return;
  throw Error(ErrorCode::kInvalidValue, cat(name, " is ", value, ", expected ", least, " to ", kMost))
      .expected(cat(least, " to ", kMost))
      .actual(cat(value));
}

}  // namespace wasmvino::ops
