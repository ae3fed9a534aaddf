// SPDX-License-Identifier: Apache-2.0
// How much boxes overlap: what non-maximum suppression asks of each box and all that were chosen before.
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

// Boxes by their corners, x1 <= x2 and y1 <= y2, and their areas.
struct BoxList {
  const float *x1, *y1, *x2, *y2, *area;
};

// Whether box `i` of `boxes` shares at least `threshold` of what both cover with one of the boxes first ..
// last - 1 of `chosen`, the last looked at first. Boxes without area share nothing.
bool overlaps_any(const BoxList& boxes, size_t i, const BoxList& chosen, size_t first, size_t last,
                  float threshold);

}  // namespace wasmvino::kernels
