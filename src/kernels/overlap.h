// SPDX-License-Identifier: Apache-2.0
// The overlap test of non-maximum suppression, which compares each box with all boxes chosen before.
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

// Boxes by their corners, x1 <= x2 and y1 <= y2, with their areas.
struct BoxList {
  const float *x1, *y1, *x2, *y2, *area;
};

// Whether the intersection over union of box `i` of `boxes` and any of the boxes [first, last) of `chosen` is
// at least `threshold`. Compares with the last box first. The overlap of boxes without area is 0.
bool overlaps_any(const BoxList& boxes, size_t i, const BoxList& chosen, size_t first, size_t last,
                  float threshold);

}  // namespace wasmvino::kernels
