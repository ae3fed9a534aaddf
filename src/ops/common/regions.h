// SPDX-License-Identifier: Apache-2.0
// What operations on regions of interest share: their inputs, and bilinear reading of planes.
#pragma once

#include <string_view>

#include "model/op.h"

namespace wasmvino::ops {

// Checks feature maps [N, C, H, W] (input 0) and regions [count, columns] (input 1) of one floating point
// type, and gives the output's shape [count, channels, height, width]. Throws Error.
PartialShape infer_regions(InferContext& context, size_t columns, Dimension channels, int64_t height,
                           int64_t width);

// Throws Error(kInvalidValue) unless 0 <= index < batch, naming the region.
void expect_picture(int64_t index, size_t batch, size_t region);

// Throws Error(kInvalidValue) unless an attribute is 1 or more.
void expect_at_least_one(std::string_view name, int64_t value);

// A position between four elements of a plane of `width` columns.
struct Sample {
  size_t places[4];
  float weights[4];
  float read(const float* plane) const {
    return (plane[places[0]] * weights[0] + plane[places[1]] * weights[1]) +
           (plane[places[2]] * weights[2] + plane[places[3]] * weights[3]);
  }
};

// How many samples lie along one side of a bin: `given`, or as many as elements if that is 0. A side that is
// no number has none, nor has one of 2^24 elements, between which f32 has no places.
int64_t samples_of_bin(int64_t given, float bin);

// Those of `count` samples, at begin + step * (i + 0.5), that may lie from `first` to `last`: what is outside
// of the maps is not visited, for a wild region may be a million times as large as they are.
struct SampleRange {
  int64_t begin, end;
};
SampleRange samples_between(float begin, float step, int64_t count, float first, float last);

// (y, x) from 0 on; neighbours beyond the last row or column are those.
Sample sample_at(float y, float x, size_t height, size_t width);

}  // namespace wasmvino::ops
