// SPDX-License-Identifier: Apache-2.0
// Resamples regions of feature maps to a fixed size, with evenly spaced samples in each bin.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/roi-align-9.html
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

enum class RoiMode : uint8_t { kAvg, kMax };
enum class RoiAligned : uint8_t { kAsymmetric, kHalfPixelForNn, kHalfPixel };

struct RoiAlign {
  size_t channels = 0, height = 0, width = 0;  // of the feature maps
  size_t rows = 0, columns = 0;                // of the output
  int64_t samples = 0;                         // along each side of a bin; 0: as many as elements
  float scale = 1;
  RoiMode mode = RoiMode::kAvg;
  RoiAligned aligned = RoiAligned::kAsymmetric;
};

// Resamples one region to y [channels, rows, columns]. The region of `maps` [channels, height, width] has the
// corners (roi[0], roi[1]) and (roi[2], roi[3]), each as (x, y).
void align_region(const RoiAlign& align, const float* maps, const float* roi, float* y);

}  // namespace wasmvino::kernels
