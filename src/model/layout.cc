// SPDX-License-Identifier: Apache-2.0
#include "model/layout.h"

namespace wasmvino::model {

bool has_spatial_axes(const PartialShape& shape) {
  return shape.has_rank() && shape.rank() >= 3 && shape.rank() <= 5;
}

Ints order_to_channels_last(size_t rank) {
  Ints order = {0};
  for (size_t axis = 2; axis < rank; ++axis) order.push_back(static_cast<int64_t>(axis));
  order.push_back(1);
  return order;
}

Ints order_to_channels_first(size_t rank) {
  Ints order = {0, static_cast<int64_t>(rank) - 1};
  for (size_t axis = 1; axis + 1 < rank; ++axis) order.push_back(static_cast<int64_t>(axis));
  return order;
}

int64_t channels_last_axis(int64_t axis, size_t rank) {
  if (axis < 0) axis += static_cast<int64_t>(rank);
  return axis == 0 ? 0 : axis == 1 ? static_cast<int64_t>(rank) - 1 : axis - 1;
}

Ints channels_last_axes(const Ints& axes, size_t rank) {
  Ints moved;
  for (const int64_t axis : axes) moved.push_back(channels_last_axis(axis, rank));
  return moved;
}

PartialShape relaid(const PartialShape& shape, Layout from, Layout to) {
  if (from == to || !shape.has_rank()) return shape;
  PartialShape result = shape;
  const size_t last = shape.rank() - 1, at = from == Layout::kChannelsFirst ? 1 : last;
  result.erase(at);
  result.insert(at == 1 ? last : 1, shape[at]);
  return result;
}

void ChannelsLastForm::replace(size_t i, const Ints& values) {
  replace(i, Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values.data()));
}

}  // namespace wasmvino::model
