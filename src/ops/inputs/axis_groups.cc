// SPDX-License-Identifier: Apache-2.0
#include "ops/inputs/axis_groups.h"

#include "ops/inputs/axes.h"

namespace wasmvino::ops {

AxisGroups::AxisGroups(const Shape& shape, const Ints& axes) {
  SmallVector<char, 6> goes(shape.size());
  for (const int64_t axis : normalize_axes(axes, shape.size())) goes[static_cast<size_t>(axis)] = 1;
  struct Group {
    int64_t size;
    int64_t stride;
    bool goes;
  };
  SmallVector<Group, 6> groups;  // innermost first
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    if (!groups.empty() && groups.back().goes == (goes[axis] != 0)) {
      groups.back().size *= shape[axis];
    } else {
      groups.push_back({shape[axis], stride, goes[axis] != 0});
    }
    stride *= shape[axis];
  }
  if (!groups.empty()) (groups[0].goes ? run : inner) = static_cast<size_t>(groups[0].size);
  for (size_t i = groups.size(); i-- > 1;) {
    (groups[i].goes ? reduced : kept).push_back(groups[i].size);
    (groups[i].goes ? reduced_strides : kept_strides).push_back(groups[i].stride);
  }
  kept_count = element_count(kept);
  reduced_count = element_count(reduced);
}

size_t AxisGroups::offset(size_t i) const {
  size_t offset = 0;
  for (size_t axis = kept.size(); axis-- > 0;) {
    offset += i % static_cast<size_t>(kept[axis]) * static_cast<size_t>(kept_strides[axis]);
    i /= static_cast<size_t>(kept[axis]);
  }
  return offset;
}

}  // namespace wasmvino::ops
