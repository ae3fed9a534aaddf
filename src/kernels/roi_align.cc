// SPDX-License-Identifier: Apache-2.0
#include "kernels/roi_align.h"

#include <algorithm>
#include <cmath>

#include "core/work.h"
#include "kernels/region_samples.h"

namespace wasmvino::kernels {
namespace {

// One axis of a region.
struct Side {
  float begin, bin, step;
  int64_t samples;

  Side(const RoiAlign& align, float from, float to, size_t bins) {
    const float before = align.aligned == RoiAligned::kHalfPixel ? 0.5f : 0.0f;
    const float after = align.aligned == RoiAligned::kAsymmetric ? 0.0f : -0.5f;
    begin = (from + before) * align.scale + after;
    float length = (to + before) * align.scale + after - begin;
    if (align.aligned == RoiAligned::kAsymmetric) length = std::max(length, 1.0f);
    bin = length / static_cast<float>(bins);
    samples = samples_of_bin(align.samples, bin);
    step = bin / static_cast<float>(samples);
  }
  float at(size_t index, int64_t sample) const {
    return begin + static_cast<float>(index) * bin + step * (static_cast<float>(sample) + 0.5f);
  }
  // The samples of a bin that may be inside an image of `size` elements, or within one element around it.
  SampleRange range(size_t index, size_t size) const {
    return samples_between(begin + static_cast<float>(index) * bin, step, samples, -2,
                           static_cast<float>(size + 1));
  }
};

// Adds a sample to the bin of every channel. Samples more than one element outside the image are 0.
void add(const RoiAlign& align, const float* maps, float y, float x, float share, float* bin) {
  const bool inside =
      y >= -1 && y <= static_cast<float>(align.height) && x >= -1 && x <= static_cast<float>(align.width);
  if (!inside) return;  // a maximum starts from 0, too
  const Sample sample =
      sample_at(std::clamp(y, 0.0f, static_cast<float>(align.height - 1)),
                std::clamp(x, 0.0f, static_cast<float>(align.width - 1)), align.height, align.width);
  for (size_t channel = 0; channel < align.channels; ++channel) {
    const float value = sample.read(maps + channel * align.height * align.width);
    float& to = bin[channel * align.rows * align.columns];
    to = align.mode == RoiMode::kAvg ? to + value * share : std::max(to, value);
  }
}

}  // namespace

void align_region(const RoiAlign& align, const float* maps, const float* roi, float* y) {
  const Side vertical(align, roi[1], roi[3], align.rows), horizontal(align, roi[0], roi[2], align.columns);
  std::fill_n(y, align.channels * align.rows * align.columns, 0.0f);
  const float share = 1.0f / static_cast<float>(vertical.samples * horizontal.samples);
  for (size_t row = 0; row < align.rows; ++row) {
    const SampleRange down = vertical.range(row, align.height);
    for (size_t column = 0; column < align.columns; ++column) {
      const SampleRange across = horizontal.range(column, align.width);
      float* bin = y + row * align.columns + column;
      for (int64_t i = down.begin; i < down.end; ++i) {
        for (int64_t j = across.begin; j < across.end; ++j) {
          add(align, maps, vertical.at(row, i), horizontal.at(column, j), share, bin);
          count_work(align.channels);
        }
      }
    }
  }
}

}  // namespace wasmvino::kernels
