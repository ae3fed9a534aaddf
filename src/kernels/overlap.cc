// SPDX-License-Identifier: Apache-2.0
#include "kernels/overlap.h"

#include <algorithm>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Whether shared >= threshold * (a + b - shared), which needs no division.
bool overlaps(const BoxList& boxes, size_t i, const BoxList& chosen, size_t j, float threshold) {
  const float width = std::min(boxes.x2[i], chosen.x2[j]) - std::max(boxes.x1[i], chosen.x1[j]);
  const float height = std::min(boxes.y2[i], chosen.y2[j]) - std::max(boxes.y1[i], chosen.y1[j]);
  const float shared = std::max(width, 0.0f) * std::max(height, 0.0f);
  const float covered = boxes.area[i] + chosen.area[j] - shared;
  return shared >= threshold * covered && (covered > 0.0f || threshold <= 0.0f);
}

}  // namespace

bool overlaps_any(const BoxList& boxes, size_t i, const BoxList& chosen, size_t first, size_t last,
                  float threshold) {
  const VF x1 = set(boxes.x1[i]), y1 = set(boxes.y1[i]), x2 = set(boxes.x2[i]), y2 = set(boxes.y2[i]);
  const VF area = set(boxes.area[i]), limit = set(threshold);
  const auto anything = hn::Le(limit, zero());
  for (; last - first >= kLanes; last -= kLanes) {
    const size_t j = last - kLanes;
    const VF width = hn::Sub(hn::Min(x2, load(chosen.x2 + j)), hn::Max(x1, load(chosen.x1 + j)));
    const VF height = hn::Sub(hn::Min(y2, load(chosen.y2 + j)), hn::Max(y1, load(chosen.y1 + j)));
    const VF shared = hn::Mul(hn::Max(width, zero()), hn::Max(height, zero()));
    const VF covered = hn::Sub(hn::Add(area, load(chosen.area + j)), shared);
    const auto much = hn::Ge(shared, hn::Mul(limit, covered));
    if (!hn::AllFalse(F32x4(), hn::And(much, hn::Or(hn::Gt(covered, zero()), anything)))) return true;
  }
  while (last > first) {
    if (overlaps(boxes, i, chosen, --last, threshold)) return true;
  }
  return false;
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
