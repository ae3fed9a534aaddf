// SPDX-License-Identifier: Apache-2.0
// Bilinear reading of planes, at samples that lie evenly in the bins of a region.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

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

// A place on an axis as a whole number from 0 to `size`. NaN gives 0.
size_t clamp_to_axis(float place, size_t size);

// (y, x) from 0 on; neighbours beyond the last row or column are those.
Sample sample_at(float y, float x, size_t height, size_t width);

}  // namespace wasmvino::kernels
