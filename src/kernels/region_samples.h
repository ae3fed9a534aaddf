// SPDX-License-Identifier: Apache-2.0
// Samples of regions: bilinear ones of planes and of channels-last maps, and maxima of windows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

// A position between four elements of a plane of `width` columns, with the indices and weights of these
// elements.
struct Sample {
  size_t places[4];
  float weights[4];
  float read(const float* plane) const {
    return (plane[places[0]] * weights[0] + plane[places[1]] * weights[1]) +
           (plane[places[2]] * weights[2] + plane[places[3]] * weights[3]);
  }
};

// Number of samples along one side of a bin: `given`, or the side's length in elements, rounded up, if
// `given` is 0. Returns 0 for NaN and for sides of 2^24 elements or more, where f32 has no positions between
// elements.
int64_t samples_of_bin(int64_t given, float bin);

// The range of samples that may be within first..last. The samples are at begin + step * (i + 0.5) for i <
// count. Skipping samples outside the maps matters because an invalid region may be a million times as large
// as they are.
struct SampleRange {
  int64_t begin, end;
};
SampleRange samples_between(float begin, float step, int64_t count, float first, float last);

// A place on an axis as a whole number from 0 to `size`. NaN gives 0.
size_t clamp_to_axis(float place, size_t size);

// The sample at (y, x), counted from 0. Neighbours beyond the last row or column are that row or column
// itself.
Sample sample_at(float y, float x, size_t height, size_t width);

// Samples between two pairs of adjacent elements each: places and weights of the pairs.
struct PairSamples {
  static constexpr size_t kMost = 64;
  size_t upper[kMost], lower[kMost];
  float upper_weights[kMost][2], lower_weights[kMost][2];
};

// y[i] = the sum of the four weighted elements of sample i < n, for n <= kMost. Reads samples up to the next
// multiple of four.
void read_samples(const float* plane, const PairSamples& samples, size_t n, float* y);

// Channels-last maps, whose pixels have `channels` elements: y[c * y_stride] = the greatest element c of the
// pixels in a window of `rows` by `columns` pixels, whose rows are `row_stride` elements apart, or the lowest
// number if there is none. NaN is no greater than any number.
void max_of_pixels(const float* pixels, size_t rows, size_t columns, size_t row_stride, size_t channels,
                   float* y, size_t y_stride);

// y[c * y_stride] = sample.read() of channel c.
void read_pixels(const float* pixels, const Sample& sample, size_t channels, float* y, size_t y_stride);

}  // namespace wasmvino::kernels
